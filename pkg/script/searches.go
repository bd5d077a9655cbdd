package script

import (
	"time"

	"warp/pkg/bench"
	"warp/pkg/load"
	"warp/pkg/search"
)

// Of a search that the file does not state otherwise.
const (
	searchInflight = "64"
	searchBudget   = 20 * time.Minute
)

// searchOf takes what makes a phase a search out of its load, and returns it; nil: the phase is none.
func searchOf(s *setter, ph *Phase, l *Load, path string) *bench.Search {
	if l.Search.IsZero() {
		return nil
	}
	out := &bench.Search{Config: search.Config{Budget: searchBudget}}
	control, _ := s.text(l.Search, path+".load.search")
	out.Control = search.Control(control)
	var texts []string
	for i, v := range l.SLO {
		if text, ok := s.text(v, indexed(path+".load.slo", i)); ok {
			texts = append(texts, text)
		}
	}
	var err error
	at := place{l.Search.Pos, path + ".load.slo"}
	if len(l.SLO) == 0 {
		s.add(at.pos, at.path, "no objective (want one like p99<50ms)")
	} else {
		at.pos = l.SLO[0].Pos
	}
	out.Objectives, err = search.ParseObjectives(texts...)
	s.report(err, map[string]place{"slo": at}, at.pos, at.path)
	if arrivals, ok := s.text(l.Arrivals, path+".load.arrivals"); ok && arrivals != string(load.Even) {
		out.Arrivals = load.Arrivals(arrivals)
	}
	for _, d := range []struct {
		v  Value
		to *time.Duration
		at string
	}{{l.Budget, &out.Budget, "budget"}, {l.Trial, &out.Trial, "trial"}} {
		text, ok := s.text(d.v, path+".load."+d.at)
		if !ok {
			continue
		}
		if *d.to, err = time.ParseDuration(text); err != nil {
			s.add(d.v.Pos, path+".load."+d.at, "invalid value %q (want a duration as in 10m)", text)
		}
	}
	strict, _ := s.text(l.Strict, path+".load.strict")
	confirm, _ := s.text(l.Confirm, path+".load.confirm")
	out.Strict, out.Confirm = strict == "true", confirm != "false"
	if len(ph.Expect) > 0 {
		s.add(ph.Expect[0].Pos, path+".expect", "rules do not apply to the trials of a search (want --fail-if=%q)", "search.rate<4000/s")
	}
	if (ph.Until != Until{}) || !ph.Warmup.IsZero() {
		s.add(l.Search.Pos, path+".load.search", "a search decides about the length of its trials (want neither until nor warmup)")
	}
	threads := l.MaxInflight
	if threads.IsZero() {
		threads = Value{Text: searchInflight, Note: Note{Pos: l.Search.Pos}}
	}
	l.Threads, l.MaxInflight, l.Arrivals = []Value{threads}, Value{}, Value{}
	l.Search, l.SLO, l.Budget, l.Trial, l.Strict, l.Confirm = Value{}, nil, Value{}, Value{}, Value{}, Value{}
	return out
}
