package report

import (
	"sync"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/compare"
	"warp/pkg/op"
)

// Reasons for which nothing is claimed, as package compare words them.
const (
	noteExtreme   = "not tested: a single run does not show how far an extreme strays"
	noteFirstByte = "not tested: no times to first byte by segment"
	noteOneRun    = "one run on each side: the test accounts for variation within these two runs, not for variation between runs; compare " +
		"several runs for that"
)

// edit is what a hand-made change has besides its figures.
type edit func(*compare.Change)

// changed is a change of a metric that was not tested.
func changed(metric string, before, after float64, edits ...edit) compare.Change {
	m, ok := compare.Lookup(metric)
	if !ok {
		panic("no metric " + metric)
	}
	c := compare.Change{
		Metric: metric, Unit: m.Unit, HigherIsBetter: m.HigherIsBetter, Verdict: compare.Unclear, Absolute: after - before,
		Before: compare.Figure{Value: before, N: 59, Enough: true}, After: compare.Figure{Value: after, N: 59, Enough: true},
	}
	switch {
	case before != 0:
		relative := after/before - 1
		c.Relative = &relative
	case after == 0:
		c.Relative = new(float64)
	}
	for _, e := range edits {
		e(&c)
	}
	return c
}

// tested gives a change an interval of about this half width and a p-value; it is significant if the interval leaves 0 out.
func tested(half float64) edit {
	return func(c *compare.Change) {
		p := 0.3
		factor := 1 + *c.Relative
		c.CI = &compare.Interval{Low: factor/(1+half) - 1, High: factor*(1+half) - 1}
		if c.CI.Low > 0 || c.CI.High < 0 {
			p, c.Significant, c.Verdict = 0.0004, true, compare.Regressed
			if (*c.Relative > 0) == c.HigherIsBetter {
				c.Verdict = compare.Improved
			}
		}
		c.P, c.Adjusted = &p, &p
	}
}

// corrected makes nothing of a tested change, as the correction for many metrics does.
func corrected(c *compare.Change) {
	adjusted := 0.08
	c.Adjusted, c.Significant, c.Verdict = &adjusted, false, compare.Unclear
}

func note(text string) edit { return func(c *compare.Change) { c.Note = text } }

func tooFew(text string) edit {
	return func(c *compare.Change) { c.TooFew, c.Note = true, text }
}

// unsound takes away the figures of the sides.
func unsound(before, after bool) edit {
	return func(c *compare.Change) {
		c.Before.Enough, c.After.Enough = c.Before.Enough && !before, c.After.Enough && !after
		c.TooFew, c.Note = true, "too few samples for "+c.Metric+": less than ten requests lie beyond it"
	}
}

func ms(v float64) float64 { return v * float64(time.Millisecond) }

// sideOf is one run of a minute.
func sideOf(operations, failed int64) compare.Side {
	return compare.Side{
		Runs: 1, Operations: operations, Considered: operations - failed - 20, Segments: 59, Errors: failed,
		ErrorRate: float64(failed) / float64(operations), Duration: time.Minute,
	}
}

