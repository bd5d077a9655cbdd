package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/cli/internal/usage"
	"warp/pkg/bench/work"
)

// allFlags calls f with each flag of each command.
func allFlags(t *testing.T, f func(c *cli.Command, flag usage.HelpFlag)) {
	t.Helper()
	env, _ := testEnv(benchmarks()...)
	n := 0
	commands := root(&env).Commands
	for len(commands) > 0 {
		c := commands[0]
		commands = append(commands[1:], c.Commands...)
		for _, flag := range c.Flags {
			f(c, flag.(usage.HelpFlag))
			n++
		}
	}
	if n < 100*len(work.Registry()) {
		t.Fatalf("%d flags were asked", n)
	}
}

// TestVariableOfEachFlag: each flag has the variable of its name, or none at all; a variable means the same in all commands, and none is one
// that Kubernetes sets.
func TestVariableOfEachFlag(t *testing.T) {
	kubernetes := regexp.MustCompile(`_PORT(_|$)|_SERVICE_`)
	types, excluded := map[string]string{}, map[string]bool{}
	allFlags(t, func(c *cli.Command, flag usage.HelpFlag) {
		name := flag.Names()[0]
		variables := flag.GetEnvVars()
		if len(variables) == 0 {
			excluded[c.FullName()+" --"+name] = true
			return
		}
		if variables[0] != process.VariableOf(name) {
			t.Errorf("%s --%s: the first of its variables is %s", c.FullName(), name, variables[0])
		}
		for _, v := range variables {
			if kubernetes.MatchString(v) {
				t.Errorf("%s --%s: Kubernetes sets %s", c.FullName(), name, v)
			}
			own := fmt.Sprintf("%T", flag.(cli.Flag).Get())
			if known := types[v]; known != "" && known != own {
				t.Errorf("%s --%s is a %s, other flags of %s are %s", c.FullName(), name, own, v, known)
			}
			types[v] = own
		}
	})
	for _, want := range []string{"get --force", "run --allow", "clean --seed", "clean --bucket", "verify --host", "append --access", "contend --keys"} {
		if !excluded[want] {
			t.Errorf("%s has a variable", want)
		}
	}
}

// withVariables runs warp with variables NAME=VALUE and returns what it prints.
func withVariables(t *testing.T, variables []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	env, out := testEnv(args...)
	var printed strings.Builder
	env.Stderr = &printed
	env.Environ = func() []string { return variables }
	env.Getenv = func(name string) string {
		i := slices.IndexFunc(variables, func(v string) bool { return strings.HasPrefix(v, name+"=") })
		if i < 0 {
			return ""
		}
		return variables[i][len(name)+1:]
	}
	code = Main(env)
	return out.String(), printed.String(), code
}

// TestFlagsByVariables: variables set flags of every type, below the command line.
func TestFlagsByVariables(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		variables, args string // separated by blanks; ~ stands for a line break
		want, no        string // of the scenario that is printed
	}{
		{"WARP_OBJ_SIZE=3KiB WARP_DURATION=7s WARP_CONCURRENT=3 WARP_BUCKET=bkt", "put", "size: 3KiB|until: 7s|load: 3|bucket: bkt", ""},
		{"WARP_OBJ_SIZE=3KiB", "put --obj.size=5KiB", "size: 5KiB", "3KiB"},
		{"WARP_AUTOTERM=true WARP_AUTOTERM_PCT=9.5", "get", "steady:|9.5", ""},
		{"WARP_TAG=a=1,b=2", "put", "a=1|b=2", ""},
		{"WARP_TAG=a=1", "put --tag=c=3", "c=3", "a=1"},
		{"WARP_OBJ_GENERATOR=zero", "put", "content: zero", ""},
		{"WARP_PARTS=7", "multipart-put --part.size=5MiB", "parts: 7", ""},
		{"WARP_OVER=obj.size=1KiB,2KiB~threads=1,2", "sweep put", "obj.size|threads|1KiB", ""},
		{"WARP_CONCURRENT=9", "sweep put --over=threads=1,2", "over: [1, 2]", "threads:"},
		{"WARP_ACCESS=zipf WARP_KTLS=false WARP_FULL=1 WARP_QUIET=", "append", "append", "zipf"},
	} {
		args := append(strings.Fields(c.args), "--print-scenario")
		stdout, stderr, code := withVariables(t, strings.Fields(strings.ReplaceAll(c.variables, "~", "\n")), args...)
		if strings.Contains(c.variables, "~") {
			stdout, stderr, code = withVariables(t, []string{strings.ReplaceAll(c.variables, "~", "\n")}, args...)
		}
		if code != process.ExitOK || stderr != "" {
			t.Errorf("%s %s: exit code %d, %s", c.variables, c.args, code, stderr)
		}
		for part := range strings.SplitSeq(c.want, "|") {
			if !strings.Contains(stdout, part) {
				t.Errorf("%s %s: no %q in\n%s", c.variables, c.args, part, stdout)
			}
		}
		if c.no != "" && strings.Contains(stdout, c.no) {
			t.Errorf("%s %s: %q in\n%s", c.variables, c.args, c.no, stdout)
		}
	}
}

