package agent

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/op"
	"warp/pkg/runinfo"
	"warp/pkg/search"
)

// Ways in which a client is ended. A hang-up is handled as a request to end is.
const (
	byRequest = "shut down"
	byKill    = "killed"
)

// endedRun is a run of two clients of which the second is ended.
type endedRun struct {
	plan  *bench.Plan
	o     coordinator.Options
	phase int             // in which it is ended
	ends  chan int        // phases that the test ends
	over  context.Context // of the test
	end   func()          // ends the client
	ended func() bool     // reports whether that has taken effect
	once  sync.Once
	w     *trialWatcher
}

// TestEndedClient ends one of two clients in each phase of runs of several phases. The other goes on, the result covers each phase by those who
// finished it, says who did not, and equals the recordings of those who did.
func TestEndedClient(t *testing.T) {
	t.Parallel()
	for name, phases := range map[string]func(*testing.T, string) *bench.Plan{"scenario": scenarioOf, "sweep": sweepOf, "search": searchOf} {
		for phase := range 3 {
			for _, how := range []string{byRequest, byKill} {
				t.Run(fmt.Sprintf("%s, phase %d, %s", name, phase+1, how), func(t *testing.T) {
					t.Parallel()
					endClient(t, phases, phase, how)
				})
			}
		}
	}
}

// scenarioOf uploads, waits, and reads.
func scenarioOf(t *testing.T, host string) *bench.Plan {
	p := harness.Plan(t, "put", host, time.Hour)
	p.Phases[0].Name = "load"
	read := harness.Plan(t, "stat", host, time.Hour, "-objects=10").Phases[0]
	read.Name = "read"
	p.Phases = append(p.Phases, bench.Phase{Steps: []bench.Step{{Wait: time.Hour}}}, read)
	return p
}

// sweepOf has three phases that differ in their threads.
func sweepOf(t *testing.T, host string) *bench.Plan {
	p := harness.Plan(t, "put", host, time.Hour)
	for i := 1; i < 3; i++ {
		p.Phases = append(p.Phases, p.Phases[0])
	}
	for i := range p.Phases {
		p.Phases[i].Name, p.Phases[i].Concurrency = fmt.Sprintf("threads=%d", i+1), i+1
	}
	return p
}

// searchOf measures, searches, and measures again.
func searchOf(t *testing.T, host string) *bench.Plan {
	p := harness.Plan(t, "put", host, time.Hour)
	list, err := search.ParseObjectives("p99<2s", "errors<50%")
	if err != nil {
		t.Fatal(err)
	}
	again, find := p.Phases[0], harness.Plan(t, "stat", host, 0, "-objects=10").Phases[0]
	find.Search = &bench.Search{Config: search.Config{Objectives: list, Control: search.Rate, Budget: time.Hour, Trial: 500 * time.Millisecond, Seed: 1}}
	p.Phases[0].Name, find.Name, again.Name = "before", "find", "after"
	p.Phases = append(p.Phases, find, again)
	return p
}

func endClient(t *testing.T, phases func(*testing.T, string) *bench.Plan, phase int, how string) {
	server := harness.Server(t, responder.Options{Rule: func(op.Kind, uint64) responder.Fault { return responder.Fault{Delay: 2 * time.Millisecond} }})
	near, _ := searchClients(t, 1)
	far := startClient(t, func(o *Options) {
		if how == byKill {
			o.Grace = 300 * time.Millisecond
		}
	})
	proxy := harness.StartProxy(t, far.addr)
	r := &endedRun{plan: phases(t, server.Host()), o: testOptions(near[0].addr, proxy.Addr()), phase: phase, ends: make(chan int, 1), over: t.Context()}
	r.end, r.ended = func() { go far.stop() }, func() bool { return strings.Contains(far.logged(), "The client ends when the run") }
	if how == byKill {
		r.o.Grace = 300 * time.Millisecond
		r.end, r.ended = func() { proxy.Cut(true) }, func() bool { return strings.Contains(r.w.text(), "Lost the connection to client") }
	}
	r.w = &trialWatcher{after: func(int, *search.Observation) {}}
	r.w.onStage = r.stage
	r.o.Observer, r.o.EndPhase = r.w, r.ends
	result, rec, err := runAll(context.Background(), r.plan, r.o)
	if err != nil {
		t.Fatal(err)
	}
	harness.Until(t, "the ended client is free", func() bool { return far.Busy() == "" })
	r.check(t, result, rec, how, near[0], far)
	for _, log := range []string{near[0].logged(), far.logged(), strings.Join(result.Warnings, "\n"), r.w.text()} {
		if strings.Contains(log, "before the benchmark began") || strings.Contains(log, "cancelled") {
			t.Errorf("a text that is not true: %s", log)
		}
	}
}

// TestEndedInPreparation: without one of its clients a benchmark does not begin, and the error says which one, and why.
func TestEndedInPreparation(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{Rule: func(op.Kind, uint64) responder.Fault { return responder.Fault{Delay: 5 * time.Millisecond} }})
	near, far := startClient(t, nil), startClient(t, nil)
	o := testOptions(near.addr, far.addr)
	o.Observer = &watcher{onStage: func(s coordinator.Stage) {
		if s.Name == bench.StagePrepare {
			go far.stop()
		}
	}}
	_, _, err := runAll(context.Background(), harness.Plan(t, "get", server.Host(), time.Second, "-objects=100000"), o)
	if want := fmt.Sprintf("client %s: %s", far.addr, errShutDown); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	harness.Until(t, "the other client is free", func() bool { return near.Busy() == "" })
	if left := server.Keys("bench"); len(left) > 0 {
		t.Errorf("%d objects are left", len(left))
	}
}

