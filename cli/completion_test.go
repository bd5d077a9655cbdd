package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/usage"
)

// completed returns what warp offers in place of the last word.
func completed(t *testing.T, words ...string) (candidates []string) {
	t.Helper()
	env, out := testEnv(append(slices.Clone(words), "--generate-shell-completion")...)
	if code := Main(env); code != process.ExitOK {
		t.Errorf("%q: exit code %d", words, code)
	}
	for line := range strings.Lines(out.String()) {
		candidate, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if strings.ContainsAny(text, "`\t\u00a0") {
			t.Errorf("%q: markup in %q", words, line)
		}
		candidates = append(candidates, candidate)
	}
	return candidates
}

func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"sea":                                   "search",
		"search ge":                             "get",
		"help sea":                              "search",
		"help ra":                               "rate range",
		"help search g":                         "get",
		"help rate ":                            "",
		"get ":                                  "",
		"get --eng":                             "--engine=",
		"get --no-c":                            "--no-color",
		"get --engine=":                         "--engine=auto --engine=lean --engine=std",
		"get --engine s":                        "std",
		"get --tls --host-select=ro":            "--host-select=roundrobin",
		"get --preflight=":                      "--preflight=on --preflight=off",
		"get --duration=":                       "",
		"get --serverprof=cpu,m":                "--serverprof=cpu,mem --serverprof=cpu,mutex",
		"get --serverprof=mem,m":                "--serverprof=mem,mutex",
		"get --tls=":                            "--tls=true --tls=false",
		"analyze --analyze.op=st":               "--analyze.op=STAT",
		"analyze --analyze.window=":             "--analyze.window=active --analyze.window=classic",
		"search put --control=":                 "--control=rate --control=threads",
		"search put --slo=err":                  "--slo=errors<0.1%",
		"replay --missing=":                     "--missing=create --missing=skip --missing=expect",
		"trace --out=a --names ":                "keep hash-dirs",
		"run ":                                  ":files",
		"run -- --":                             ":files",
		"analyze a":                             ":files",
		"get --html=":                           ":files",
		"get --html ":                           ":files",
		"run --allow=":                          "--allow=exec --allow=files",
		"trace --only=GET,put":                  "--only=GET,PUT --only=GET,PUTPART",
		"completion ":                           "bash zsh fish pwsh",
		"script f":                              "fmt",
		"get --range --obj.c":                   "--obj.content=",
		"run --script x --from=hs":              "--from=hsbench",
		"get --access=zipf":                     "--access=zipf(0.99)",
		"get --host=http://127.0.0.1:9000 --ui": "--ui=",
	} {
		words := strings.Split(line, " ")
		if got := strings.Join(completed(t, words...), " "); got != want {
			t.Errorf("warp %s: offers %q, want %q", line, got, want)
		}
	}
}

// TestCompletionOfFlags: each flag in the help of a command is offered, and so is each value that a flag takes.
func TestCompletionOfFlags(t *testing.T) {
	env, _ := testEnv(benchmarks()...)
	for _, c := range root(&env).Commands {
		if c.Hidden || len(c.Commands) > 0 {
			continue
		}
		offered := completed(t, c.Name, "--")
		for _, f := range c.Flags {
			h, ok := f.(usage.HelpFlag)
			if !ok || !h.IsVisible() || h.GetCategory() == "" {
				continue
			}
			name := "--" + f.Names()[0]
			if !slices.Contains(offered, name) && !slices.Contains(offered, name+"=") {
				t.Errorf("%s: %s is not offered", c.Name, name)
			}
			if values, _ := flags.Values(f); len(values) > 0 && len(completed(t, c.Name, name+"=")) != len(values) {
				t.Errorf("%s: %s has the values %q, and not all are offered", c.Name, name, values)
			}
		}
	}
}

// inShell returns the completions that a shell offers for a line. The file report.html is in the working directory.
func inShell(t *testing.T, shell, line string) []string {
	t.Helper()
	script := "eval \"$(warp completion bash)\"; COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9; _warp; printf '%s\\n' \"${COMPREPLY[@]}\""
	args := []string{"--norc", "-c", script, "bash", line}
	if shell == "fish" {
		args = []string{"--no-config", "-c", "warp completion fish | source; complete -C $argv[1] | string replace -r '\\t.*' ''; true", line}
	}
	c := exec.Command(shell, args...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// TestCompletionInShells has the shells that are there complete lines. Bash breaks words at = and :, and replaces the last piece only.
func TestCompletionInShells(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("report.html", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []struct{ typed, bash, fish string }{
		{"warp sea", "search ", "search"},
		{"warp help search ge", "get ", "get"},
		{"warp get --eng", "--engine=", "--engine="},
		{"warp get --engine=le", "lean ", "--engine=lean"},
		{"warp get --engine le", "lean ", "lean"},
		{"warp get --tls --html=rep", "report.html", "--html=report.html"},
		{"warp get --html rep", "report.html", "report.html"},
		{"warp get --access=hot(10%,90%)", `hot\(10%\,90%\) `, ""},
		{"warp search get --slo='err", "errors<0.1%", ""},
		{"warp get --html=/nonexistent/", "", ""},
	} {
		for shell, want := range map[string]string{"bash": line.bash, "fish": line.fish} {
			if _, err := exec.LookPath(shell); err != nil || shell == "fish" && want == "" {
				continue
			}
			if got := strings.Join(inShell(t, shell, line.typed), "|"); got != want {
				t.Errorf("%s: %q: %q, want %q", shell, line.typed, got, want)
			}
		}
	}
}

// TestCompletionScriptsParse has each shell that is there read its script.
func TestCompletionScriptsParse(t *testing.T) {
	for _, shell := range usage.Shells {
		if _, err := exec.LookPath(shell); err != nil || shell == "pwsh" {
			continue
		}
		path := filepath.Join(t.TempDir(), shell)
		if err := os.WriteFile(path, []byte(usage.CompletionScript(shell)), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(shell, "-n", path).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", shell, err, out)
		}
	}
}
