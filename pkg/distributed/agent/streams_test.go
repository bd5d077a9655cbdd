package agent

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/generator"
	"warp/pkg/op"
)

// TestStreamsOnSeveralClients has clients run two phases of streams in parallel, which share data sets or have their own. The live
// figures show the streams of the phase under way, and no others; the result has them all. The first phase ends when all is deleted.
func TestStreamsOnSeveralClients(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{Rule: func(op.Kind, uint64) responder.Fault { return responder.Fault{Delay: 2 * time.Millisecond} }})
	stream := func(name, workload, set string, args ...string) bench.Stream {
		s := harness.Plan(t, workload, server.Host(), time.Hour, args...).Phases[0].Stream
		s.Name, s.Set = name, set
		return s
	}
	p := harness.Plan(t, "get", server.Host(), 0)
	large := p.Data
	large.Sizes.Max = 3000
	p.Sets = map[string]generator.Spec{"a": large, "b": p.Data, "c": p.Data}
	p.Phases = []bench.Phase{
		{Stream: stream("drop", "delete", "b", "-objects=40", "-batch=1"), Parallel: []bench.Stream{stream("clear", "delete", "c", "-objects=20", "-batch=1")}},
		{Stream: stream("read", "get", "a", "-objects=20"), Parallel: []bench.Stream{stream("look", "stat", "a", "-objects=20"), stream("add", "put", "")}},
	}
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	w := &watcher{}
	seen := make(chan []string, 1)
	phases := 0
	w.onStage = func(s coordinator.Stage) {
		if s.Name != bench.StageBenchmark {
			return
		}
		if phases++; phases < 2 {
			return
		}
		go func() {
			defer close(seen)
			defer interrupt()
			seen <- streamsShown(t, s, 3)
		}()
	}
	_, addrs := startClients(t, 3)
	o := testOptions(addrs...)
	o.Observer = w
	r, rec, err := runAll(ctx, p, o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := <-seen, []string{"add PUT", "look STAT", "read GET"}; !slices.Equal(got, want) {
		t.Errorf("the live figures are of %q, want %q", got, want)
	}
	if r.InResult != 3 || !r.Interrupted {
		t.Errorf("%d clients in the result, interrupted: %v; %q", r.InResult, r.Interrupted, r.Warnings)
	}
	harness.SameAsRecording(t, r.Snapshot, rec.Bytes())
	ops := harness.ReadOps(t, bytes.NewReader(rec.Bytes()))
	disjoint(t, ops, 3)
	sizes, counts, clients := map[string]int64{"drop": 0, "clear": 0, "read": 3000, "look": 0, "add": 1024}, map[op.Kind]uint64{}, map[string]map[string]bool{}
	for _, o := range ops {
		counts[o.Kind]++
		if o.Failed() || o.Phase != op.PhasePrepare && o.Bytes != sizes[o.Phase] {
			t.Fatalf("%s %s of %d bytes, want %d; %q", o.Phase, o.Kind, o.Bytes, sizes[o.Phase], o.Err)
		}
		if clients[o.Phase] == nil {
			clients[o.Phase] = map[string]bool{}
		}
		clients[o.Phase][o.Client] = true
	}
	for phase := range sizes {
		ended := phase == "drop" || phase == "clear" // the others were interrupted
		if n := len(clients[phase]); n == 0 || ended && n != 3 {
			t.Errorf("stream %s: operations of %d clients, want 3", phase, n)
		}
	}
	for kind, n := range counts {
		if served := server.Requests(kind); served < n || served > n+uint64(len(addrs))*8 { // each client tries the host, and claims its names
			t.Errorf("%s: %d recorded, %d served", kind, n, served)
		}
	}
	if left := server.Keys("bench"); len(left) > 0 {
		t.Errorf("%d objects are left: %q", len(left), left)
	}
}

// streamsShown waits until the live figures show n kinds of streams, and returns them in order of their names.
func streamsShown(t *testing.T, s coordinator.Stage, n int) (names []string) {
	harness.Until(t, "the live figures show all streams", func() bool {
		names = nil
		recent, _ := s.Recent(time.Now())
		for _, k := range recent.Kinds {
			if k.Ops > 0 && k.P99 > 0 && k.ObjectsPerSec > 0 {
				names = append(names, k.Phase+" "+string(k.Kind))
			}
		}
		return len(names) >= n
	})
	slices.Sort(names)
	return names
}
