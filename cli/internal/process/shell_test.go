package process

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"warp/pkg/runinfo"

	"warp/internal/clock"
)

// Commands in messages are pasted: each word must come out of a shell as it went in.
func TestShellWordsComeOutOfShells(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such shells")
	}
	words := []string{
		"", "plain", "a b", "warp-get-2026-11-21[101500]-Xk3f.csv.zst", "it's", "'", "''", `back\slash`, `end\`, `\'`, `"double"`, "$HOME", "`id`", "$(id)",
		"!history", "~", "~root", "*", "?", "#no-comment", "a;b", "a&b", "a|b", "<in", ">out", "{a,b}", "=ls", "%self", "^", "line\nbreak", "--prefix=a b",
		"--prefix=~", "--prefix=", "--a b=c", "\u00fcml\u00e4ut", "tab\there", "a=b",
	}
	for _, shell := range []string{"sh", "bash", "dash", "zsh", "fish"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			if shell == "sh" {
				t.Fatal(err)
			}
			continue
		}
		for _, word := range words {
			out, err := exec.Command(path, "-c", "printf '<%s>' "+ShellCommand(word, word)).CombinedOutput()
			if want := "<" + word + "><" + word + ">"; err != nil || string(out) != want {
				t.Errorf("%s, %q as %s: %q, %v", shell, word, shellWord(word), out, err)
			}
		}
	}
}

func TestDefaultNameNeedsNoQuotes(t *testing.T) {
	name := runinfo.BaseName("search-get", runinfo.NewID(), clock.Now()) + runinfo.Suffix
	if word := shellWord(name); word != name {
		t.Errorf("the default name of a recording is %s in a shell", word)
	}
	if got := ShellFile("-name.csv.zst"); got != "./-name.csv.zst" {
		t.Errorf("a file that begins with a dash: %s", got)
	}
	if strings.HasPrefix(ShellFile("name"), ".") {
		t.Error("a plain name is kept")
	}
}
