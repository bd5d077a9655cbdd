package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/cli/internal/runs"
	"warp/cli/internal/usage"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
)

func TestDidYouMean(t *testing.T) {
	env, _ := testEnv()
	root := root(&env)
	for given, want := range map[string]string{
		"gett": `"get"`, "lst": `"list"`, "analyse": `"analyze"`, "mix": `"mixed"`, "verson": `"version"`, "xyzzyx": "", "frobnicate": "", "x": "", "": "", "stats": `"stat"`,
	} {
		got := usage.UnknownCommand(root, given).Error()
		if hint := "did you mean " + want + "?"; strings.Contains(got, "did you mean") != (want != "") || want != "" && !strings.Contains(got, hint) {
			t.Errorf("%q: %s, want %s", given, got, want)
		}
	}
}

// TestParserErrors: each error of the parser is known by its text, in the words of the library that is built in.
func TestParserErrors(t *testing.T) {
	for args, want := range map[string]string{
		"get --durration=1s":       `get: unknown flag --durration (did you mean --duration?); "warp get --help" lists all flags`,
		"get --duration=abc":       `--duration: invalid value "abc" (want a duration such as 30s, 5m or 1h30m)`,
		"get --concurrent=many":    `--concurrent: invalid value "many" (want an integer, or threads over time as in 1..64/5m or 8/1m,16/1m)`,
		"get --seed=-1":            `--seed: invalid value "-1" (want an integer from 0)`,
		"get --rps-limit=fast":     `--rps-limit: invalid value "fast" (want a number)`,
		"get --tls=maybe":          `--tls: invalid value "maybe" (want true or false)`,
		"get --verify=x":           `--verify: invalid value "x" (want true or false)`,
		"get --objects=-1":         `--objects: invalid value "-1" (want an integer from 0)`,
		"cmp --threshold=x":        `--threshold: invalid value "x" (want a percentage such as 3 or 3%)`,
		"get --objects":            `--objects: missing value (write --objects=VALUE)`,
		"--host=x get":             `unknown flag --host before the command (write "warp COMMAND --host")`,
		"gett --duration":          `unknown command "gett" (did you mean "get"?); "warp help" lists all commands`,
		"get more":                 `get: unexpected argument "more"`,
		"get --obj.size=1 -xyz=1":  `get: unknown flag --xyz; "warp get --help" lists all flags`,
		"analyze --benchdata=file": `analyze: unknown flag --benchdata; "warp analyze --help" lists all flags`,
	} {
		env, _ := testEnv(strings.Fields(args)...)
		var printed strings.Builder
		env.Stderr = &printed
		if code := Main(env); code != process.ExitUsage || printed.String() != "warp: "+want+"\n" {
			t.Errorf("warp %s: exit code %d, prints\n%s, want\n%s", args, code, printed.String(), want)
		}
	}
	env, _ := testEnv("get")
	env.Getenv = func(name string) string { return map[string]string{"WARP_TLS": "maybe"}[name] }
	var printed strings.Builder
	env.Stderr = &printed
	if code := Main(env); code != process.ExitUsage || printed.String() != "warp: WARP_TLS: invalid value \"maybe\" (want true or false)\n" {
		t.Errorf("exit code %d, prints\n%s", code, printed.String())
	}
}

func TestVariables(t *testing.T) {
	vars := map[string]string{"WARP_HOST": "h:1", "WARP_REGION": "", "WARP_TLS": "", "WARP_ACCESS_KEY": "a", "WARP_SECRET_KEY": "b"}
	env, _ := testEnv()
	env.Getenv = func(name string) string { return vars[name] }
	plan := func(args ...string) bench.Plan {
		t.Helper()
		b := runs.New(&env, work.Registry()[0])
		c := b.Command()
		env.BindVariables(c.Flags)
		c.Action = func(ctx context.Context, c *cli.Command) error { return b.MakePlan(ctx, c.IsSet) }
		if err := c.Run(context.Background(), append([]string{"warp"}, args...)); err != nil {
			t.Fatal(err)
		}
		return b.Plan
	}
	if p := plan(); p.Target.Hosts[0] != "h:1" || p.Target.TLS || p.Target.AccessKey != "a" || p.Target.SecretKey != "b" {
		t.Errorf("target %+v", p.Target)
	}
	vars["WARP_TLS"], vars["WARP_REGION"] = "true", "moon-1"
	if p := plan("--host=g:2"); p.Target.Hosts[0] != "g:2" || !p.Target.TLS || p.Target.Region != "moon-1" {
		t.Errorf("target %+v", p.Target)
	}
	vars["WARP_TLS"] = "false"
	if p := plan(); p.Target.TLS {
		t.Error("WARP_TLS=false means TLS")
	}
	vars["WARP_HOST"], vars["WARP_ACCESS_KEY"], vars["WARP_SECRET_KEY"] = "", "", ""
	if p := plan(); len(p.Target.Hosts) != 0 {
		t.Errorf("an empty WARP_HOST means %q", p.Target.Hosts)
	}
}

// TestClosedOutput: a closed output needs no message, but it is no success either.
func TestClosedOutput(t *testing.T) {
	env, _ := testEnv("version")
	var said strings.Builder
	env.Stdout, env.Stderr = brokenPipe{}, &said
	if code := Main(env); code != process.ExitFailed || said.String() != "" {
		t.Errorf("code %d, said %q", code, said.String())
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

func TestLinesOfErrors(t *testing.T) {
	if got := process.ErrorLines(errors.Join(errors.New("one"), fmt.Errorf("%s", "two\n\n three\n"))); got != "warp: one\nwarp: two\nwarp: three\n" {
		t.Errorf("lines are %q", got)
	}
}
