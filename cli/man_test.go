package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/cli/internal/usage"
	"warp/internal/testkit"
)

// TestManPages writes all pages: each command and each visible flag is there, and no text is taken for a request.
func TestManPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	env, _ := testEnv("man", dir)
	if code := Main(env); code != process.ExitOK {
		t.Fatalf("exit code %d", code)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	testkit.Golden(t, "testdata/help/warp-merge.1", read("warp-merge.1"))
	all, _ := testEnv(benchmarks()...)
	var check func(name string, c *cli.Command)
	check = func(name string, c *cli.Command) {
		if c.Hidden {
			return
		}
		text := read(name + ".1")
		for _, f := range c.Flags {
			if h, ok := f.(usage.HelpFlag); ok && h.IsVisible() && h.GetCategory() != "" && !strings.Contains(text, `.B "`+usage.Roff("--"+h.Names()[0])) {
				t.Errorf("%s lacks --%s", name, h.Names()[0])
			}
		}
		for line := range strings.Lines(text) {
			if macro, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); strings.HasPrefix(line, ".") && !strings.Contains(" .TH .SH .SS .PP .TP .B .EX .EE ", " "+macro+" ") {
				t.Errorf("%s: unknown request %q", name, line)
			}
		}
		for _, sub := range usage.PagedCommands(c) {
			check(name+"-"+sub.Name, sub)
		}
	}
	r := root(&all)
	for _, c := range r.Commands {
		check("warp-"+c.Name, c)
		if !c.Hidden && !strings.Contains(read("warp.1"), usage.Roff("warp-"+c.Name+"(1)")) {
			t.Errorf("warp.1 lacks %s", c.Name)
		}
	}
	checkSections(t, read("warp.1"))
	if _, err := exec.LookPath("groff"); err != nil {
		return // a formatter is looked for only where there is one
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*.1"))
	if out, err := exec.Command("groff", append([]string{"-man", "-Tutf8", "-ww", "-z"}, names...)...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("groff: %v\n%s", err, out)
	}
}

// checkSections looks for the sections of warp(1), each heading once.
func checkSections(t *testing.T, page string) {
	t.Helper()
	found := map[string]int{}
	for line := range strings.Lines(page) {
		if heading, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), ".S"); ok {
			found[heading]++
			if found[heading] > 1 {
				t.Errorf("warp.1 has the heading %q twice", heading)
			}
		}
	}
	for _, section := range []string{"COMMANDS", "EXAMPLES", "ENVIRONMENT", "FILES", "EXIT STATUS", "SEE ALSO"} {
		if found[`H "`+section+`"`] != 1 {
			t.Errorf("warp.1 lacks the section %s", section)
		}
	}
}

func TestManWithoutDirectory(t *testing.T) {
	env, _ := testEnv("man")
	if code := Main(env); code != process.ExitUsage {
		t.Errorf("exit code %d, want %d", code, process.ExitUsage)
	}
}
