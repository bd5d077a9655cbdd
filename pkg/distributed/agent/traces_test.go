package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/distributed/internal/harness/runs"
	"warp/pkg/op"
	"warp/pkg/trace"
)

// TestReplayOnClients: clients together send what the trace has, each operation at its time, those on an object by one client and in their order.
func TestReplayOnClients(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	p := runs.Player(t, 2000, 200)
	clients, addrs := startClients(t, 3)
	plan, divided := runs.Replay(t, server.Host(), p, 3)
	o := testOptions(addrs...)
	o.Traces = []coordinator.Trace{divided}
	r, rec, err := runAll(context.Background(), plan, o)
	if err != nil {
		t.Fatal(err, clients[0].logged())
	}
	if len(r.Replays) != 1 || r.InResult != 3 {
		t.Fatalf("%d clients in the result, replays %+v", r.InResult, r.Replays)
	}
	for _, k := range r.Replays[0].Kinds {
		i := slices.IndexFunc(p.Kinds, func(w trace.KindSummary) bool { return w.Kind == k.Kind })
		if i < 0 || k.Operations != p.Kinds[i].Operations || k.Sent != k.Operations || k.Unsent != 0 || k.Failed != 0 {
			t.Errorf("%s: %d operations, %d sent, %d not, %d failed; want %+v", k.Kind, k.Operations, k.Sent, k.Unsent, k.Failed, p.Kinds)
		}
	}
	sent := map[string][]op.Op{} // by key
	for _, o := range harness.ReadOps(t, rec) {
		if o.Phase != op.PhasePrepare {
			sent[o.Key] = append(sent[o.Key], o)
		}
	}
	type history struct {
		at   time.Duration
		kind op.Kind
	}
	byObject, got := map[uint64][]history{}, []string{}
	for n := range uint64(p.Operations) {
		o, err := p.Operation(n)
		if err != nil {
			t.Fatal(err)
		}
		byObject[o.Object] = append(byObject[o.Object], history{o.At, o.Kind})
	}
	for key, ops := range sent {
		slices.SortStableFunc(ops, func(a, b op.Op) int { return cmp.Or(a.Due.Compare(b.Due), a.Start.Compare(b.Start)) })
		var line []string
		for i, o := range ops {
			if o.Client != ops[0].Client {
				t.Errorf("%s is used by clients %s and %s", key, ops[0].Client, o.Client)
			}
			if i > 0 && o.Start.Before(ops[i-1].End) && (o.Kind == op.Put || ops[i-1].Kind == op.Put) {
				t.Errorf("%s: %s began before the %s before it was over", key, o.Kind, ops[i-1].Kind)
			}
			line = append(line, fmt.Sprint(o.Due.Sub(r.Start).Round(runs.TraceStep), strings.TrimSuffix(string(o.Kind), "_404")))
		}
		got = append(got, strings.Join(line, ","))
	}
	var want []string
	for _, list := range byObject {
		var line []string
		for _, h := range list {
			line = append(line, fmt.Sprint(h.at.Round(runs.TraceStep), h.kind))
		}
		want = append(want, strings.Join(line, ","))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("what was done to objects:\n%.2000q\nin the trace:\n%.2000q", got, want)
	}
}

// TestTraceInPieces: a part that is longer than a piece arrives whole, though the connection breaks meanwhile; one that does not is not replayed.
func TestTraceInPieces(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	p := runs.Player(t, 3000, 300)
	plan, divided := runs.Replay(t, server.Host(), p, 1)
	client := startClient(t, nil)
	proxy := harness.StartProxy(t, client.addr)
	o := testOptions(proxy.Addr())
	part := divided.Parts[0].File
	cut := 0
	divided.Parts[0].File = readerAt(func(b []byte, at int64) (int, error) {
		if cut++; cut == 1 {
			proxy.Cut(false)
		}
		return part.ReadAt(b[:min(len(b), 4096)], at)
	})
	o.Traces = []coordinator.Trace{divided}
	_, _, err := runAll(context.Background(), plan, o)
	if err == nil || !strings.Contains(err.Error(), "damaged") { // short pieces, filled up with zeros
		t.Errorf("damaged: %v", err)
	}
	cut, divided.Parts[0].File = 0, readerAt(func(b []byte, at int64) (int, error) {
		if cut++; cut == 1 {
			proxy.Cut(false)
		}
		return part.ReadAt(b, at)
	})
	r, _, err := runAll(context.Background(), plan, o)
	if err != nil || len(r.Replays) != 1 || cut == 0 {
		t.Errorf("after a lost connection: %v, %+v", err, r)
	}
}

