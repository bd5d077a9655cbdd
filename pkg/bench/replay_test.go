package bench_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/bench/replay"
	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/s3"
	"warp/pkg/trace"
	"warp/pkg/trace/tracetest"
)

// playerOf brings a trace into the compact form.
func playerOf(t *testing.T, text []byte) *trace.Player {
	t.Helper()
	return tracetest.Player(t, text, trace.NoNames)
}

// replayOf replays a trace.
func replayOf(t *testing.T, store s3.Store, p *trace.Player, change func(*bench.Plan, *replay.Replay), observers ...bench.Observer) (*memory, *bench.Result, error) {
	t.Helper()
	w := &replay.Replay{Trace: "trace", Summary: p.Summary, Speed: 1, Missing: replay.MissingCreate}
	plan := &bench.Plan{Seed: 7, Target: target}
	plan.Target.Bucket = store.Config().Bucket
	plan.Data.Generator, plan.Data.Sizes.Max = "random", 4096
	plan.Data.NoPrefix = serverName == "s3proxy" // where an upload fails whose prefix loses its last object meanwhile, see docs/reference/servers.md
	ph := bench.Phase{Stream: bench.Stream{Workload: "replay", Timed: true, Concurrency: 8, Ops: uint64(p.Operations)}}
	plan.Phases = []bench.Phase{ph}
	if change != nil {
		change(plan, w)
	}
	made, err := bench.NewPhase("replay", w)
	if err != nil {
		t.Fatal(err)
	}
	plan.Phases[0].Params = made.Params
	m := &memory{}
	env := bench.Env{Store: store, Client: "test", Sinks: []op.Sink{m}, Trace: func(string) (*trace.Player, error) { return p, nil }}
	for _, o := range observers {
		env.Observer = o
	}
	res, err := bench.Perform(context.Background(), plan, env)
	return m, res, err
}

// traffic is a trace of random operations on objects, several at the same time.
func traffic(operations, objects int) []byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for i := range operations {
		object := min(rnd.IntN(objects), rnd.IntN(objects))
		kind := []string{"GET", "GET", "PUT", "HEAD", "DELETE"}[rnd.IntN(5)]
		fmt.Fprintf(&b, "%d REST.%s.OBJECT k%d %d\n", i/2, kind, object, 1000+object)
	}
	return b.Bytes()
}

// perKey returns what was done to each object, in order, objects in the order of their first use.
func perKey(p *trace.Player, t *testing.T) (list []string) {
	t.Helper()
	names := map[uint64]int{}
	for n := range uint64(p.Operations) {
		o, err := p.Operation(n)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := names[o.Object]; !ok {
			names[o.Object] = len(names)
		}
		size := o.Size
		if o.Kind == op.Stat || o.Kind == op.Delete || o.Missing {
			size = 0
		}
		list = append(list, fmt.Sprintf("%v %s %d %d %v", o.At, o.Kind, names[o.Object], size, o.Missing))
	}
	return list
}

