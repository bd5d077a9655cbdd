package report

import (
	"slices"
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

// phases prints the section of each phase.
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
}

// section prints a phase.
func (r *textReport) section(s *section) {
	if s.name == op.PhasePrepare {
		for _, g := range slices.DeleteFunc(slices.Clone(s.groups), emptyPreparation) {
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
		r.expectation(e, where)
	}
}

// expectation prints whether an expectation was met.
func (r *textReport) expectation(e *Expectation, where string) {
	color, verdict := r.good, "met"
	switch e.Verdict {
	case gate.Broken:
		color, verdict = r.bad, "not met"
	case gate.Unknown:
		color, verdict = r.bad, "not known"
	}
	r.line(color, "Expected "+e.Rule+where+": "+verdict+" ("+e.Found+")")
}
