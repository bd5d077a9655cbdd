package bench_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/internal/responder"
	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/hist"
	"warp/pkg/op"
	"warp/pkg/s3/connect"
)

// resolution is how exact the report's percentiles are.
const resolution = 0.001

// within fails the test unless a figure lies where the server's record has it.
func within(t *testing.T, what string, got, least, most float64) {
	t.Helper()
	if got < least*(1-resolution) || got > most*(1+resolution) {
		t.Errorf("%s: reported %.6g, by the server's record %.6g to %.6g", what, got, least, most)
	}
}

// slice is operations as a Source.
type slice struct {
	ops []op.Op
	i   int
}

func (s *slice) Scan() bool { s.i++; return s.i <= len(s.ops) }
func (s *slice) Op() *op.Op { return &s.ops[s.i-1] }
func (*slice) Err() error   { return nil }

// measured is a responder, and the report on what it did.
type measured struct {
	*responder.Server
	*aggregate.Group
	spans []span
}

// span is an operation as its client recorded it, and what its server and its thread say about it: nobody's guess, and
// no matter how slow the machine was. A thread does one after the other, so its operation began after the one before was
// answered and before this one arrived; it was over when the answer had left, and before the next one arrived.
type span struct {
	op.Op
	injection          responder.Injection
	notBefore, notPast time.Time // the answer to the operation before, the arrival of the next one
}

// ruled measures a responder that follows a rule. There are enough objects that none is read twice, so that an
// operation and what was injected into it have the key in common.
func (c setup) ruled(t *testing.T, rule responder.Rule, workload string, change func(*bench.Plan)) measured {
	t.Helper()
	for _, m := range c.ruledPhases(t, rule, workload, change) {
		return m
	}
	t.Fatal("the report holds no benchmark")
	return measured{}
}

// ruledPhases gives all groups of the benchmark, by phase.
func (c setup) ruledPhases(t *testing.T, rule responder.Rule, workload string, change func(*bench.Plan)) map[string]measured {
	t.Helper()
	ownServer(t)
	r, cfg, err := c.Start(responder.Options{Rule: rule, Record: true, Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Bucket, cfg.Concurrency, cfg.Engine = "ruler", 240, c.engine
	store, err := connect.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	j := job{workload: workload, args: []string{fmt.Sprint("-objects=", manyObjects)}, change: func(p *bench.Plan) { p.Target = cfg; change(p) }}
	m, _, err := j.run(context.Background(), t, store)
	store.Close()
	if err := errors.Join(err, r.Close()); err != nil { // from then on the record is complete
		t.Fatal(err)
	}
	snap, err := aggregate.Analyze(aggregate.Options{Segment: 500 * time.Millisecond, AllTime: bench.AllTime(j.plan(t, store))}, func() (op.Source, func() error, error) {
		return &slice{ops: m.ops}, func() error { return nil }, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string]measured{}
	for _, g := range snap.Groups {
		if g.Phase != op.PhasePrepare {
			groups[g.Phase] = measured{r, g, spans(t, m, r, g.Phase, g.Kind)}
		}
	}
	return groups
}

// spans finds for each operation of the benchmark what the server and its thread know about it, and that they agree.
func spans(t *testing.T, m *memory, r *responder.Server, phase string, kind op.Kind) []span {
	t.Helper()
	began := clock.Now()
	for _, o := range m.ops {
		if o.Phase == phase && o.Start.Before(began) {
			began = o.Start
		}
	}
	records := map[string]responder.Injection{}
	for _, i := range r.Injected() {
		if i.Kind == kind && !i.Came.Before(began) { // before it came what tries whether the server can do it
			if _, twice := records[i.Key]; twice {
				t.Fatalf("%s was asked for twice", i.Key)
			}
			records[i.Key] = i
		}
	}
	all := make([]span, 0, len(m.ops))
	prepared := time.Time{}
	for _, o := range m.ops {
		if o.Phase == phase {
			all = append(all, span{Op: o, injection: records[o.Key]})
		} else if o.Phase == op.PhasePrepare && o.End.After(prepared) {
			prepared = o.End
		}
	}
	slices.SortFunc(all, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), a.Start.Compare(b.Start))
	})
	for i := range all {
		s := &all[i]
		s.notBefore, s.notPast = prepared, clock.Now()
		if i > 0 && all[i-1].Thread == s.Thread {
			s.notBefore, all[i-1].notPast = all[i-1].injection.Last, s.injection.Came
		}
	}
	for _, s := range all {
		in, order := s.injection, []time.Time{s.notBefore, s.Start, s.injection.Came, s.injection.Last, s.End, s.notPast}
		if in.Came.IsZero() || !slices.IsSortedFunc(order, time.Time.Compare) {
			t.Fatalf("not in this order: the answer before %v, start %v, arrival %v, answer %v, end %v, the next arrival %v", order[0], order[1], order[2], order[3], order[4], order[5])
		}
		if held := in.First.Sub(in.Came); held < in.Fault.Delay {
			t.Fatalf("the server answered after %v instead of %v", held, in.Fault.Delay)
		}
		if kind == op.Get && !s.Failed() && (s.FirstByte.Before(in.First) || s.FirstByte.After(s.End)) {
			t.Fatalf("first byte at %v, not from %v to %v", s.FirstByte, in.First, s.End)
		}
	}
	return all
}

