package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"warp/pkg/gate"
	"warp/pkg/units"
)

// Of an overview.
const (
	maxWarnings    = 3
	maxVerdicts    = 3
	maxTitleHosts  = 3
	overviewHeight = 23 // lines of a brief overview: a screen of 24 without the next prompt
	maxSegmentRows = 9  // of a brief overview
)

// overview prints what was run, the table of all kinds of operations and of their segments, the verdict, warnings and the next step.
func (r *textReport) overview() {
	if len(r.s.Groups) == 0 && !r.o.Partial {
		r.line(nil, "No operations.")
	}
	segments := r.capture(func() { r.segmentsTable(true) })
	text := r.compose("\n", segments, maxWarnings)
	if r.o.Form == Brief && !fits(text) {
		text = r.squeeze(text, segments, r.capture(func() { r.segmentsTable(false) }), nil)
	}
	r.buf.Write(text)
}

// compose returns the parts of an overview with a gap between them.
func (r *textReport) compose(gap string, segments []byte, warnings int) []byte {
	var parts [][]byte
	for _, part := range [][]byte{
		r.capture(r.about), r.o.Answer, r.capture(r.figuresTable), segments, r.capture(r.histograms),
		r.capture(func() { r.conclusion(warnings) }),
	} {
		if len(part) > 0 {
			parts = append(parts, part)
		}
	}
	return bytes.Join(parts, []byte(gap))
}

// squeeze returns the overview without blank lines and with as many warnings and segments as fit on a screen. If nothing helps, it returns
// the text, which is for scrolling then.
func (r *textReport) squeeze(text []byte, segments ...[]byte) []byte {
	for _, s := range segments {
		for warnings := maxWarnings; warnings >= 0; warnings-- {
			if dense := r.compose("", s, warnings); fits(dense) {
				return dense
			}
		}
	}
	return text
}

// fits reports whether an overview fits on a screen.
func fits(text []byte) bool { return bytes.Count(text, []byte("\n")) <= overviewHeight }

// capture returns what a function prints.
func (r *textReport) capture(write func()) []byte {
	whole := r.buf
	r.buf = bytes.Buffer{}
	write()
	text := r.buf.Bytes()
	r.buf = whole
	return text
}

// about prints what the report is about.
func (r *textReport) about() {
	t := r.o.Title
	if t == nil {
		return
	}
	line := t.Command
	if len(t.Hosts) > 0 {
		shown := maxTitleHosts
		if r.o.Form == Brief {
			shown = 1
		}
		line += " on " + units.List(t.Hosts, shown)
	}
	if t.Bucket != "" {
		line += ", bucket " + t.Bucket
	}
	r.line(r.head, strings.TrimSpace(line))
	items := slices.Clone(t.Shape)
	if t.Length > 0 {
		items = append(items, ran(t.Length))
	}
	if !t.Start.IsZero() {
		items = append(items, t.Start.In(r.o.Location).Format("2006-01-02 15:04:05 MST"))
	}
	if t.Version != "" {
		items = append(items, "warp "+t.Version)
	}
	if len(items) > 0 {
		r.list(nil, "", items)
	}
}

// conclusion prints the verdict, the first warnings and the next step.
func (r *textReport) conclusion(warnings int) {
	if r.o.Verdict != "" {
		r.line(r.title, r.o.Verdict)
	}
	if r.o.Form == Brief {
		r.unmet()
	}
	all := r.allWarnings()
	shown := min(len(all), warnings)
	for _, w := range all[:shown] {
		r.line(r.warn, "Warning: "+w)
	}
	if rest := len(all) - shown; rest > 0 && r.o.Form == Brief {
		more := ""
		if shown > 0 {
			more = "more "
		}
		r.line(r.warn, units.Plural(int64(rest), more+"warning")+": see --report=full")
	}
	if r.o.Next != "" {
		r.line(nil, "Next: "+r.o.Next)
	}
}

// unmet prints the first expectations that were not met.
func (r *textReport) unmet() {
	shown, more := 0, 0
	for i := range r.o.Expected {
		e := &r.o.Expected[i]
		switch {
		case e.Verdict == gate.Held:
		case shown == maxVerdicts:
			more++
		default:
			where := ""
			if e.Stream != "" {
				where = " in " + e.Stream
			}
			r.expectation(e, where)
			shown++
		}
	}
	if more > 0 {
		r.line(r.bad, fmt.Sprintf("%d more expectations not met", more))
	}
}

// allWarnings returns all warnings, first those about the run.
func (r *textReport) allWarnings() (list []string) {
	for _, w := range slices.Concat(r.o.Warnings, r.s.Warnings) {
		list = append(list, strings.TrimSpace(w))
	}
	return list
}