// typeOf is a type whose rates become rates times as high, and whose times become times times as long.
func typeOf(n compare.Name, size, rates, times float64, e edit) *compare.Kind {
	t := &compare.Kind{Name: n, Before: sideOf(16768, 0), After: sideOf(17105, 0)}
	add := func(metric string, before, factor float64, edits ...edit) {
		t.Changes = append(t.Changes, changed(metric, before, before*factor, edits...))
	}
	bytesAndObjects := func(metric, objects string, rate, factor float64, edits ...edit) {
		if size > 0 {
			add(metric, rate*size, factor, edits...)
		}
		add(objects, rate, factor, edits...)
	}
	bytesAndObjects("throughput", "objects", 279.5, rates, e)
	bytesAndObjects("fastest", "fastest.objects", 298.3, rates*1.003, note(noteExtreme))
	bytesAndObjects("median", "median.objects", 281.1, rates*1.007, e)
	bytesAndObjects("slowest", "slowest.objects", 201.6, rates*0.88, note(noteExtreme))
	add("avg", ms(28.61), times, e)
	add("p50", ms(27.9), times*0.998, e)
	add("p90", ms(41.3), times*1.01, e)
	add("p99", ms(66.2), times*1.02, e)
	add("p99.9", ms(93.4), times, unsound(true, true))
	add("min", ms(2.11), 1, note(noteExtreme))
	add("max", ms(131), times, note(noteExtreme))
	if n.Kind == op.Get {
		add("ttfb", ms(20.3), times, e)
		add("ttfb.p50", ms(19.2), times*0.999, e)
		add("ttfb.p90", ms(36.2), times, e)
		add("ttfb.p99", ms(58.2), times, e)
		add("ttfb.min", ms(1.996), 0.5, note(noteExtreme))
		add("ttfb.max", ms(63), 1.65, note(noteExtreme))
	}
	return t
}

var get = compare.Name{Kind: op.Get}

func comparison(types ...*compare.Kind) *compare.Comparison {
	return &compare.Comparison{
		Version: compare.Version, Method: compare.Bootstrap, Before: 1, After: 1, Confidence: 0.95,
		Family: 3 * len(types), Kinds: types, Notes: []string{noteOneRun},
	}
}

// single is two runs of mixed operations: one type better, one not told from chance, one worse and with errors.
func single() *compare.Comparison {
	prepare := typeOf(compare.Name{Phase: op.PhasePrepare, Kind: op.Put}, 1<<20, 1.01, 0.99, tested(0.05))
	put := typeOf(compare.Name{Kind: op.Put}, 1<<20, 0.81, 1.24, tested(0.04))
	put.After.Errors, put.After.ErrorRate = 12, 12.0/17105
	stat := typeOf(compare.Name{Kind: op.Stat}, 0, 1.004, 0.997, tested(0.05))
	return comparison(prepare, typeOf(get, 2<<20, 1.021, 0.98, tested(0.012)), put, stat,
		typeOf(compare.Name{Total: true}, 2<<20, 1.01, 0.99, tested(0.02)))
}

// identical is a run and itself.
func identical() *compare.Comparison {
	t := typeOf(get, 4096, 1, 1, tested(0.015))
	t.After = t.Before
	for i := range t.Changes {
		c := &t.Changes[i]
		c.After, c.Absolute, c.Relative, c.Significant, c.Verdict = c.Before, 0, new(float64), false, compare.Unclear
		if c.CI != nil {
			tested(0.015)(c)
		}
	}
	return comparison(t)
}

// sets is six runs against six, where everything can be tested, with a threshold.
func sets() *compare.Comparison {
	t := typeOf(get, 10<<20, 1.08, 0.94, tested(0.03))
	for i := range t.Changes {
		c := &t.Changes[i]
		c.Before.N, c.After.N, c.Note, c.TooFew, c.Before.Enough, c.After.Enough = 6, 6, "", false, true, true
		tested(0.03)(c)
		c.Before.CI = &compare.Interval{Low: c.Before.Value * 0.97, High: c.Before.Value * 1.02}
	}
	corrected(t.Change("p99"))
	t.Before.Runs, t.After.Runs = 6, 6
	c := comparison(t)
	c.Method, c.Before, c.After, c.Threshold, c.Notes = compare.Ranks, 6, 6, 0.01, nil
	return c
}

// fewRuns is sets too small for any claim; untested is one run against three.
func fewRuns() *compare.Comparison {
	c := sets()
	c.Before, c.After, c.Kinds[0].Before.Runs, c.Kinds[0].After.Runs = 3, 3, 3, 3
	for i := range c.Kinds[0].Changes {
		ch := &c.Kinds[0].Changes[i]
		corrected(ch)
		tooFew("too few runs: 3 against 3 cannot be distinguished from chance, need at least 5 per side")(ch)
	}
	return c
}