// recorded returns a recording of operations.
func recorded(t *testing.T, ops []op.Op) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := recording.NewWriter(&b, recording.Header{Copies: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(ops); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A replay that is recorded is the trace again, and so is the replay of that: the same operations at the same times, in the same order on each object,
// of the same sizes. A bucket with objects of others stays as it was.
func TestReplayIsTheTrace(t *testing.T) {
	f := newForeign(t)
	p := playerOf(t, traffic(400, 30))
	want := perKey(p, t)
	for round := range 2 {
		m, res, err := replayOf(t, f.store, p, nil)
		if err != nil || m.failed() != "" {
			t.Fatalf("round %d: %v; %s", round, err, m.failed())
		}
		f.check(t)
		if s := res.Schedules[0]; s.Due != 400 || s.Sent != 400 || s.Unsent != 0 {
			t.Errorf("round %d: %+v", round, s)
		}
		p = playerOf(t, recorded(t, m.ops))
		if got := perKey(p, t); !slices.Equal(got, want) {
			for i := range want {
				if i >= len(got) || got[i] != want[i] {
					t.Fatalf("round %d, operation %d:\n got %q\nwant %q", round, i, got[min(i, len(got)-1)], want[i])
				}
			}
		}
	}
}

// The same holds against the responder, which has nothing to do but answer.
func TestReplayIsTheTraceAtTheResponder(t *testing.T) {
	eachSetup(t, func(t *testing.T, c setup) {
		s := c.oddly(t, responder.Options{})
		p := playerOf(t, traffic(400, 30))
		want := perKey(p, t)
		for round := range 2 {
			m, _, err := replayOf(t, s.Store, p, func(plan *bench.Plan, _ *replay.Replay) { plan.Target = s.cfg })
			if err != nil || m.failed() != "" || len(s.left()) > 0 {
				t.Fatalf("round %d: %v; %s; left: %q", round, err, m.failed(), s.left())
			}
			p = playerOf(t, recorded(t, m.ops))
			if got := perKey(p, t); !slices.Equal(got, want) {
				t.Fatalf("round %d:\n got %q\nwant %q", round, got, want)
			}
		}
	})
}

// Twice as fast, all is due in half of the time.
func TestReplaySpeed(t *testing.T) {
	store := open(t, newBucket())
	p := playerOf(t, traffic(100, 10))
	m, _, err := replayOf(t, store, p, func(_ *bench.Plan, w *replay.Replay) { w.Speed = 2 })
	if err != nil || m.failed() != "" {
		t.Fatal(err, m.failed())
	}
	first, last := m.benchmark()[0].Due, m.benchmark()[0].Due
	for _, o := range m.benchmark() {
		if o.Due.Before(first) {
			first = o.Due
		}
		if o.Due.After(last) {
			last = o.Due
		}
	}
	if got, want := last.Sub(first), p.Span/2; got < want-time.Microsecond || got > want+time.Microsecond {
		t.Errorf("all was due in %v, want %v", got, want)
	}
}

// What is read before it is written is there, or is expected to be missing.
func TestReplayOfMissingObjects(t *testing.T) {
	const text = "0 REST.GET.OBJECT a 100\n1 REST.GET.OBJECT a 100 10 19\n2 REST.PUT.OBJECT b 50\n3 REST.GET.OBJECT b 50\n4 REST.DELETE.OBJECT b\n5 REST.GET.OBJECT b\n"
	for policy, want := range map[string]string{
		replay.MissingCreate: "DELETE 0, GET 10, GET 100, GET 50, GET_404 0, PUT 50",
		replay.MissingExpect: "DELETE 0, GET 50, GET_404 0, GET_404 0, GET_404 0, PUT 50",
	} {
		m, _, err := replayOf(t, open(t, newBucket()), playerOf(t, []byte(text)), func(_ *bench.Plan, w *replay.Replay) { w.Missing = policy })
		if err != nil || m.failed() != "" {
			t.Fatal(policy, err, m.failed())
		}
		var got []string
		for _, o := range m.benchmark() {
			got = append(got, fmt.Sprintf("%s %d", o.Kind, o.Bytes))
		}
		slices.Sort(got)
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %s", policy, got, want)
		}
	}
}

// The clean-up deletes what was uploaded and is not deleted yet, and asks for nothing else of all the names of the trace.
func TestCleanupOfAPartOfATrace(t *testing.T) {
	ownServer(t)
	text := "0 REST.GET.OBJECT read 100\n1 REST.PUT.OBJECT put 50\n2 REST.DELETE.OBJECT put\n3 REST.PUT.OBJECT again 50\n4 REST.DELETE.OBJECT again\n5 REST.PUT.OBJECT again 60\n6 REST.DELETE.OBJECT read\n7 REST.GET.OBJECT second 100\n"
	const unsent = 5000
	for i := range unsent {
		text += fmt.Sprintf("%d REST.PUT.OBJECT k%d 10\n", 3_600_000+i, i)
	}
	server := startResponder(t, responder.Options{Keep: true})
	store := openWith(t, newBucket(), func(c *s3.Config) { c.Hosts = []string{server.Host()} })
	var cleaned bench.Stage
	m, _, err := replayOf(t, store, playerOf(t, []byte(text)), func(p *bench.Plan, _ *replay.Replay) {
		p.Target.Hosts = []string{server.Host()}
		p.Phases[0].Ops = 8
	}, watch{func(s bench.Stage) {
		if s.Name == bench.StageCleanup {
			cleaned = s
		}
	}})
	if err != nil || m.failed() != "" {
		t.Fatal(err, m.failed())
	}
	if cleaned.Total != 2 || cleaned.Done() != 2 {
		t.Errorf("%d of %d objects were deleted, want 2", cleaned.Done(), cleaned.Total)
	}
	if left := server.Keys(store.Config().Bucket); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// In a loop, what the trace read first is there again in each pass, as it was: deleted or overwritten objects are put back, unmeasured.
func TestReplayLoopPutsBack(t *testing.T) {
	const text = "0 REST.GET.OBJECT a 100\n1 REST.DELETE.OBJECT a\n2 REST.GET.OBJECT b 200\n3 REST.PUT.OBJECT b 50\n4 REST.GET.OBJECT b 50\n5 REST.GET.OBJECT c 30\n"
	const passes = 3
	p := playerOf(t, []byte(text))
	m, res, err := replayOf(t, open(t, newBucket()), p, func(plan *bench.Plan, w *replay.Replay) {
		w.Loop = true
		plan.Phases[0].Duration, plan.Phases[0].Ops = time.Hour, passes*uint64(p.Operations)
	})
	if err != nil || m.failed() != "" {
		t.Fatal(err, m.failed())
	}
	got := map[string]int{}
	for _, o := range m.benchmark() {
		got[fmt.Sprintf("%s %d", o.Kind, o.Bytes)]++
	}
	want := map[string]int{"GET 100": passes, "DELETE 0": passes, "GET 200": passes, "PUT 50": passes, "GET 50": passes, "GET 30": passes}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if notes := strings.Join(res.Notes, "\n"); !strings.Contains(notes, "replay: 4 objects that the trace changes after a read put back before the next pass") || strings.Contains(notes, "could not be") {
		t.Errorf("notes: %s", notes)
	}
}

// Against a server half as fast as the trace, each operation that is due is sent or counted as unsent, by its kind too, whether it was too late or
// the run ended. The server saw those that were sent.
func TestReplayOfMoreThanTheServerCan(t *testing.T) {
	ownServer(t)
	const operations, each = 300, 2 * time.Millisecond
	var b bytes.Buffer
	for i := range operations {
		request := []string{"PUT.OBJECT one", "PUT.OBJECT two", "HEAD.OBJECT there"}[i%3]
		fmt.Fprintf(&b, "%d REST.%s 100\n", i*int(each/time.Millisecond), request)
	}
	for name, limit := range map[string]func(*bench.Phase, *replay.Replay){
		"max late": func(ph *bench.Phase, _ *replay.Replay) { ph.MaxLate = 20 * time.Millisecond },
		"duration": func(ph *bench.Phase, _ *replay.Replay) { ph.Ops, ph.Duration = 0, 100*each },
		"loop": func(ph *bench.Phase, w *replay.Replay) {
			ph.Ops, ph.Duration, w.Loop, w.Speed = 0, 100*each, true, 10
		},
	} {
		server := startResponder(t, responder.Options{Record: true, Keep: true, Rule: func(k op.Kind, _ uint64) responder.Fault {
			if k == op.Put || k == op.Stat {
				return responder.Fault{Delay: 2 * each}
			}
			return responder.Fault{}
		}})
		store := openWith(t, newBucket(), func(c *s3.Config) { c.Hosts = []string{server.Host()} })
		m, res, err := replayOf(t, store, playerOf(t, b.Bytes()), func(p *bench.Plan, w *replay.Replay) {
			p.Target.Hosts = []string{server.Host()}
			p.Phases[0].Concurrency = 1
			limit(&p.Phases[0], w)
		})
		if err != nil || m.failed() != "" {
			t.Fatal(name, err, m.failed())
		}
		recorded, seen := checkOverload(t, name, m, res, operations), 0
		for _, i := range server.Injected() {
			if i.Kind == op.Put {
				seen++
			}
		}
		if seen < recorded || seen > recorded+3 { // and the tiny objects of the preflight
			t.Errorf("%s: the server had %d uploads, %d were recorded", name, seen, recorded)
		}
	}
}

// checkOverload checks that what was due, sent, late and unsent adds up, in the schedule and by kind; of three operations two are uploads. It returns how many
// uploads were recorded.
func checkOverload(t *testing.T, name string, m *memory, res *bench.Result, operations uint64) int {
	t.Helper()
	s, late, recorded := res.Schedules[0], uint64(0), map[op.Kind]int{}
	for _, o := range m.benchmark() {
		recorded[o.Kind]++
		if o.Start.Sub(o.Due) > time.Millisecond {
			late++
		}
	}
	if name == "max late" && s.Due != operations || s.Sent+s.Unsent != s.Due || s.Sent != uint64(len(m.benchmark())) || s.Unsent == 0 || s.Late > late || s.Late < late/2 {
		t.Errorf("%s: %+v; %d recorded, %d of them late", name, s, len(m.benchmark()), late)
	}
	due := map[op.Kind]int64{op.Put: int64(s.Due) - int64(s.Due)/3, op.Stat: int64(s.Due) / 3}
	for _, k := range res.Replays[0].Kinds {
		if k.Sent+k.Unsent != due[k.Kind] || k.Sent != int64(recorded[k.Kind]) || k.Unsent == 0 || k.Late.Count() == 0 || k.Late.Count() > k.Sent {
			t.Errorf("%s: %s: %d sent, %d late, %d unsent; want %d due, %d recorded", name, k.Kind, k.Sent, k.Late.Count(), k.Unsent, due[k.Kind], recorded[k.Kind])
		}
	}
	return recorded[op.Put]
}

// A plan with a trace is refused where traces cannot be opened, and a trace that is another one.
func TestReplayNeedsItsTrace(t *testing.T) {
	f := newForeign(t)
	store := f.store
	p, other := playerOf(t, traffic(10, 3)), playerOf(t, traffic(20, 3))
	w := &replay.Replay{Trace: "trace", Summary: p.Summary, Speed: 1, Missing: replay.MissingCreate}
	for want, traces := range map[string]func(string) (*trace.Player, error){
		"not possible here": nil,
		"another trace":     func(string) (*trace.Player, error) { return other, nil },
		"no such file":      func(string) (*trace.Player, error) { return nil, fmt.Errorf("no such file") },
	} {
		ph, err := bench.NewPhase("replay", w)
		if err != nil {
			t.Fatal(err)
		}
		ph.Timed, ph.Concurrency, ph.Ops = true, 2, 10
		plan := &bench.Plan{Seed: 1, Target: target, Phases: []bench.Phase{ph}}
		plan.Target.Bucket, plan.Data.Sizes.Max = store.Config().Bucket, 10
		if _, err := bench.Perform(t.Context(), plan, bench.Env{Store: store, Client: "test", Trace: traces}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		f.check(t)
	}
}
