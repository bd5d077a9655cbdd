package runs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/op"
	"warp/pkg/runinfo"
	"warp/pkg/search"
)

// Way is a way to end a client. A hang-up counts as a request to end.
type Way string

// The ways.
const (
	ByRequest Way = "shut down"
	ByKill    Way = "killed"
)

// Ended is a run of two clients whose second is ended.
type Ended struct {
	Observer
	Plan  *bench.Plan
	Phase int // when the client is ended; the number of phases: in the clean-up
	Way   Way
	Why   string          // what a client says that is asked to end
	Over  context.Context // of the test
	End   func()          // ends the client
	Ended func() bool     // reports whether that has taken effect
	Last  func()          // is called before the last phase ends; may be nil

	once sync.Once
	ends chan int // phases that the test ends
}

// Observe has the run follow the coordinator.
func (r *Ended) Observe(o *coordinator.Options) {
	r.ends = make(chan int, 1)
	r.OnStage = r.stage
	o.Observer, o.EndPhase = &r.Observer, r.ends
}

// Observer calls a function at each stage, and keeps what it is told.
type Observer struct {
	OnStage func(coordinator.Stage)
	mu      sync.Mutex
	notices strings.Builder
}

// Stage calls the function.
func (o *Observer) Stage(s coordinator.Stage) { o.OnStage(s) }

// Notice keeps a text.
func (o *Observer) Notice(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.notices.WriteString(text + "\n")
}

// Text returns all that it was told.
func (o *Observer) Text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.notices.String()
}

// Measured does nothing.
func (o *Observer) Measured(*coordinator.Result) {}

// Trial does nothing.
func (o *Observer) Trial(int, *search.Observation, search.Verdict) {}

// stage has each phase go on until clients have worked in it, and ends the second client in one of them.
func (r *Ended) stage(s coordinator.Stage) {
	if s.Name == bench.StageCleanup && r.Phase == len(r.Plan.Phases) {
		go r.once.Do(r.End)
	}
	if s.Name != bench.StageBenchmark {
		return
	}
	pause := func() bool { return clock.Pause(r.Over, 5*time.Millisecond) }
	go func() {
		working := func() bool {
			if r.Plan.Phases[s.Phase].Measures() {
				got, ok := s.Recent(clock.Now())
				return ok && got.Phase != op.PhasePrepare && got.Total.Ops > 0
			}
			return !clock.Now().Before(s.Start)
		}
		for !working() && pause() {
		}
		if s.Phase == r.Phase {
			r.once.Do(r.End)
			for !r.Ended() && pause() {
			}
		}
		// It must have missed more of the phase than a client in the result may.
		for until := clock.Now().Add(2 * clock.Now().Sub(s.Start)); clock.Now().Before(until) && pause(); {
		}
		if r.Last != nil && s.Phase == len(r.Plan.Phases)-1 {
			r.Last()
		}
		if r.Plan.Phases[s.Phase].Search == nil || s.Phase != r.Phase {
			select {
			case r.ends <- s.Phase:
			case <-r.Over.Done(): // a search that ended by itself reads nothing more
			}
		}
	}()
}

// Check compares the result with the recordings of the clients, in their directories.
func (r *Ended) Check(t *testing.T, result *coordinator.Result, merged []byte, near, far string) {
	t.Helper()
	harness.SameAsRecording(t, result.Snapshot, merged)
	want := CountsOf(t, RecordingIn(t, near), func(string) bool { return true })
	finished := r.Plan.Phases[:r.Phase]
	measured := slices.ContainsFunc(finished, func(ph bench.Phase) bool { return ph.Measures() })
	counts := r.Way == ByRequest && measured
	if counts {
		for k, n := range CountsOf(t, RecordingIn(t, far), func(phase string) bool {
			return phase == op.PhasePrepare || phase == op.PhaseWarmup && r.Phase == 2 || namedIn(finished, phase)
		}) {
			want[k] += n
		}
	}
	got := CountsOf(t, bytes.NewReader(merged), func(string) bool { return true })
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the merged recording has %v, the clients have %v", got, want)
	}
	second := result.Clients[1]
	if second.InResult != counts || r.Way == ByRequest && !strings.Contains(second.Cut, r.Why) {
		t.Errorf("the client that ended is reported as %+v", second)
	}
	for _, g := range result.Snapshot.Groups {
		clients, both := 1, counts && (g.Phase == op.PhasePrepare || namedIn(finished, g.Phase))
		if both {
			clients = 2
		}
		if len(g.Clients) != clients {
			t.Errorf("%s of phase %q is of the clients %v, both: %v", g.Kind, g.Phase, g.Clients, both)
		}
	}
	says := "client " + second.Addr + " is "
	if counts {
		says = fmt.Sprintf("client %s finished %d of 3 phases: %s", second.Addr, r.Phase, r.Why)
	}
	if text := strings.Join(result.Warnings, "\n"); !strings.Contains(text, says) || result.Incomplete == "" {
		t.Errorf("warnings %s, want %q; incomplete %q", text, says, result.Incomplete)
	}
}

// namedIn reports whether operations of this phase belong to phases of a plan; phases of a trial have a longer name.
func namedIn(phases []bench.Phase, name string) bool {
	return slices.ContainsFunc(phases, func(ph bench.Phase) bool {
		return ph.Measures() && slices.ContainsFunc(ph.Names(), func(n string) bool {
			return name == n || ph.Search != nil && strings.HasPrefix(name, n)
		})
	})
}

// RecordingIn is what a client recorded in its directory.
func RecordingIn(t *testing.T, dir string) *bytes.Reader {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"+runinfo.Suffix))
	if err != nil || len(files) != 1 {
		t.Fatalf("the client has the recordings %v, want one (%v)", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(b)
}

// CountsOf counts the operations of some phases, by phase and kind.
func CountsOf(t *testing.T, r io.Reader, of func(phase string) bool) map[string]int {
	n := map[string]int{}
	for _, o := range harness.ReadOps(t, r) {
		if of(o.Phase) {
			n[o.Phase+" "+string(o.Kind)]++
		}
	}
	return n
}

// CheckReplay compares the result of a replay with the merged recording: what was performed of the trace counts as sent if it is in the
// result, and as not sent otherwise.
func CheckReplay(t *testing.T, result *coordinator.Result, merged []byte, operations int64) {
	t.Helper()
	harness.SameAsRecording(t, result.Snapshot, merged)
	if len(result.Replays) != 1 {
		t.Fatalf("replays: %+v", result.Replays)
	}
	recorded, sent, all := int64(0), int64(0), int64(0)
	for _, o := range harness.ReadOps(t, bytes.NewReader(merged)) {
		if o.Phase != op.PhasePrepare {
			recorded++
		}
	}
	for _, k := range result.Replays[0].Kinds {
		sent, all = sent+k.Sent, all+k.Operations
	}
	if sent != recorded || all != operations {
		t.Errorf("%d of %d operations are said to be sent; the recording has %d, the trace %d", sent, all, recorded, operations)
	}
}
