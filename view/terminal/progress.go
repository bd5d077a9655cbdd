// Package terminal shows a person how a run is getting on, and takes the one key that ends it.
//
// Progress has three forms, chosen by New: a bar and live figures on a terminal, a line now and then on a pipe, nothing
// but messages with --quiet. None starts a goroutine: the runner of the benchmark calls Update two to four times a
// second. All of them write to the writer that they were given, which is standard error; standard output belongs to the
// report.
//
// What they print: names of stages start with a capital, lines end without a full stop, figures have the
// forms of package units. Nothing but the terminal form prints control characters.
package terminal

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"warp/pkg/units"
)

// Stage is a part of a run: preparing, the benchmark, the clean-up.
type Stage struct {
	Name     string
	Phases   []string      // titles of all phases of the run, if it is one of several
	Phase    int           // its index among them
	Total    int64         // objects to be done; 0: not known
	Noun     string        // what Total counts; empty: objects
	Warmup   time.Duration // at its beginning
	Duration time.Duration // how long it is to last after that; 0: until it is done
	Start    time.Time     // when it is to start, if that was agreed on; zero: at once
}

// Update is where a stage stands. Rates and latencies are of the last moments.
type Update struct {
	Done        int64         // objects or operations, of Stage.Total
	Elapsed     time.Duration // since the start of the stage; negative before it
	Ops         int64         // operations so far, failed ones too
	Errors      int64         // failed ones among them
	Resent      int64         // those with a request that was sent again, since the server had closed its connection
	Threads     int           // at work, if their number changes; 0: it does not
	BytesPerSec float64
	ObjPerSec   float64
	P50, P99    time.Duration // 0: not known
	Kinds       []Kind        // by type of operation, where there are several
}

// Kind is an Update of one type of operation.
type Kind struct {
	Name        string
	Errors      int64
	BytesPerSec float64
	ObjPerSec   float64
	P50, P99    time.Duration // 0: not known
}

// Progress shows the stages of a run. Its methods may be called from several goroutines. Errors of writing are dropped:
// a run does not end because nobody can watch it.
type Progress interface {
	// Stage ends the stage before, if there is one, and begins s.
	Stage(s Stage)
	// Update shows where the stage stands.
	Update(u Update)
	// Message prints a notice or warning, apart from what moves.
	Message(text string)
	// Close ends the last stage and leaves the terminal as it was. Close may be called again.
	Close()
}

// Options says which form of Progress to show.
type Options struct {
	Terminal bool       // the writer is a terminal that understands ANSI sequences
	Quiet    bool       // show nothing but messages
	Color    bool       // on a terminal
	ASCII    bool       // draw the bar in ASCII, for a terminal without UTF-8
	Width    func() int // columns of the terminal
	Guard    *Guard     // of the terminal; may be nil
}

// New gives the form of Progress that o asks for.
func New(w io.Writer, o Options) Progress {
	switch {
	case o.Quiet:
		return &quiet{plain{w: w}}
	case o.Terminal:
		return newTerminal(w, o)
	}
	return &plain{w: w}
}

// quiet shows nothing but messages. The caller sends only those that matter.
type quiet struct{ plain }

func (*quiet) Stage(Stage)   {}
func (*quiet) Update(Update) {}
func (*quiet) Close()        {}

// Current is the stage that is being shown.
type Current struct {
	Stage
	Last   Update
	active bool
}

// Fraction is how much of the stage is done, 0 to 1, by time or by objects, whichever is nearer to its end: a stage with
// both ends with the first. Not known without either.
func (c *Current) Fraction() (f float64, known bool) {
	if c.Duration > 0 {
		f, known = float64(c.Last.Elapsed)/float64(c.Warmup+c.Duration), true
	}
	if c.Total > 0 {
		f, known = max(f, float64(c.Last.Done)/float64(c.Total)), true
	}
	return min(max(f, 0), 1), known
}

