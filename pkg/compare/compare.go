package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/op"
)

// Options sets the burden of proof for a claim.
type Options struct {
	Confidence float64 // of intervals and claims, between 0 and 1; 0 means 0.95
	Threshold  float64 // relative changes up to this one are never significant; 0.03 is 3%

	// The runs in segments of FineSegment, for one short run against one; nil: not known. See Short.
	FineBefore, FineAfter *aggregate.Snapshot
}

const defaultConfidence = 0.95

// resolution is the smallest relative change worth a claim: percentiles are known no better.
const resolution = 0.001

func (o *Options) complete() error {
	if o.Confidence == 0 {
		o.Confidence = defaultConfidence
	}
	if !(o.Confidence > 0 && o.Confidence < 1) { // refuses NaN too
		return fmt.Errorf("invalid confidence %v (want a value between 0 and 1, for example 0.95)", o.Confidence)
	}
	if !(o.Threshold >= 0) || !isFinite(o.Threshold) {
		return fmt.Errorf("invalid threshold %v (want a relative change, for example 0.03 for 3 %%)", o.Threshold)
	}
	return nil
}

// run is one kind of operation in one run.
type run struct {
	*aggregate.Group
	segment time.Duration
}

// Compare computes what changed from the runs before to the runs after. Snapshots are not modified. Latency and time to
// first byte of two single runs can be tested only if the runs were aggregated with Options.SegmentTimes.
func Compare(before, after []*aggregate.Snapshot, o Options) (*Comparison, error) {
	if err := o.complete(); err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	namesBefore, b, err := collect(before)
	if err != nil {
		return nil, fmt.Errorf("compare: runs before: %w", err)
	}
	namesAfter, a, err := collect(after)
	if err != nil {
		return nil, fmt.Errorf("compare: runs after: %w", err)
	}
	c := &Comparison{
		Version: Version, Method: method(len(before), len(after)), Before: len(before), After: len(after),
		Confidence: o.Confidence, Threshold: o.Threshold, Kinds: []*Kind{},
	}
	for _, n := range namesAfter {
		if b[n] == nil {
			c.OnlyAfter = append(c.OnlyAfter, n)
		}
	}
	for _, n := range namesBefore {
		if a[n] == nil {
			c.OnlyBefore = append(c.OnlyBefore, n)
			continue
		}
		c.Kinds = append(c.Kinds, c.compareKind(n, b[n], a[n], &o))
	}
	c.judge()
	c.note(slices.Concat(before, after))
	return c, nil
}

func method(before, after int) Method {
	switch {
	case before == 1 && after == 1:
		return Bootstrap
	case before > 1 && after > 1:
		return Ranks
	}
	return Untested
}

// collect gathers the kinds of operations of some runs in the order of reports, groups before totals. Totals of phases in parallel are
// the same if their phases are, in whatever order.
func collect(runs []*aggregate.Snapshot) (names []Name, types map[Name][]run, err error) {
	if len(runs) == 0 {
		return nil, nil, errors.New("no runs")
	}
	types = make(map[Name][]run)
	var totals []Name
	besides := make(map[string]Name)
	for i, s := range runs {
		if s == nil || slices.Contains(s.Groups, nil) || slices.Contains(s.Totals, nil) {
			return nil, nil, fmt.Errorf("run %d is incomplete: aggregate it again", i+1)
		}
		if s.Version != aggregate.Version {
			return nil, nil, fmt.Errorf("run %d has version %d (want %d): aggregate it again",
				i+1, s.Version, aggregate.Version)
		}
		for _, g := range s.Groups {
			n := Name{Phase: g.Phase, Kind: g.Kind}
			if types[n] == nil {
				names = aggregate.Insert(s.Order, names, n, func(n Name) (string, op.Kind) { return n.Phase, n.Kind })
			}
			types[n] = append(types[n], run{g, s.Segment})
		}
	}
	for _, s := range runs {
		for _, g := range s.Totals {
			n := Name{Phase: g.Phase, Total: true}
			if g.Combined() {
				key := strings.Join(slices.Sorted(slices.Values(g.Streams)), "\x00")
				if known, ok := besides[key]; ok {
					n = known
				}
				besides[key] = n
			}
			if types[n] == nil {
				totals = append(totals, n)
			}
			types[n] = append(types[n], run{g, s.Segment})
		}
	}
	return append(names, totals...), types, nil
}

func (c *Comparison) compareKind(n Name, before, after []run, o *Options) *Kind {
	k := &Kind{Name: n, Before: side(before), After: side(after), Changes: []Change{}}
	var test tester = rankTest{c.Confidence}
	switch c.Method {
	case Untested:
		test = noTest{}
	case Bootstrap:
		test = pairTest{singleOf(before[0], n, o.FineBefore), singleOf(after[0], n, o.FineAfter), c.Confidence}
	}
	for _, m := range metrics {
		b, a := valuesOf(m, before), valuesOf(m, after)
		if len(b.list) == 0 || len(a.list) == 0 {
			continue
		}
		change := newChange(m, b, a)
		change.Primary = k.primary(m.Name, before, after)
		test.test(m, &change, b, a)
		k.Changes = append(k.Changes, change)
	}
	return k
}

// side sums up how much was measured.
func side(runs []run) Side {
	s := Side{Runs: len(runs)}
	for _, r := range runs {
		s.Operations += r.Requests
		s.Considered += r.Considered
		s.Segments += len(r.Segments)
		s.Errors += r.Errors
		s.Duration += max(0, r.Last.Sub(r.First))
	}
	if s.Operations > 0 {
		s.ErrorRate = float64(s.Errors) / float64(s.Operations)
	}
	return s
}

// primary reports whether a metric is one of those that a comparison is made for: throughput, the median and the 99th
// percentile of latency, of each kind except preparation and totals, which only restate the others.
func (k *Kind) primary(metric string, before, after []run) bool {
	if k.Total || k.Phase == op.PhasePrepare {
		return false
	}
	switch metric {
	case "throughput", "p50", "p99":
		return true
	case "objects":
		moves := func(r run) bool { return r.MovesBytes() }
		return !slices.ContainsFunc(before, moves) || !slices.ContainsFunc(after, moves)
	}
	return false
}

// singleOf returns a kind of the only run of a side, with its fine segments if they are known.
func singleOf(r run, n Name, fine *aggregate.Snapshot) *single {
	if fine == nil {
		return newSingle(r, nil, 0)
	}
	list := fine.Groups
	if n.Total {
		list = fine.Totals
	}
	for _, g := range list {
		if g != nil && g.Phase == n.Phase && (n.Total || g.Kind == n.Kind) {
			return newSingle(r, g, fine.Segment)
		}
	}
	return newSingle(r, nil, 0)
}
