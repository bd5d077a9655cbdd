package aggregate

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"warp/internal/testkit"
	"warp/pkg/op"
)

// refGroup is the statistics of one group straight from the definitions: slices, sorting, exact nearest rank.
type refGroup struct {
	start, end              time.Time
	loose                   bool
	considered              int
	latency                 []time.Duration // of considered requests, ascending
	ttfb                    []time.Duration
	bytes, objects, perOps  float64 // shares in the window
	segments                []refSegment
	firstAccess, lastAccess []time.Duration // ascending
	reread                  int
}

type refSegment struct {
	bytes, objects                       float64
	full, partial, started, ended, error int64
}

// reference computes the group of all ops given.
func reference(ops []op.Op, segment time.Duration) *refGroup {
	return referenceOf(ops, ops, segment, Active)
}

// referenceOf computes the group of ops of one kind, which ran at the same time as all, by a rule for windows.
func referenceOf(ops, all []op.Op, segment time.Duration, rule Rule) *refGroup {
	g := &refGroup{}
	g.window(ops, all, rule)
	inWindow := func(o *op.Op) bool {
		if o.Failed() || o.Start.Before(g.start) || !g.start.Before(g.end) {
			return false
		}
		return rule == Active && !o.Start.After(g.end) || !o.End.After(g.end)
	}
	first, last := map[string]*op.Op{}, map[string]*op.Op{}
	count := map[string]int{}
	for i := range ops {
		o := &ops[i]
		if o.Failed() {
			continue
		}
		part := refShare(o, g.start, g.end)
		g.bytes += part * float64(o.Bytes)
		g.objects += part * float64(o.Objects)
		g.perOps += part
		if count[o.Key]++; count[o.Key] == 2 {
			g.reread++
		}
		if f := first[o.Key]; f == nil || o.Start.Before(f.Start) {
			first[o.Key] = o
		}
		if l := last[o.Key]; l == nil || o.Start.After(l.Start) {
			last[o.Key] = o
		}
		if inWindow(o) {
			g.considered++
			g.latency = append(g.latency, o.Latency())
			if d, ok := o.TTFB(); ok {
				g.ttfb = append(g.ttfb, d)
			}
		}
	}
	for k := range first {
		if o := first[k]; inWindow(o) {
			g.firstAccess = append(g.firstAccess, o.Latency())
		}
		if o := last[k]; inWindow(o) {
			g.lastAccess = append(g.lastAccess, o.Latency())
		}
	}
	for _, d := range [][]time.Duration{g.latency, g.ttfb, g.firstAccess, g.lastAccess} {
		slices.Sort(d)
	}
	for from := g.start; !from.Add(segment).After(g.end); from = from.Add(segment) {
		g.segments = append(g.segments, refSegmentOf(ops, from, from.Add(segment)))
	}
	return g
}

// refThread is when one thread was at work.
type refThread struct{ firstEnd, lastStart, lastEnd time.Time }

func refThreads(ops []op.Op) map[string]refThread {
	threads := map[string]refThread{}
	for _, o := range ops {
		name := fmt.Sprint(o.Client, " ", o.Thread)
		t, ok := threads[name]
		if !ok || o.End.Before(t.firstEnd) {
			t.firstEnd = o.End
		}
		if o.Start.After(t.lastStart) {
			t.lastStart = o.Start
		}
		if o.End.After(t.lastEnd) {
			t.lastEnd = o.End
		}
		threads[name] = t
	}
	return threads
}

func (g *refGroup) window(ops, all []op.Op, rule Rule) {
	others := refThreads(all)
	var ends, starts, last, own []time.Time
	for name, t := range refThreads(ops) {
		ends, starts = append(ends, t.firstEnd), append(starts, t.lastStart)
		last, own = append(last, others[name].lastEnd), append(own, t.lastEnd)
	}
	for _, list := range [][]time.Time{ends, starts, last, own} {
		slices.SortFunc(list, time.Time.Compare)
	}
	n := len(ends) - 1
	g.start, g.end = ends[n], starts[0]
	if rule == Active {
		g.end = slices.MinFunc([]time.Time{last[0], own[n]}, time.Time.Compare)
	}
	if !g.start.Before(g.end) {
		g.start, g.end, g.loose = ends[0], starts[n], true
	}
}

