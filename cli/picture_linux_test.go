package cli

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// picture is README's: the report of its first command on a terminal of 80 columns.
const picture = "../docs/report.svg"

// TestPicture: the picture in README has the lines of a report on a terminal. With -update it is drawn anew, which takes five seconds.
func TestPicture(t *testing.T) {
	command := "warp get --obj.size=1MiB --objects=100"
	update := flag.Lookup("update").Value.String() == "true"
	load := "--ops=3000"
	if update {
		load = "--duration=5s"
	}
	_, terminal, shown := fullTerminal(t)
	c := exec.Command("warp", append(strings.Fields(command)[1:], load, "--obj.size=64KiB")...)
	if update {
		c.Args = c.Args[:len(c.Args)-1]
	}
	c.Dir, c.Stdin, c.Stdout = t.TempDir(), terminal, terminal
	c.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "WARP_") || strings.HasPrefix(v, "AWS_") || strings.HasPrefix(v, "NO_COLOR")
	}), "TERM=xterm-256color", "LANG=C.UTF-8")
	var progress bytes.Buffer
	c.Stderr = &progress
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &progress)
	}
	await(t, shown, "Next: ")
	lines := strings.Split(strings.TrimRight(shown.String(), "\r\n"), "\r\n")
	if update {
		text := drawTerminal(append([]string{"$ \x1b[1m" + command + " " + load + "\x1b[0m"}, lines...))
		if err := os.WriteFile(picture, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	drawn, err := os.ReadFile(picture)
	if err != nil {
		t.Fatalf("%v (draw it with -update)", err)
	}
	for _, line := range lines {
		plain := plainText(line)
		first, _, _ := strings.Cut(strings.TrimSpace(plain), " ")
		if !bytes.Contains(drawn, []byte(">"+first)) && !strings.HasPrefix(plain, "Warning") && !strings.HasPrefix(plain, " ") {
			t.Errorf("the picture has no line that begins with %q, as %q does: draw it with -update", first, line)
		}
	}
}

// sgr is a sequence that sets colours.
var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m")

func plainText(line string) string { return sgr.ReplaceAllString(line, "") }

// Cells of the picture, in its units.
const (
	cellWidth  = 8.4
	cellHeight = 19
	margin     = 14
)

// classes are the colours of a terminal by the parameter that sets them.
var classes = map[string]string{
	"1": "b", "2": "dim", "31": "red", "32": "green", "33": "yellow", "34": "blue", "35": "magenta", "36": "cyan",
	"91": "red", "92": "green", "93": "yellow", "94": "blue", "95": "magenta", "96": "cyan",
}

// drawTerminal draws lines with colours as SVG.
func drawTerminal(lines []string) []byte {
	var b bytes.Buffer
	width, height := 80*cellWidth+2*margin, len(lines)*cellHeight+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d">`+"\n", width, height)
	b.WriteString("<style>text{font:14px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d0d7de;white-space:pre}" +
		".b{font-weight:bold;fill:#fff}.dim{fill:#8b949e}.red{fill:#ff7b72}.green{fill:#7ee787}" +
		".yellow{fill:#e3b341}.blue{fill:#79c0ff}.magenta{fill:#d2a8ff}.cyan{fill:#76e3ea}</style>\n")
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>`+"\n")
	for i, line := range lines {
		y := float64(margin) + (float64(i)+0.75)*cellHeight
		column, class := 0, ""
		for line != "" {
			at := sgr.FindStringSubmatchIndex(line)
			text := line
			if at != nil {
				text = line[:at[0]]
			}
			if strings.TrimSpace(text) != "" {
				n := utf8.RuneCountInString(text)
				fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" textLength="%.1f" class="%s" xml:space="preserve">`,
					margin+float64(column)*cellWidth, y, float64(n)*cellWidth, class)
				_ = xml.EscapeText(&b, []byte(text))
				b.WriteString("</text>\n")
			}
			column += utf8.RuneCountInString(text)
			if at == nil {
				break
			}
			class = nextClass(class, line[at[2]:at[3]])
			line = line[at[1]:]
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// nextClass returns the classes of text behind a sequence with these parameters.
func nextClass(class, parameters string) string {
	for p := range strings.SplitSeq(parameters, ";") {
		switch c, known := classes[p]; {
		case known:
			class = strings.TrimSpace(class + " " + c)
		case p == "" || strings.Trim(p, "0") == "" || p == "22" || p == "39":
			class = ""
		}
	}
	return class
}