// TestMistakesInVariables: an error names the variable, whichever part of warp finds it.
func TestMistakesInVariables(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"WARP_DURATION=soon", "get", `WARP_DURATION: invalid value "soon" (want a duration such as 30s, 5m or 1h30m)`},
		{"WARP_OBJECTS=x", "get", `WARP_OBJECTS: invalid value "x" (want an integer from 0)`},
		{"WARP_TLS=maybe", "get", `WARP_TLS: invalid value "maybe" (want true or false)`},
		{"WARP_HOST= ", "get", `WARP_HOST: invalid value " " (want one or more hosts; without --host, the embedded server is measured)`},
		{"WARP_LOOKUP=up", "get", `WARP_LOOKUP: invalid value "up" (want path or host)`},
		{"WARP_OBJ_SIZE=big", "put", `WARP_OBJ_SIZE: invalid size "big" `},
		{"WARP_OBJ_SIZE=big", "sweep put --over=threads=1,2", `WARP_OBJ_SIZE: invalid size "big" `},
		{"WARP_KTLS=true", "get", "WARP_KTLS: TLS in the kernel is not supported"},
		{"WARP_RDMA=cpu", "append", "WARP_RDMA: RDMA is not supported"},
		{"WARP_ANALYZE_OUT=x.txt", "get", `WARP_ANALYZE_OUT: invalid value "x.txt"`},
		{"WARP_SEED=1", "clean", "clean: want the recording"},
	} {
		_, stderr, code := withVariables(t, strings.Split(c[0], "|"), strings.Fields(c[1])...)
		if code != process.ExitUsage || !strings.Contains(stderr, "warp: "+c[2]) || strings.Count(stderr, "\n") != 1 && c[0] != "WARP_SEED=1" {
			t.Errorf("%s %s: exit code %d, %s", c[0], c[1], code, stderr)
		}
	}
	const token = "CANARY\x01"
	if _, stderr, code := withVariables(t, []string{"WARP_ACCESS_KEY=a", "WARP_SECRET_KEY=" + token}, "get", "--host=h"); code != process.ExitUsage ||
		strings.Contains(stderr, "CANARY") || !strings.Contains(stderr, "WARP_SECRET_KEY: ") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// TestUnreadVariables: what no command reads is told, once, and what another command reads is not.
func TestUnreadVariables(t *testing.T) {
	t.Parallel()
	variables := []string{
		"WARP_OBJ_SIZ=1KiB", "WARP_PARQUET=x.parquet", "WARP_FORCE=true", "WARP_PORT=tcp://h:1", "WARP_VERSION=1", "WARP_TOKEN=t", "WARP_IS_LOCAL_SHELL_SESSION=1",
		"WARP_OPS=5", "WARP_OBJECTS=5", "WARP_OBJ_SIZE=1KiB", "WARP_STRESS=true",
	}
	const want = `The variable WARP_FORCE has no effect: --force is for the command line only.
The variable WARP_OBJ_SIZ has no effect (did you mean WARP_OBJ_SIZE?).
`
	_, stderr, code := withVariables(t, append(variables, "TERM_PROGRAM=WarpTerminal"), "get", "--lookup=up")
	if !strings.HasPrefix(stderr, want+"warp: ") || code != process.ExitUsage {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if _, stderr, _ := withVariables(t, variables, "get", "--lookup=up"); !strings.Contains(stderr, "The variable WARP_IS_LOCAL_SHELL_SESSION has no effect") {
		t.Errorf("no word of WARP_IS_LOCAL_SHELL_SESSION in %s", stderr)
	}
}