func refShare(o *op.Op, from, to time.Time) float64 {
	if o.Start.Equal(o.End) {
		if !o.Start.Before(from) && o.Start.Before(to) {
			return 1
		}
		return 0
	}
	a, b := o.Start, o.End
	if a.Before(from) {
		a = from
	}
	if b.After(to) {
		b = to
	}
	return max(0, float64(b.Sub(a))/float64(o.End.Sub(o.Start)))
}

func refSegmentOf(ops []op.Op, from, to time.Time) refSegment {
	var s refSegment
	for i := range ops {
		o := &ops[i]
		started := !o.Start.Before(from) && o.Start.Before(to)
		ended := o.End.After(from) && !o.End.After(to)
		if o.Start.Equal(o.End) {
			ended = started
		}
		if o.Failed() {
			if ended {
				s.error++
			}
			continue
		}
		if started {
			s.started++
		}
		if ended {
			s.ended++
		}
		part := refShare(o, from, to)
		s.bytes += part * float64(o.Bytes)
		s.objects += part * float64(o.Objects)
		switch {
		case part == 1:
			s.full++
		case part > 0:
			s.partial++
		}
	}
	return s
}

// compare checks g against the reference; figures of rates and times may differ by tolerance.
func (g *refGroup) compare(t *testing.T, got *Group, tolerance float64) {
	t.Helper()
	if !got.Window.Start.Equal(g.start) || !got.Window.End.Equal(g.end) || got.Window.Loose != g.loose {
		t.Errorf("window %+v, want %v to %v loose %v", got.Window, g.start, g.end, g.loose)
	}
	if got.Considered != int64(g.considered) {
		t.Errorf("considered %d, want %d", got.Considered, g.considered)
	}
	testkit.Near(t, "bytes", got.Bytes, g.bytes, 1e-9)
	testkit.Near(t, "objects", got.Objects, g.objects, 1e-9)
	testkit.Near(t, "ops", got.Ops, g.perOps, 1e-9)
	testkit.Near(t, "bytes/s", got.BytesPerSec(), g.bytes/g.end.Sub(g.start).Seconds(), 1e-9)
	testkit.CompareTimes(t, "latency", got.Latency, g.latency, tolerance)
	testkit.CompareTimes(t, "ttfb", got.TTFB, g.ttfb, tolerance)
	if got.Kind == op.Get {
		if got.RepeatReads != int64(g.reread) {
			t.Errorf("reread %d, want %d", got.RepeatReads, g.reread)
		}
		testkit.CompareTimes(t, "first access", got.FirstAccess, g.firstAccess, tolerance)
		testkit.CompareTimes(t, "last access", got.LastAccess, g.lastAccess, tolerance)
	}
	if len(got.Segments) != len(g.segments) {
		t.Fatalf("%d segments, want %d", len(got.Segments), len(g.segments))
	}
	for i, s := range g.segments {
		x := got.Segments[i]
		testkit.Near(t, fmt.Sprintf("segment %d bytes", i), x.Bytes, s.bytes, 1e-9)
		testkit.Near(t, fmt.Sprintf("segment %d objects", i), x.Objects, s.objects, 1e-9)
		if y := (refSegment{x.Bytes, x.Objects, x.Full, x.Partial, x.Started, x.Ended, x.Errors}); y != (refSegment{x.Bytes, x.Objects, s.full, s.partial, s.started, s.ended, s.error}) {
			t.Errorf("segment %d is %+v, want %+v", i, y, s)
		}
	}
}

// readRecording reads a recording of MinIO warp, all of it.
func readRecording(t testing.TB, name string) []op.Op {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	r := csv.NewReader(z)
	r.Comma, r.Comment, r.LazyQuotes = '\t', '#', true
	head, err := r.Read()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, h := range head {
		column[h] = i
	}
	var ops []op.Op
	for {
		row, err := r.Read()
		if err == io.EOF {
			return ops
		}
		if err != nil {
			t.Fatal(err)
		}
		at := func(name string) string { return row[column[name]] }
		number := func(name string) int64 {
			n, err := strconv.ParseInt(at(name), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		stamp := func(name string) time.Time {
			if at(name) == "" {
				return time.Time{}
			}
			s, err := time.Parse(time.RFC3339Nano, at(name))
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		ops = append(ops, op.Op{
			Kind: op.Kind(at("op")), Client: at("client_id"), Thread: uint32(number("thread")),
			Start: stamp("start"), FirstByte: stamp("first_byte"), Sent: stamp("last_byte"), End: stamp("end"),
			Bytes: number("bytes"), Objects: int(number("n_objects")),
			Endpoint: at("endpoint"), Key: at("file"), Err: at("error"),
		})
	}
}
