package cli

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/cli/internal/usage"
	"warp/internal/testkit"
	"warp/pkg/bench/work"
)

// testEnv is a process without any surroundings.
func testEnv(args ...string) (e process.Env, out *bytes.Buffer) {
	out = &bytes.Buffer{}
	return process.Env{
		Args: append([]string{"warp"}, args...), Stdin: strings.NewReader(""), Stdout: out, Stderr: io.Discard,
		Getenv: func(string) string { return "" }, Width: func() int { return 80 }, Signals: make(chan os.Signal), Exit: func(int) { panic("exit") },
	}, out
}

// benchmarks are the names of all benchmarks: arguments with which root makes them with their flags.
func benchmarks() (names []string) {
	for _, info := range work.Registry() {
		names = append(names, info.Name)
	}
	return names
}

func TestHelp(t *testing.T) {
	for _, line := range []string{
		"", "get", "mixed", "delete", "analyze", "cmp", "merge", "clean", "doctor", "trace", "replay", "script", "script convert", "search",
		"search put", "sweep", "sweep get", "baseline", "serve", "client", "run",
	} {
		t.Run(line, func(t *testing.T) {
			checkHelp(t, cmp.Or(line, "warp"), append(strings.Fields(line), "--help"))
			if slices.Contains([]string{"get", "mixed", "analyze", "search put"}, line) {
				checkHelp(t, line+" -h", append(strings.Fields(line), "-h"))
			}
		})
	}
}

// checkHelp compares help with a golden file, and checks its form.
func checkHelp(t *testing.T, name string, args []string) {
	t.Helper()
	env, out := testEnv(args...)
	if code := Main(env); code != process.ExitOK {
		t.Errorf("exit code %d", code)
	}
	testkit.Golden(t, "testdata/help/"+name+".txt", out.String())
	headings := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSuffix(line, "\n")
		if tooWide(line, 80) {
			t.Errorf("longer than 80 characters: %q", line)
		}
		if strings.HasSuffix(line, " ") {
			t.Errorf("blanks at the end of %q", line)
		}
		if strings.HasSuffix(line, ":") && !strings.HasPrefix(line, " ") {
			if headings[line] {
				t.Errorf("the heading %q is there twice", line)
			}
			headings[line] = true
		}
	}
}

// tooWide reports whether a line of help is wider than the terminal. An example is one line, so that it can be copied.
func tooWide(line string, width int) bool {
	return utf8.RuneCountInString(line) > width && !strings.HasPrefix(line, "  warp ")
}

// TestHelpFitsTheTerminal: help has the width of the terminal, within reason, and the same words at any.
func TestHelpFitsTheTerminal(t *testing.T) {
	words := ""
	for _, width := range []int{0, 50, 60, 80, 100, 200} {
		env, out := testEnv("search", "get", "--help")
		env.Width = func() int { return width }
		Main(env)
		longest := 0
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			if tooWide(line, max(width, usage.MinWidth)) && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("%d columns: %q", width, line)
			}
			if !strings.HasPrefix(line, "  warp ") {
				longest = max(longest, utf8.RuneCountInString(line))
			}
		}
		if longest > usage.MaxWidth || width == 200 && longest < usage.MaxWidth-10 {
			t.Errorf("%d columns: the longest line has %d", width, longest)
		}
		got := strings.Join(strings.Fields(out.String()), " ")
		if words != "" && got != words {
			t.Errorf("%d columns: other words than before", width)
		}
		words = got
	}
}

// TestShortHelp: -h lists about a dozen flags, and the tables of first flags name none that their command lacks.
func TestShortHelp(t *testing.T) {
	env, _ := testEnv(append(benchmarks(), "search", "sweep")...)
	var walk func(c *cli.Command)
	walk = func(c *cli.Command) {
		first := usage.First(c)
		if n := len(first); n != 0 && n < 5 || n > 20 {
			t.Errorf("%s: %d flags", c.FullName(), n)
		}
		var names []string
		for _, f := range first {
			names = append(names, f.Names()[0])
		}
		for _, name := range usage.OwnFirst(c.Name) {
			if len(c.Commands) == 0 && len(names) > 0 && !slices.Contains(names, name) {
				t.Errorf("%s: no --%s", c.FullName(), name)
			}
		}
		for _, sub := range c.Commands {
			walk(sub)
		}
	}
	for _, c := range root(&env).Commands {
		walk(c)
	}
}