// considered are the operations behind the report's latencies.
func (m measured) considered(t *testing.T) (all []span) {
	t.Helper()
	for _, s := range m.spans {
		if !s.Failed() && !s.Start.Before(m.Window.Start) && !s.Start.After(m.Window.End) {
			all = append(all, s)
		}
	}
	if int64(len(all)) != m.Considered {
		t.Fatalf("%d operations start in the window, %d were considered", len(all), m.Considered)
	}
	if len(all) == 0 {
		t.Skip("the machine was too slow to have an operation in the active window")
	}
	return all
}

// began is from when an operation's latency counts, at the earliest and at the latest. When it was due is settled by the
// plan, which TestRate looks after.
func (s *span) began() (first, last time.Time) {
	if !s.Due.IsZero() {
		return s.Due, s.Due
	}
	return s.notBefore, s.injection.Came
}

// figures are what one figure of every operation is by the server's record: at least and at most, each in ascending order.
// As every operation lies between the two, so does every percentile.
type figures struct{ least, most []float64 }

func figure(all []span, of func(*span) (least, most time.Duration)) (f figures) {
	for i := range all {
		least, most := of(&all[i])
		f.least, f.most = append(f.least, float64(least)), append(f.most, float64(most))
	}
	slices.Sort(f.least)
	slices.Sort(f.most)
	return f
}

func (f figures) compare(t *testing.T, what string, h *hist.Histogram) {
	t.Helper()
	within(t, what+" average", h.Mean(), mean(f.least), mean(f.most))
	within(t, what+" max", float64(h.Max()), f.least[len(f.least)-1], f.most[len(f.most)-1])
	for _, p := range []float64{50, 90, 99} {
		got, enough := h.Percentile(p)
		if !enough && p > 50 {
			continue
		}
		least, most := f.percentile(p)
		within(t, fmt.Sprintf("%s p%g", what, p), float64(got), least, most)
		t.Logf("%s p%g: %.6g, by the server's record %.6g to %.6g", what, p, float64(got), least, most)
	}
}

func (f figures) percentile(p float64) (least, most float64) {
	i := int(math.Ceil(p/100*float64(len(f.least)))) - 1
	return f.least[i], f.most[i]
}

// compare holds the report against the server's record, and gives the latencies by that record.
func (m measured) compare(t *testing.T) figures {
	t.Helper()
	all := m.considered(t)
	latency := figure(all, func(s *span) (least, most time.Duration) {
		first, last := s.began()
		return s.injection.Last.Sub(last), s.notPast.Sub(first)
	})
	latency.compare(t, "latency", m.Latency)
	if m.Kind == op.Get {
		figure(all, func(s *span) (least, most time.Duration) {
			return s.injection.First.Sub(s.injection.Came), s.notPast.Sub(s.notBefore)
		}).compare(t, "first byte", m.TTFB)
	}
	m.compareThroughput(t)
	return latency
}

// compareThroughput counts each operation by the share of it that lies in the window.
func (m measured) compareThroughput(t *testing.T) {
	t.Helper()
	var least, most float64
	for i := range m.spans {
		s := &m.spans[i]
		if s.Failed() {
			continue
		}
		// The share grows or falls with either end, so that it is least and most at the corners.
		low, high := 1., 0.
		for _, start := range []time.Time{s.notBefore, s.injection.Came} {
			for _, end := range []time.Time{s.injection.Last, s.notPast} {
				x := share(start, end, m.Window)
				low, high = min(low, x), max(high, x)
			}
		}
		least, most = least+low, most+high
	}
	window := m.Window.Duration().Seconds()
	within(t, "throughput", m.ObjectsPerSec(), least/window, most/window)
	if size := m.MaxSize; m.Kind == op.Get {
		within(t, "bytes", m.BytesPerSec(), least*float64(size)/window, most*float64(size)/window)
	}
}

// share is which part of the time from start to end lies in the window.
func share(start, end time.Time, w aggregate.Window) float64 {
	from, to := start, end
	if from.Before(w.Start) {
		from = w.Start
	}
	if to.After(w.End) {
		to = w.End
	}
	return max(0, to.Sub(from).Seconds()) / end.Sub(start).Seconds()
}

// after answers the requests of a benchmark, not the one of the preflight. The first one of each thread takes up to half
// a second longer, so that the threads do not go on in step and this machine need not do all its work at one moment.
func after(kind op.Kind, threads uint64, answer func(n uint64) responder.Fault) responder.Rule {
	return func(k op.Kind, n uint64) responder.Fault {
		if k == op.Stat {
			n++ // the preflight sends none
		}
		if k != kind || n == 0 {
			return responder.Fault{}
		}
		a := answer(n)
		if n <= threads {
			a.Delay += time.Duration(n) * 500 * time.Millisecond / time.Duration(threads)
		}
		return a
	}
}

// threads is a closed loop of n threads for a time, whose requests take the shortest time or longer.
func threads(n int, d, shortest time.Duration) func(*bench.Plan) {
	return func(p *bench.Plan) {
		p.Phases[0].Concurrency, p.Phases[0].Duration = n, d
		objects(p, n*int((d+shortest-1)/shortest+1))
	}
}

// manyObjects are more than any ruler asks for.
const manyObjects = 4000

// objects has a benchmark ask for n objects at most: no more are uploaded than it can ask for, each once.
func objects(p *bench.Plan, n int) {
	p.Phases[0].Params = bytes.Replace(p.Phases[0].Params, fmt.Appendf(nil, `"objects":%d`, manyObjects), fmt.Appendf(nil, `"objects":%d`, n), 1)
}

func mean(d []float64) float64 {
	sum := 0.0
	for _, v := range d {
		sum += v
	}
	return sum / float64(len(d))
}
