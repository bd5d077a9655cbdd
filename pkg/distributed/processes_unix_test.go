//go:build unix

package distributed_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"warp/cli"
	"warp/internal/responder"
	"warp/internal/testkit"
	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/distributed/internal/harness/runs"
	"warp/pkg/observe"
	"warp/pkg/op"
)

// isWarp makes this test program warp.
const isWarp = "WARP_TEST_IS_WARP"

func TestMain(m *testing.M) {
	if os.Getenv(isWarp) != "" {
		os.Exit(cli.Main(cli.OS()))
	}
	testkit.Parallel(8) // tests wait more than they compute
	os.Exit(m.Run())
}

// shutDown is what a client says that is asked to end.
const shutDown = "the client is being shut down"

// process is a client that is a process.
type process struct {
	cmd  *exec.Cmd
	dir  string        // with its recordings
	done chan struct{} // closed when it has ended

	mu  sync.Mutex
	log bytes.Buffer
}

func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(b)
}

func (p *process) logged() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

func startProcess(t *testing.T) (p *process, addr string) {
	t.Helper()
	testkit.ResetSIGHUP()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p = &process{cmd: exec.Command(self, "client", "127.0.0.1:0"), dir: t.TempDir(), done: make(chan struct{})}
	p.cmd.Env = []string{isWarp + "=1", "WARP_TOKEN=" + harness.Token, "GORACE=atexit_sleep_ms=0", "HOME=" + p.dir}
	p.cmd.Dir, p.cmd.Stderr = p.dir, p
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { defer close(p.done); _ = p.cmd.Wait() }()
	t.Cleanup(func() { _ = p.cmd.Process.Kill(); <-p.done })
	harness.Until(t, "a client listens", func() bool {
		_, text, _ := strings.Cut(p.logged(), "Waiting for a coordinator on ")
		addr, _, _ = strings.Cut(text, ". ")
		return addr != ""
	})
	return p, addr
}

// gate holds requests of a kind.
type gate struct {
	kind    op.Kind
	from    uint64 // requests before this one pass
	shut    atomic.Bool
	waiting atomic.Int64
	opened  chan struct{}
	once    sync.Once
}

func (g *gate) pass(kind op.Kind, n uint64) {
	if kind == g.kind && n >= g.from && g.shut.Load() {
		g.waiting.Add(1)
		<-g.opened
	}
}

func (g *gate) open() { g.once.Do(func() { close(g.opened) }) }

// The gates of the store. Requests of the preflight pass.
const (
	puts = iota
	stats
	deletes
)

// endedProcess is a run of two client processes; the second gets a signal.
type endedProcess struct {
	signal    syscall.Signal
	o         coordinator.Options
	near, far *process
	farAddr   string
	gates     [3]*gate
	server    *responder.Server
}

func startEnded(t *testing.T, signal syscall.Signal) *endedProcess {
	e := &endedProcess{signal: signal}
	for i, g := range []*gate{{kind: op.Put, from: 200}, {kind: op.Stat, from: 20}, {kind: op.Delete}} {
		g.opened, e.gates[i] = make(chan struct{}), g
	}
	e.server = harness.Server(t, responder.Options{Rule: func(k op.Kind, n uint64) responder.Fault {
		for _, g := range e.gates {
			g.pass(k, n)
		}
		return responder.Fault{Delay: 2 * time.Millisecond}
	}})
	t.Cleanup(func() {
		for _, g := range e.gates {
			g.open()
		}
	})
	var nearAddr string
	e.near, nearAddr = startProcess(t)
	e.far, e.farAddr = startProcess(t)
	e.o = coordinator.Options{
		Clients: []string{nearAddr, e.farAddr}, Token: harness.Token, Version: cli.Version(), Name: "tester", Timing: harness.Timing, Grace: time.Minute,
		Limits: func(*observe.Summary, ...observe.Share) []observe.Limit { return nil },
	}
	if e.way() == runs.ByKill {
		e.o.Grace = 2 * time.Second
	}
	return e
}

func (e *endedProcess) way() runs.Way {
	if e.signal == syscall.SIGKILL {
		return runs.ByKill
	}
	return runs.ByRequest
}

// end sends the signal.
func (e *endedProcess) end() { _ = e.far.cmd.Process.Signal(e.signal) }

// ended reports whether the signal has taken effect.
func (e *endedProcess) ended() bool {
	select {
	case <-e.far.done:
		return true
	default:
		return strings.Contains(e.far.logged(), "The client ends when the run")
	}
}