// TestFlagTexts: what help says about a flag is one line, and each flag that the text about a command names is one of its flags.
func TestFlagTexts(t *testing.T) {
	env, _ := testEnv(append(benchmarks(), "search", "sweep")...)
	named := regexp.MustCompile(`--[a-z][a-z0-9.-]*[a-z0-9]`)
	var walk func(c *cli.Command)
	walk = func(c *cli.Command) {
		has := []string{"--help"}
		for _, f := range c.Flags {
			has = append(has, "--"+f.Names()[0])
			h, ok := f.(usage.HelpFlag)
			if !ok || !h.IsVisible() {
				continue
			}
			text := h.GetUsage()
			if _, after, metavariable := strings.Cut(strings.TrimPrefix(text, "`"), "` "); metavariable {
				text = after
			}
			if n := utf8.RuneCountInString(text); n > 80 || strings.Contains(text, "\n") {
				t.Errorf("%s --%s: %d characters (want at most 80; grammar goes into a topic): %q", c.FullName(), f.Names()[0], n, text)
			}
		}
		for _, sub := range c.Commands {
			walk(sub)
			for _, f := range sub.Flags {
				has = append(has, "--"+f.Names()[0])
			}
		}
		_, isOperation := work.Lookup(c.Name)
		for _, flag := range named.FindAllString(c.Description, -1) {
			if !slices.Contains(has, flag) && !strings.Contains(c.Description, flag+"\"") && isOperation {
				t.Errorf("%s: the description names %s, which it lacks", c.FullName(), flag)
			}
		}
	}
	for _, c := range root(&env).Commands {
		walk(c)
	}
}

func TestTopics(t *testing.T) {
	for _, topic := range usage.Topics {
		env, out := testEnv("help", topic.Name)
		if code := Main(env); code != process.ExitOK {
			t.Errorf("warp help %s: exit code %d", topic.Name, code)
		}
		testkit.Golden(t, "testdata/help/topic "+topic.Name+".txt", out.String())
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(line); n > 80+1 && !strings.HasPrefix(line, "  warp ") {
				t.Errorf("%d characters: %q", n, line)
			}
		}
	}
}

// TestWaysToHelp: there are several ways to the same help, all with exit code 0.
func TestWaysToHelp(t *testing.T) {
	for file, ways := range map[string][]string{
		"warp":       {"", "help", "-h", "--help"},
		"get":        {"get --help", "get -help", "help get", "--help get", "get --duration=1s --help"},
		"get -h":     {"get -h", "get --duration=1s -h"},
		"search put": {"search put --help", "help search put"},
	} {
		want, err := os.ReadFile("testdata/help/" + file + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range ways {
			env, out := testEnv(strings.Fields(way)...)
			if code := Main(env); code != process.ExitOK || out.String() != string(want) {
				t.Errorf("warp %s: exit code %d, prints\n%s", way, code, out)
			}
		}
	}
}

func TestVersionAndCompletion(t *testing.T) {
	for args, want := range map[string]string{
		"version":                               "warp version ",
		"--version":                             "warp version ",
		"-v":                                    "warp version ",
		"completion bash":                       "complete -o nospace -F _warp warp",
		"completion zsh":                        "#compdef warp",
		"completion fish":                       "complete -c warp",
		"completion pwsh":                       "Register-ArgumentCompleter",
		"get --dur --generate-shell-completion": "--duration",
	} {
		env, out := testEnv(strings.Fields(args)...)
		if code := Main(env); code != process.ExitOK || !strings.Contains(out.String(), want) {
			t.Errorf("warp %s: exit code %d, prints\n%s", args, code, out)
		}
	}
}