func untested() *compare.Comparison {
	c := sets()
	c.Method, c.Before, c.Kinds[0].Before.Runs, c.After, c.Kinds[0].After.Runs = compare.Untested, 1, 1, 3, 3
	for i := range c.Kinds[0].Changes {
		ch := &c.Kinds[0].Changes[i]
		ch.P, ch.Adjusted, ch.CI, ch.Significant, ch.Verdict = nil, nil, nil, false, compare.Unclear
		ch.Note = "not tested: one side has only one run"
	}
	c.Notes = []string{"nothing is tested: compare one run with one, or at least two with at least two"}
	return c
}

// short is two runs of five seconds; p99 is known of one side only.
func short() *compare.Comparison {
	few := tooFew("too few samples: 5 and 4 segments, at least 8 are needed")
	t := typeOf(get, 1<<20, 1.3, 0.7, few)
	unsound(true, false)(t.Change("p99"))
	t.Before.Segments, t.After.Segments, t.Before.Considered, t.After.Considered = 5, 4, 900, 1
	t.Before.Duration, t.After.Duration = 5200*time.Millisecond, 4100*time.Millisecond
	return comparison(typeOf(compare.Name{Kind: op.Stat}, 0, 1.2, 0.8, tested(0.01)), t)
}

// failed is a run without errors against one with mostly failures, and whose segments have no first bytes, and one where
// nothing moved before.
func failed() *compare.Comparison {
	t := typeOf(get, 1<<20, 0.05, 3.1, tested(0.2))
	t.Before, t.After = sideOf(16000, 3), sideOf(900, 800)
	for _, metric := range []string{"ttfb", "ttfb.p50", "ttfb.p90", "ttfb.p99"} {
		c := t.Change(metric)
		*c = changed(metric, c.Before.Value, c.After.Value, note(noteFirstByte))
	}
	from := typeOf(compare.Name{Phase: "run", Kind: op.Put}, 1<<20, 1, 1, tested(0.1))
	from.Changes = []compare.Change{
		changed("throughput", 0, 5<<20, note("not tested: it is 0 on one side or both")),
		changed("objects", 0, 5, note("not tested: it is 0 on one side or both")),
		changed("avg", ms(0.0001), ms(9000), note("not tested: its variation is not known")),
	}
	from.Before.Segments, from.Before.Operations, from.Before.Errors = 0, 1, 1
	return comparison(t, from)
}

// params is a comparison of runs of different parameters, which have no type in common.
func params() *compare.Comparison {
	c := comparison()
	c.Params = []compare.Difference{
		{Path: "client", Before: "a1b2", After: "c3d4", Minor: true},
		{Path: "obj.size", Before: "1MiB", After: "10MiB"},
		{Path: "phases.0.name", Before: "one\x1b[31m", After: "another name that goes on for longer than any line of the report should be"},
		{Path: "range", After: "true"},
		{Path: "seed", Before: "7", After: "8", Minor: true},
	}
	c.OnlyBefore = []compare.Name{get, {Kind: op.Stat}, {Total: true}}
	c.OnlyAfter = []compare.Name{{Phase: op.PhasePrepare, Kind: op.Put}, {Kind: op.Put}}
	c.Notes = nil
	return c
}

// measured is what Compare makes of snapshots, so that the fixtures above cannot drift from it unseen. It is shared.
var measured = sync.OnceValue(func() *compare.Comparison {
	c, err := compare.Compare([]*aggregate.Snapshot{mixed()}, []*aggregate.Snapshot{twoHosts()}, compare.Options{})
	if err != nil {
		panic(err)
	}
	return c
})

// comparisons is every comparison by name.
func comparisons() map[string]*compare.Comparison {
	return map[string]*compare.Comparison{
		"single": single(), "identical": identical(), "sets": sets(), "few-runs": fewRuns(), "untested": untested(),
		"short": short(), "failed": failed(), "params": params(), "measured": measured(), "nothing": {Version: compare.Version},
	}
}
