package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"warp/pkg/aggregate"
	"warp/pkg/report"
	"warp/pkg/script/convert/shell"
)

// runTable has the figures of a script's runs.
type runTable struct {
	mu   sync.Mutex
	rows []*runRow
}

// runRow is a row of the table: a run.
type runRow struct {
	line    int
	words   []string
	figures *aggregate.Snapshot
}

// row returns what takes the figures of a command line's runs.
func (t *runTable) row(l *shell.Line) func(*aggregate.Snapshot) {
	words := []string{l.Program}
	for _, a := range l.Args {
		words = append(words, a.Text)
	}
	return func(figures *aggregate.Snapshot) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.rows = append(t.rows, &runRow{l.At.Line, words, figures})
	}
}

// printTable prints what the runs have measured, if there are several.
func (s *shellScript) printTable() {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	if len(s.table.rows) < 2 || s.Out.Quiet {
		return
	}
	var list []report.ScriptRun
	for i, name := range runNames(s.table.rows) {
		list = append(list, report.ScriptRun{Name: s.mask(name), Figures: s.table.rows[i].figures})
	}
	width := 0
	if s.Env.TTY {
		width = s.Env.Width()
	}
	_ = report.ScriptRuns(s.Env.Stderr, s.name, list, report.TextOptions{Color: s.Color(s.Env.TTY), Width: width}) // as notes
}

// runNames returns what distinguishes runs: their lines, and of the same line what varies.
func runNames(rows []*runRow) []string {
	names := make([]string, len(rows))
	for i, r := range rows {
		var same []*runRow
		for _, o := range rows {
			if o.line == r.line && len(o.words) == len(r.words) {
				same = append(same, o)
			}
		}
		names[i] = fmt.Sprintf("line %d", r.line)
		if text := varied(r, same); text != "" {
			names[i] += ": " + text
		}
	}
	return names
}

// varied returns the words of a run that others of its line do not have; without those that follow from others, such as names of files,
// if the rest distinguishes the runs as well.
func varied(r *runRow, same []*runRow) string {
	var all []int
	for i := range r.words {
		if slices.ContainsFunc(same, func(o *runRow) bool { return o.words[i] != r.words[i] }) {
			all = append(all, i)
		}
	}
	own := slices.DeleteFunc(slices.Clone(all), func(i int) bool {
		return slices.ContainsFunc(all, func(j int) bool {
			return j != i && !slices.ContainsFunc(same, func(o *runRow) bool {
				value := valueOf(o.words[j])
				return len(value) >= len(valueOf(o.words[i])) || !strings.Contains(o.words[i], value)
			})
		})
	})
	key := func(o *runRow, at []int) (text string) {
		for _, i := range at {
			text += o.words[i] + "\x00"
		}
		return text
	}
	for _, a := range same {
		for _, b := range same {
			if key(a, own) == key(b, own) && key(a, all) != key(b, all) {
				own = all
			}
		}
	}
	var list []string
	for _, i := range own {
		text := r.words[i]
		if i > 0 && strings.HasPrefix(r.words[i-1], "-") && !strings.HasPrefix(text, "-") && !strings.Contains(r.words[i-1], "=") {
			text = r.words[i-1] + " " + text
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

// valueOf returns the value of a word as in --flag=value.
func valueOf(word string) string {
	if _, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(word, "-") {
		return value
	}
	return word
}