// endAt sends the signal when requests wait at a gate, and opens it when the signal has taken effect.
func (e *endedProcess) endAt(t *testing.T, g int) {
	harness.Until(t, "requests wait", func() bool { return e.gates[g].waiting.Load() > 0 })
	e.end()
	harness.Until(t, "the signal has taken effect", e.ended)
	e.gates[g].open()
}

// run performs a plan, and does something when a stage begins.
func (e *endedProcess) run(plan *bench.Plan, in map[string]func()) (*coordinator.Result, []byte, error) {
	var rec bytes.Buffer
	var wg sync.WaitGroup
	e.o.Observer = &runs.Observer{OnStage: func(s coordinator.Stage) {
		if do := in[s.Name]; do != nil {
			wg.Go(do)
		}
	}}
	e.o.Recording = &rec
	result, err := coordinator.Run(context.Background(), plan, harness.Credentials, e.o)
	wg.Wait()
	return result, rec.Bytes(), err
}

// runPhases performs a plan whose phases the test ends.
func (e *endedProcess) runPhases(t *testing.T, r *runs.Ended) (*coordinator.Result, []byte) {
	var rec bytes.Buffer
	r.Way, r.Why, r.Over, r.Ended = e.way(), shutDown, t.Context(), e.ended
	if r.Way == runs.ByKill {
		r.Ended = func() bool { return strings.Contains(r.Text(), "Lost the connection to client") }
	}
	r.Observe(&e.o)
	e.o.Recording = &rec
	result, err := coordinator.Run(context.Background(), r.Plan, harness.Credentials, e.o)
	if err != nil {
		t.Fatal(err)
	}
	e.after(t)
	return result, rec.Bytes()
}

// after checks that the process ended as it should, and the other one goes on.
func (e *endedProcess) after(t *testing.T) {
	t.Helper()
	<-e.far.done
	if state := e.far.cmd.ProcessState; e.way() == runs.ByRequest && state.ExitCode() != 0 {
		t.Errorf("the client ended with %v: %s", state, e.far.logged())
	}
	harness.Until(t, "the other client is free", func() bool { return strings.Count(e.near.logged(), "is over") == 1 })
	if err := e.near.cmd.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the other client: %v", err)
	}
}

// plans are runs of several phases.
var plans = []struct {
	name string
	of   func(*testing.T, string) *bench.Plan
}{{"scenario", runs.Scenario}, {"sweep", runs.Sweep}, {"search", runs.Search}}

type namedSignal struct {
	name   string
	signal syscall.Signal
}

// signals end a client.
var signals = []namedSignal{{"TERM", syscall.SIGTERM}, {"HUP", syscall.SIGHUP}, {"KILL", syscall.SIGKILL}}

// signalsOf is one of the signals, by number; all of them where tests run in full.
func signalsOf(number int) []namedSignal {
	if testkit.Soaking() {
		return signals
	}
	return signals[number%len(signals):][:1]
}

// TestEndedProcess ends one of two clients that are processes, in each stage of a scenario, a sweep and a search. Each signal meets
// each stage, and each kind of run, in at least one case; where tests run in full, in each combination. What
// the other finished is in the result, which equals the recordings of those who finished, and says who did not. The middle phase of the
// scenario is a pause: the client ends between two measured phases.
func TestEndedProcess(t *testing.T) {
	t.Parallel()
	for i, plan := range plans {
		for phase := range 3 {
			for _, s := range signalsOf(i + phase) {
				t.Run(fmt.Sprintf("%s, phase %d, %s", plan.name, phase+1, s.name), func(t *testing.T) {
					t.Parallel()
					e := startEnded(t, s.signal)
					r := &runs.Ended{Plan: plan.of(t, e.server.Host()), Phase: phase, End: e.end}
					result, rec := e.runPhases(t, r)
					r.Check(t, result, rec, e.near.dir, e.far.dir)
				})
			}
		}
		for _, s := range signalsOf(i) {
			t.Run(plan.name+", preparation, "+s.name, func(t *testing.T) {
				t.Parallel()
				e := startEnded(t, s.signal)
				p := plan.of(t, e.server.Host())
				p.Phases = append(p.Phases, harness.Plan(t, "stat", e.server.Host(), time.Hour, "-objects=1000").Phases[0])
				p.Phases[len(p.Phases)-1].Name = "more"
				e.inPreparation(t, p)
			})
		}
		for _, s := range signalsOf(i + 1) {
			t.Run(plan.name+", clean-up, "+s.name, func(t *testing.T) {
				t.Parallel()
				e := startEnded(t, s.signal)
				r := &runs.Ended{Plan: plan.of(t, e.server.Host())}
				r.Phase = len(r.Plan.Phases)
				r.Last, r.End = func() { e.gates[deletes].shut.Store(true) }, func() { e.endAt(t, deletes) }
				result, rec := e.runPhases(t, r)
				e.checkCleanup(t, result, rec)
			})
		}
	}
}