// TestEndedReplay: what a client performed of its part counts as sent if it is in the result, and as not sent otherwise.
func TestEndedReplay(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	p := tracePlayer(t, 2000, 200)
	near, far := startClient(t, nil), startClient(t, nil)
	plan, divided := replayPlan(t, server.Host(), p, 2)
	o := testOptions(near.addr, far.addr)
	o.Traces = []coordinator.Trace{divided}
	o.Observer = &watcher{onStage: inBenchmark(func() { go far.stop() })}
	r, rec, err := runAll(context.Background(), plan, o)
	if err != nil || len(r.Replays) != 1 {
		t.Fatalf("replays %+v, %v", r, err)
	}
	sameAsRecording(t, r.Snapshot, rec.Bytes())
	recorded, sent, all := int64(0), int64(0), int64(0)
	for _, o := range harness.ReadOps(t, rec) {
		if o.Phase != op.PhasePrepare {
			recorded++
		}
	}
	for _, k := range r.Replays[0].Kinds {
		sent, all = sent+k.Sent, all+k.Operations
	}
	if sent != recorded || all != p.Operations {
		t.Errorf("%d of %d operations are said to be sent; the recording has %d, the trace %d", sent, all, recorded, p.Operations)
	}
}

// stage has each phase go on until clients have worked in it, and ends the second client in one of them.
func (r *endedRun) stage(s coordinator.Stage) {
	if s.Name != bench.StageBenchmark {
		return
	}
	pause := func() bool { return clock.Pause(r.over, 5*time.Millisecond) }
	go func() {
		working := func() bool {
			if r.plan.Phases[s.Phase].Measures() {
				got, ok := s.Recent(clock.Now())
				return ok && got.Phase != op.PhasePrepare && got.Total.Ops > 0
			}
			return !clock.Now().Before(s.Start)
		}
		for !working() && pause() {
		}
		if s.Phase == r.phase {
			r.once.Do(r.end)
			for !r.ended() && pause() {
			}
		}
		// It must have missed more of the phase than a client in the result may.
		for until := clock.Now().Add(2 * clock.Now().Sub(s.Start)); clock.Now().Before(until) && pause(); {
		}
		if r.plan.Phases[s.Phase].Search == nil || s.Phase != r.phase {
			select {
			case r.ends <- s.Phase:
			case <-r.over.Done(): // a search that ended by itself reads nothing more
			}
		}
	}()
}

// check compares the result with the recordings of the clients.
func (r *endedRun) check(t *testing.T, result *coordinator.Result, rec *bytes.Buffer, how string, near, far *testClient) {
	merged := rec.Bytes()
	sameAsRecording(t, result.Snapshot, merged)
	want := countsOf(t, recordingOf(t, near), func(string) bool { return true })
	finished := r.plan.Phases[:r.phase]
	measured := slices.ContainsFunc(finished, func(ph bench.Phase) bool { return ph.Measures() })
	counts := how == byRequest && measured
	if counts {
		for k, n := range countsOf(t, recordingOf(t, far), func(phase string) bool {
			return phase == op.PhasePrepare || phase == op.PhaseWarmup && r.phase == 2 || namedIn(finished, phase)
		}) {
			want[k] += n
		}
	}
	got := countsOf(t, bytes.NewReader(merged), func(string) bool { return true })
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the merged recording has %v, the clients have %v", got, want)
	}
	second := result.Clients[1]
	if second.InResult != counts || how == byRequest && !strings.Contains(second.Cut, errShutDown.Error()) {
		t.Errorf("the client that ended is reported as %+v", second)
	}
	for _, g := range result.Snapshot.Groups {
		if both := counts && (g.Phase == op.PhasePrepare || namedIn(finished, g.Phase)); len(g.Clients) != 1 && !both || len(g.Clients) != 2 && both {
			t.Errorf("%s of phase %q is of the clients %v, both: %v", g.Kind, g.Phase, g.Clients, both)
		}
	}
	says := "client " + second.Addr + " is "
	if counts {
		says = fmt.Sprintf("client %s finished %d of 3 phases: %s", second.Addr, r.phase, errShutDown)
	}
	if text := strings.Join(result.Warnings, "\n"); !strings.Contains(text, says) || result.Incomplete == "" {
		t.Errorf("warnings %s, want %q; incomplete %q", text, says, result.Incomplete)
	}
}

// namedIn reports whether operations of this phase belong to phases of a plan; those of a trial have a longer name.
func namedIn(phases []bench.Phase, name string) bool {
	return slices.ContainsFunc(phases, func(ph bench.Phase) bool {
		return ph.Measures() && slices.ContainsFunc(ph.Names(), func(n string) bool { return name == n || ph.Search != nil && strings.HasPrefix(name, n) })
	})
}

// recordingOf is what a client recorded.
func recordingOf(t *testing.T, c *testClient) *bytes.Reader {
	files, err := filepath.Glob(filepath.Join(c.opts.Dir, "*"+runinfo.Suffix))
	if err != nil || len(files) != 1 {
		t.Fatalf("the client has the recordings %v, want one (%v)", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(b)
}

// countsOf counts the operations of some phases.
func countsOf(t *testing.T, r *bytes.Reader, of func(phase string) bool) map[string]int {
	n := map[string]int{}
	for _, o := range harness.ReadOps(t, r) {
		if of(o.Phase) {
			n[o.Phase+" "+string(o.Kind)]++
		}
	}
	return n
}
