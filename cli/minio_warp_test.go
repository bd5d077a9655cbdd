package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/usage"
)

// benchmarksOfMinIOWarp are those that both have.
var benchmarksOfMinIOWarp = []string{"mixed", "get", "put", "delete", "list", "stat", "versioned", "retention", "multipart", "multipart-put", "append", "snowball", "zip", "fanout"}

// TestFlagsOfMinIOWarp holds all flags that MinIO warp documents against those that commands of the same name accept or answer.
// The table is not part of the project.
func TestFlagsOfMinIOWarp(t *testing.T) {
	text, err := os.ReadFile("../../shared/spec/semantics.md")
	if err != nil {
		t.Skip("the table of flags is not here:", err)
	}
	env, _ := testEnv(benchmarks()...)
	commands := map[string]*cli.Command{}
	for _, c := range root(&env).Commands {
		commands[c.Name] = c
	}
	rows := regexp.MustCompile("(?m)^\\| `--([^`]+)` \\| ([^|]+) \\|").FindAllStringSubmatch(string(text), -1)
	if len(rows) < 80 {
		t.Fatalf("the table has %d flags", len(rows))
	}
	for _, row := range rows {
		flag, of := row[1], strings.Split(strings.ReplaceAll(row[2], " ", ""), ",")
		for _, name := range append(slices.Clone(benchmarksOfMinIOWarp), usage.Others...) {
			if !slices.Contains(of, name) && !(slices.Contains(of, "B") && slices.Contains(benchmarksOfMinIOWarp, name)) {
				continue
			}
			has := slices.ContainsFunc(commands[name].Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), flag) })
			if !has {
				t.Errorf("%s --%s is neither accepted nor answered", name, flag)
			}
		}
	}
}