// Remaining says how much longer the stage will take, as far as that is known.
func (c *Current) Remaining() string {
	u := &c.Last
	if u.Elapsed < 0 {
		return "starts in " + units.Seconds(-u.Elapsed)
	}
	if u.Elapsed < c.Warmup {
		return "warm-up, " + units.Seconds(c.Warmup-u.Elapsed) + " left of it"
	}
	if f, known := c.Fraction(); known && f >= 1 {
		return "finishing"
	}
	left, known := time.Duration(0), false
	if c.Duration > 0 {
		left, known = c.Warmup+c.Duration-u.Elapsed, true
	}
	if measured := u.Elapsed - c.Warmup; c.Total > 0 && u.Done > 0 && measured > 0 {
		byCount := time.Duration(float64(measured) * float64(c.Total-u.Done) / float64(u.Done))
		if !known || byCount < left {
			left, known = byCount, true
		}
	}
	if !known {
		return ""
	}
	return units.Seconds(left) + " left"
}

// Amount is how much was done, in the terms of the stage: "26519 operations", "1050 of 2500 objects".
func (c *Current) Amount() string {
	u := &c.Last
	switch {
	case c.Duration > 0:
		return units.Plural(max(u.Ops, u.Done), "operation") // statistics arrive later than operations end
	case c.Total > 0 && u.Done < c.Total:
		return fmt.Sprintf("%d of %s", u.Done, units.Plural(c.Total, c.noun()))
	}
	return units.Plural(u.Done, c.noun())
}

func (s *Stage) noun() string { return cmp.Or(s.Noun, "object") }

// Summary is the line that stays when the stage is over.
func (c *Current) Summary() string {
	u := &c.Last
	if u.Elapsed <= 0 {
		return c.Title() + ": done"
	}
	amount := c.Amount()
	if u.Done == 0 && c.Total == 0 && c.Noun == "" {
		amount = "done"
	}
	text := c.Title() + ": " + amount + " in " + units.Duration(u.Elapsed)
	if u.Errors > 0 {
		text += ", " + units.Plural(u.Errors, "error")
	}
	if u.Resent > 0 {
		text += fmt.Sprintf(", %d resent", u.Resent)
	}
	return text
}

// PhaseList lists the phases of the run in at most a number of columns, with the present one in brackets; empty without any.
func (c *Current) PhaseList(width int) string {
	if len(c.Phases) == 0 {
		return ""
	}
	head := fmt.Sprintf("Phase %d of %d: ", c.Phase+1, len(c.Phases))
	for from := 0; ; from++ {
		names := make([]string, 0, len(c.Phases)-from+1)
		if from > 0 {
			names = append(names, "...")
		}
		for i := from; i < len(c.Phases); i++ {
			name := units.Line(c.Phases[i])
			if i == c.Phase {
				name = "[" + name + "]"
			}
			names = append(names, name)
		}
		text := head + strings.Join(names, ", ")
		if from >= c.Phase || Cells(text) <= width {
			return Shorten(text, width)
		}
	}
}

// Title is the name of the stage on one line.
func (c *Current) Title() string { return units.Line(c.Name) }

// threads says how many threads are at work; empty if their number does not change.
func (u *Update) threads() string {
	if u.Threads == 0 {
		return ""
	}
	return units.Plural(int64(u.Threads), "thread")
}

// Fold breaks lines that are wider than width columns at blanks, so that the terminal does not break them inside a word.
func Fold(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		used := 0
		for i, word := range strings.Split(line, " ") {
			wide := Cells(word)
			switch {
			case i == 0:
			case used+1+wide > width:
				b.WriteByte('\n')
				used = 0
			default:
				b.WriteByte(' ')
				used++
			}
			b.WriteString(word)
			used += wide
		}
	}
	return b.String()
}

// message cleans a text that may have several lines.
func message(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range lines {
		lines[i] = units.Line(lines[i])
	}
	return strings.Join(lines, "\n") + "\n"
}
