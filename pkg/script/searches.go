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

// splitSearch removes the search from a load; nil if there is none.
func splitSearch(e evaluator, ph *Phase, l *Load, path string) *bench.Search {
	if l.Search.IsZero() {
		return nil
	}
	at := path + ".load"
	out := &bench.Search{Config: search.Config{Budget: searchBudget}}
	control, _ := e.text(l.Search, at+".search")
	out.Control = search.Control(control)
	out.Objectives = objectives(e, l, at+".slo")
	if arrivals, ok := e.text(l.Arrivals, at+".arrivals"); ok && arrivals != string(load.Even) {
		out.Arrivals = load.Arrivals(arrivals)
	}
	lengthOf(e, l.Budget, at+".budget", &out.Budget)
	lengthOf(e, l.Trial, at+".trial", &out.Trial)
	strict, _ := e.text(l.Strict, at+".strict")
	confirm, _ := e.text(l.Confirm, at+".confirm")
	out.Strict, out.Confirm = strict == "true", confirm != "false"
	if len(ph.Expect) > 0 {
		e.add(ph.Expect[0].Pos, path+".expect", "rules do not apply to the trials of a search (want --fail-if=%q)", "search.rate<4000/s")
	}
	if (ph.Until != Until{}) || !ph.Warmup.IsZero() {
		e.add(l.Search.Pos, at+".search", "a search decides about the length of its trials (want neither until nor warmup)")
	}
	threads := l.MaxInflight
	if threads.IsZero() {
		threads = Value{Text: searchInflight, Note: Note{Pos: l.Search.Pos}}
	}
	l.Threads, l.MaxInflight, l.Arrivals = []Value{threads}, Value{}, Value{}
	l.Search, l.SLO, l.Budget, l.Trial, l.Strict, l.Confirm = Value{}, nil, Value{}, Value{}, Value{}, Value{}
	return out
}

// objectives returns the objectives of a search.
func objectives(e evaluator, l *Load, path string) []search.Objective {
	at := place{l.Search.Pos, path}
	if len(l.SLO) == 0 {
		e.add(at.pos, at.path, "no objective (want one like p99<50ms)")
	} else {
		at.pos = l.SLO[0].Pos
	}
	list, err := search.ParseObjectives(e.texts(l.SLO, path)...)
	e.report(err, map[string]place{"slo": at}, at.pos, at.path)
	return list
}

// lengthOf sets a length of a search, if it is given.
func lengthOf(e evaluator, v Value, path string, to *time.Duration) {
	text, ok := e.text(v, path)
	if !ok {
		return
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		e.add(v.Pos, path, "invalid value %q (want a duration as in 10m)", text)
	}
	*to = d
}