// TestEndedReplayProcess does so in the stages of a replay.
func TestEndedReplayProcess(t *testing.T) {
	t.Parallel()
	for _, s := range signals {
		t.Run("replay, "+s.name, func(t *testing.T) {
			t.Parallel()
			e := startEnded(t, s.signal)
			e.gates[stats].shut.Store(true)
			plan := e.replay(t, "GET", "HEAD", "PUT", "COPY", "DELETE")
			result, rec, err := e.run(plan, map[string]func(){bench.StageBenchmark: func() { e.endAt(t, stats) }})
			if err != nil {
				t.Fatal(err)
			}
			e.after(t)
			runs.CheckReplay(t, result, rec, replayed)
			if text := strings.Join(result.Warnings, "\n"); !strings.Contains(text, e.farAddr) || result.Incomplete == "" {
				t.Errorf("warnings %s; incomplete %q", text, result.Incomplete)
			}
		})
	}
	for _, s := range signalsOf(0) {
		t.Run("preparation, "+s.name, func(t *testing.T) {
			t.Parallel()
			e := startEnded(t, s.signal)
			e.inPreparation(t, e.replay(t, "GET", "HEAD"))
		})
	}
	for _, s := range signalsOf(2) {
		t.Run("clean-up, "+s.name, func(t *testing.T) {
			t.Parallel()
			e := startEnded(t, s.signal)
			e.gates[stats].shut.Store(true)
			result, rec, err := e.run(e.replay(t, "GET", "HEAD"), map[string]func(){
				bench.StageBenchmark: func() { e.gates[deletes].shut.Store(true); e.gates[stats].open() },
				bench.StageCleanup:   func() { e.endAt(t, deletes) },
			})
			if err != nil {
				t.Fatal(err)
			}
			e.after(t)
			runs.CheckReplay(t, result, rec, replayed)
			e.checkCleanup(t, result, rec)
		})
	}
}

// replayed is how many operations a replay has.
const replayed = 1500

// replay is a plan that replays a trace of these kinds.
func (e *endedProcess) replay(t *testing.T, kinds ...string) *bench.Plan {
	plan, divided := runs.Replay(t, e.server.Host(), runs.Player(t, replayed, 1000, kinds...), 2)
	e.o.Traces = []coordinator.Trace{divided}
	return plan
}

// inPreparation ends a client while it prepares: the benchmark does not begin, the error names the client, and the other one has
// removed what it made.
func (e *endedProcess) inPreparation(t *testing.T, plan *bench.Plan) {
	e.gates[puts].shut.Store(true)
	_, _, err := e.run(plan, map[string]func(){bench.StagePrepare: func() { e.endAt(t, puts) }})
	if err == nil || !strings.Contains(err.Error(), e.farAddr) || e.way() == runs.ByRequest && !strings.Contains(err.Error(), shutDown) {
		t.Errorf("error %v, want one that names %s, and why it ended", err, e.farAddr)
	}
	e.after(t)
	if left := e.server.Keys("bench"); len(left) > 0 && e.way() == runs.ByRequest {
		t.Errorf("%d objects are left", len(left))
	}
}

// checkCleanup checks the result of a run whose client was ended in the clean-up: it has all of both.
func (e *endedProcess) checkCleanup(t *testing.T, result *coordinator.Result, rec []byte) {
	harness.SameAsRecording(t, result.Snapshot, rec)
	for _, c := range result.Clients {
		if !c.InResult {
			t.Errorf("client %+v is not in the result", c)
		}
	}
	want := runs.CountsOf(t, runs.RecordingIn(t, e.near.dir), all)
	for k, n := range runs.CountsOf(t, runs.RecordingIn(t, e.far.dir), all) {
		want[k] += n
	}
	if got := runs.CountsOf(t, bytes.NewReader(rec), all); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the merged recording has %v, the clients have %v", got, want)
	}
	says := "client " + e.farAddr + " was lost after the handover of its results"
	if text := strings.Join(result.Warnings, "\n"); e.way() == runs.ByKill && !strings.Contains(text, says) {
		t.Errorf("warnings %s, want %q", text, says)
	}
	if left := e.server.Keys("bench"); len(left) > 0 && e.way() == runs.ByRequest {
		t.Errorf("%d objects are left", len(left))
	}
}

func all(string) bool { return true }