// TestForgedTraces: a part that is longer than the plan's operations can be is not fetched, and one that says that it has other objects is not replayed.
func TestForgedTraces(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	p := runs.Player(t, 200, 20)
	client := startClient(t, nil)
	plan, divided := runs.Replay(t, server.Host(), p, 1)
	o := testOptions(client.addr)
	o.Traces = []coordinator.Trace{divided}
	part := divided.Parts[0]
	reads := 0
	divided.Parts[0].File, divided.Parts[0].Bytes = readerAt(func(b []byte, at int64) (int, error) { reads++; return part.File.ReadAt(b, at) }), 1<<40
	if _, _, err := runAll(context.Background(), plan, o); err == nil || !strings.Contains(err.Error(), "want at most") || reads > 0 {
		t.Errorf("a long part: %v, after %d pieces", err, reads)
	}
	divided.Parts[0] = part
	for name, count := range map[string]int64{"many objects": 1 << 29, "more than anyone has": 1 << 36} {
		summary := *part.Summary
		summary.Objects.Count = count
		divided.Parts[0].Summary = &summary
		if _, _, err := runAll(context.Background(), plan, o); err == nil || !strings.Contains(err.Error(), "trace") {
			t.Errorf("%s: %v", name, err)
		}
	}
	divided.Parts[0] = part
	if _, _, err := runAll(context.Background(), plan, o); err != nil {
		t.Errorf("the next run: %v", err)
	}
}

type readerAt func([]byte, int64) (int, error)

func (f readerAt) ReadAt(b []byte, at int64) (int, error) { return f(b, at) }

// TestReplayWithoutParts: a trace that is not divided among the clients is refused before anything is sent.
func TestReplayWithoutParts(t *testing.T) {
	t.Parallel()
	p := runs.Player(t, 100, 10)
	plan, divided := runs.Replay(t, "127.0.0.1:1", p, 1)
	for name, o := range map[string]coordinator.Options{
		"without":     testOptions("127.0.0.1:1"),
		"other parts": {Clients: []string{"127.0.0.1:1", "127.0.0.1:2"}, Traces: []coordinator.Trace{divided}},
	} {
		if _, err := coordinator.Run(context.Background(), plan, harness.Credentials, o); err == nil || !strings.Contains(err.Error(), "the trace monday is not divided among") {
			t.Errorf("%s: %v", name, err)
		}
	}
	plan.Phases[0].Ops = 5
	if _, err := coordinator.Run(context.Background(), plan, harness.Credentials, testOptions("127.0.0.1:1")); err == nil || !strings.Contains(err.Error(), "ends with its trace") {
		t.Error(err)
	}
	plan.Phases[0].Ops, plan.Phases[0].Clients = 0, []uint64{0}
	if _, err := coordinator.Run(context.Background(), plan, harness.Credentials, testOptions("127.0.0.1:1")); err == nil || !strings.Contains(err.Error(), "divided among all clients") {
		t.Error(err)
	}
}

// TestReplayOfLostClient: the part of a client that is lost is counted as in the trace, and not as sent.
func TestReplayOfLostClient(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	p := runs.Player(t, 2000, 200)
	near := startClient(t, nil)
	far := startClient(t, func(o *Options) { o.Grace = 300 * time.Millisecond })
	proxy := harness.StartProxy(t, far.addr)
	plan, divided := runs.Replay(t, server.Host(), p, 2)
	o := testOptions(near.addr, proxy.Addr())
	o.Traces, o.Grace = []coordinator.Trace{divided}, 500*time.Millisecond
	o.Observer = &watcher{onStage: inBenchmark(t, func() { proxy.Cut(true) })}
	r, _, err := runAll(context.Background(), plan, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Replays) != 1 || r.InResult != 1 {
		t.Fatalf("%d clients in the result, replays %+v", r.InResult, r.Replays)
	}
	var sent int64
	for _, k := range r.Replays[0].Kinds {
		sent += k.Sent
		if i := slices.IndexFunc(p.Kinds, func(w trace.KindSummary) bool { return w.Kind == k.Kind }); i < 0 || k.Operations != p.Kinds[i].Operations {
			t.Errorf("%s: %d operations, want the trace's: %+v", k.Kind, k.Operations, p.Kinds)
		}
	}
	if want := divided.Parts[0].Summary.Operations; sent != want {
		t.Errorf("%d operations sent, want the %d of the client that was not lost", sent, want)
	}
	harness.Until(t, "the lost client is free", func() bool { return far.busy() == "" })
}
