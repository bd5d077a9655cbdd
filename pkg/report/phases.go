package report

import (
	"slices"
	"strconv"
	"strings"

	"warp/pkg/aggregate"
	"warp/pkg/gate"
	"warp/pkg/op"
	"warp/pkg/units"
)

// section is a phase of a report: its kinds of operations, and their total.
type section struct {
	name       string
	groups     []*aggregate.Group
	total      *aggregate.Group // nil: there is only one kind
	concurrent *aggregate.Group // the total of this phase and others at the same time; only the last of these phases has it
}

// sections returns the phases of a snapshot in order of their starts. Phases that ran in parallel are next to each other.
func sections(s *aggregate.Snapshot) (list []*section) {
	find := func(name string) *section {
		i := slices.IndexFunc(list, func(s *section) bool { return s.name == name })
		if i < 0 {
			return nil
		}
		return list[i]
	}
	for _, g := range s.Groups {
		at := find(g.Phase)
		if at == nil {
			at = &section{name: g.Phase}
			list = append(list, at)
		}
		at.groups = append(at.groups, g)
	}
	for _, t := range s.Totals {
		if !t.Combined() {
			if at := find(t.Phase); at != nil {
				at.total = t
			}
			continue
		}
		var side []*section
		for _, name := range t.Streams {
			if at := find(name); at != nil {
				side = append(side, at)
			}
		}
		if len(side) == 0 {
			continue
		}
		first := slices.IndexFunc(list, func(s *section) bool { return slices.Contains(side, s) })
		slices.SortFunc(side, func(a, b *section) int { return slices.Index(list, a) - slices.Index(list, b) })
		list = slices.DeleteFunc(list, func(s *section) bool { return slices.Contains(side, s) })
		list = slices.Insert(list, first, side...)
		side[len(side)-1].concurrent = t
	}
	return list
}

// phaseRule is printed above each phase.
var phaseRule = strings.ReplaceAll(rule, "-", "=")

// maxSections is the maximum number of phases with sections; with more, only Verbose prints sections.
const maxSections = 12

// phases prints the section of each phase, and the table of all.
func (r *textReport) phases() {
	list := sections(r.s)
	if len(list) <= maxSections || r.o.Verbose {
		for _, s := range list {
			r.section(s)
		}
	} else {
		for _, s := range list {
			r.verdicts(s.name, " in "+s.name)
		}
		r.line(nil, units.Plural(int64(len(list)), "phase")+": --analyze.v prints a section for each")
		r.blank()
	}
	named := map[string]bool{}
	for i := range r.o.Expected { // of points of a sweep, and of phases that never began
		name := r.o.Expected[i].Stream
		if !named[name] && !slices.ContainsFunc(list, func(s *section) bool { return s.name == name }) {
			r.verdicts(name, " in "+name)
		}
		named[name] = true
	}
	r.phaseTable(list)
}

// section prints a phase.
func (r *textReport) section(s *section) {
	if s.name == op.PhasePrepare {
		for _, g := range s.groups {
			r.preparation(g)
			r.blank()
		}
		return
	}
	r.emit(r.head, phaseRule)
	r.line(r.head, "Phase: "+s.name)
	for i, g := range s.groups {
		if i > 0 {
			r.blank()
			r.emit(r.head, rule)
		}
		r.group(g)
	}
	if s.total != nil {
		r.blank()
		r.emit(r.head, rule)
		r.total(s.total)
	}
	r.verdicts(s.name, "")
	r.blank()
	if s.concurrent != nil {
		r.emit(r.head, phaseRule)
		r.total(s.concurrent)
		r.blank()
	}
}

// verdicts prints which expectations of a stream were met; where names it, if nothing else does.
func (r *textReport) verdicts(stream, where string) {
	first := true
	for i := range r.o.Expected {
		e := &r.o.Expected[i]
		if e.Stream != stream {
			continue
		}
		if first {
			r.blank()
			first = false
		}
		color, verdict := r.good, "met"
		switch e.Verdict {
		case gate.Broken:
			color, verdict = r.bad, "not met"
		case gate.Unknown:
			color, verdict = r.bad, "not known"
		}
		r.line(color, "Expected "+e.Rule+where+": "+verdict+" ("+e.Found+")")
	}
}

// phaseTable prints a line for each kind of operation of each phase.
func (r *textReport) phaseTable(list []*section) {
	rows := [][]string{{"Phase", "Operation", "Count", "Errors", "MiB/s", "obj/s", "50%", "99%"}}
	for _, s := range list {
		groups := s.groups
		if s.total != nil {
			groups = append(groups[:len(groups):len(groups)], s.total)
		}
		if s.name == op.PhasePrepare {
			continue
		}
		for i, g := range groups {
			name := s.name
			if i > 0 {
				name = ""
			}
			rows = append(rows, phaseRow(name, g))
		}
		if s.concurrent != nil {
			rows = append(rows, phaseRow(s.concurrent.Phase, s.concurrent))
		}
	}
	dropColumns(rows, r.width, "50%", "Count", "MiB/s", "Errors", "99%")
	r.table(rows, func(column int) bool { return column < 2 })
}

// phaseRow returns the cells of a kind of operation, or of a total.
func phaseRow(name string, g *aggregate.Group) []string {
	row := []string{
		units.Line(name), units.Line(string(g.Kind)), strconv.FormatInt(g.Requests, 10), strconv.FormatInt(g.Errors, 10),
		missing, missing, missing, missing,
	}
	if g.Kind == "" {
		row[1] = "total"
	}
	if g.Window.Duration() <= 0 {
		return row
	}
	v := partRate(&g.Part, g.Window)
	if g.MovesBytes() {
		row[4] = units.MiBs(v.bytes, 2)
	}
	if g.CountsObjects() {
		row[5] = units.PerSecond(v.objects)
	}
	for i, p := range []float64{50, 99} {
		if g.Kind == "" || g.Latency.Count() == 0 {
			break
		}
		if value, enough := g.Latency.Percentile(p); enough {
			row[6+i] = duration(value)
		}
	}
	return row
}
