package terminal

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// screen is as much of a terminal as the tests need: it shows what a person would see.
type screen struct {
	t        *testing.T
	width    int
	lines    [][]rune
	row, col int
	cursor   bool // shown
	writes   int
	raw      strings.Builder
}

func newScreen(t *testing.T, width int) *screen {
	return &screen{t: t, width: width, lines: [][]rune{nil}, cursor: true}
}

var sequence = regexp.MustCompile(`^\x1b\[(\??)([0-9;]*)([A-Za-z])`)

func (s *screen) Write(b []byte) (int, error) {
	s.writes++
	s.raw.Write(b)
	for text := string(b); text != ""; {
		if m := sequence.FindStringSubmatch(text); m != nil {
			s.control(m[1]+m[3], m[2])
			text = text[len(m[0]):]
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		s.put(r)
	}
	return len(b), nil
}

func (s *screen) put(r rune) {
	switch {
	case r == '\r':
		s.col = 0
	case r == '\n':
		s.row, s.col = s.row+1, 0
		if s.row == len(s.lines) {
			s.lines = append(s.lines, nil)
		}
	case r < ' ':
		s.t.Errorf("control character %q", r)
	default:
		for len(s.lines[s.row]) <= s.col {
			s.lines[s.row] = append(s.lines[s.row], ' ')
		}
		s.lines[s.row][s.col] = r
		s.col++
	}
}

func (s *screen) control(what, arg string) {
	n, _ := strconv.Atoi(arg)
	switch what {
	case "m":
	case "A":
		if s.row -= n; s.row < 0 {
			s.t.Fatal("cursor above the screen")
		}
	case "K":
		s.lines[s.row] = s.lines[s.row][:min(s.col, len(s.lines[s.row]))]
	case "J":
		s.lines[s.row] = s.lines[s.row][:min(s.col, len(s.lines[s.row]))]
		s.lines = s.lines[:s.row+1]
	case "?h", "?l":
		s.cursor = what == "?h"
	default:
		s.t.Errorf("unexpected sequence %q %q", arg, what)
	}
}

// String is the screen, without blanks at the ends of lines.
func (s *screen) String() string {
	var b strings.Builder
	for i, line := range s.lines {
		if i == len(s.lines)-1 && len(line) == 0 {
			break
		}
		if len(line) >= s.width && strings.Contains(string(line), "━") {
			s.t.Errorf("line fills %d of %d columns: %s", len(line), s.width, string(line))
		}
		fmt.Fprintln(&b, strings.TrimRight(string(line), " "))
	}
	return b.String()
}
