package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/internal/embedded"
	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/distributed/protocol"
	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/runinfo"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
	"warp/pkg/s3/target"
)

// TestMergedEqualsSum runs with 1, 2 and 8 clients, and compares the merged result with one that is computed from the
// merged recording.
func TestMergedEqualsSum(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 8} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			server := harness.Server(t, responder.Options{Rule: func(op.Kind, uint64) responder.Fault {
				return responder.Fault{Delay: 2 * time.Millisecond}
			}})
			clients, addrs := startClients(t, n)
			w := &watcher{}
			o := testOptions(addrs...)
			o.Observer = w
			r, rec, err := runAll(context.Background(), harness.Limited(t, "mixed", server.Host(), uint64(200*n), "-objects=20"), o)
			if err != nil {
				t.Fatal(err)
			}
			ops := harness.ReadOps(t, bytes.NewReader(rec.Bytes()))
			if r.InResult != n || len(r.Warnings) > 0 {
				t.Errorf("%d of %d clients in the result, warnings %q", r.InResult, n, r.Warnings)
			}
			if r.Operations != int64(len(ops)) {
				t.Errorf("the result counts %d operations, the merged recording holds %d", r.Operations, len(ops))
			}
			own, began := int64(0), []time.Time{} // by the coordinator's clock
			for i, c := range r.Clients {
				b, err := os.ReadFile(c.Recording)
				if err != nil {
					t.Fatal(err)
				}
				mine := harness.ReadOps(t, bytes.NewReader(b))
				own += int64(len(mine))
				if int64(len(mine)) != c.Operations {
					t.Errorf("client %d counts %d operations, its own recording holds %d", i, c.Operations, len(mine))
				}
				first, correct := firstOf(mine), protocol.NewCorrection(c.Clock, c.ClockEnd)
				if start := r.Start.Add(c.Clock.Offset); first.Before(start) {
					t.Errorf("client %d began %v before the common start", i, start.Sub(first))
				}
				began = append(began, correct.Apply(first))
			}
			if own != int64(len(ops)) {
				t.Errorf("clients recorded %d operations, the merged recording holds %d", own, len(ops))
			}
			harness.SameAsRecording(t, r.Snapshot, rec.Bytes())
			disjoint(t, ops, n)
			slices.SortFunc(began, time.Time.Compare)
			if want := began[n-1].Sub(began[0]); (r.Skew - want).Abs() > time.Microsecond {
				t.Errorf("clients are said to have begun %v apart, by their recordings it was %v", r.Skew, want)
			}
			if got := strings.Join(w.stages, " "); !strings.Contains(got, "benchmark cleanup") || w.measured != 1 {
				t.Errorf("the observer saw the stages %q, and %d results", got, w.measured)
			}
			if left := server.Requests(op.Put); left == 0 {
				t.Error("the server saw no PUT")
			}
			for _, c := range clients {
				if text := c.logged(); strings.Contains(text, "the-secret-key") || strings.Contains(text, harness.Token) {
					t.Errorf("a secret is in the log of a client: %s", text)
				}
			}
		})
	}
}

// disjoint tells of keys that two clients wrote.
func disjoint(t *testing.T, ops []op.Op, n int) {
	t.Helper()
	owner, ids := map[string]string{}, map[string]bool{}
	for _, o := range ops {
		ids[o.Client] = true
		if o.Kind != op.Put {
			continue
		}
		if was, ok := owner[o.Key]; ok && was != o.Client {
			t.Fatalf("clients %s and %s both wrote %q", was, o.Client, o.Key)
		}
		owner[o.Key] = o.Client
	}
	if len(ids) != n {
		t.Errorf("the recording is of %d clients, want %d", len(ids), n)
	}
}

// TestEmbedded runs two clients against a real server, which must be left as it was.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	s, err := embedded.Start(context.Background(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	_, addrs := startClients(t, 2)
	p := harness.Limited(t, "get", s.Endpoint(), 400, "-objects=20")
	keys := target.Credentials{AccessKey: s3.Secret(s.Access), SecretKey: s3.Secret(s.Secret)}
	p.Target.AccessKey, p.Target.SecretKey = keys.AccessKey, keys.SecretKey
	store, err := connect.New(p.Target)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := preflight.Open(store).Ensure(context.Background()); err != nil {
		t.Fatal(err)
	}
	var rec bytes.Buffer
	o := testOptions(addrs...)
	o.Recording = &rec
	r, err := coordinator.Run(context.Background(), p, keys, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Warnings) > 0 {
		t.Errorf("warnings: %q", r.Warnings)
	}
	for _, g := range r.Snapshot.Groups {
		if g.Errors > 0 || g.Requests == 0 {
			t.Errorf("%s: %d of %d requests failed: %v", g.Kind, g.Errors, g.Requests, g.FirstErrors)
		}
	}
	harness.SameAsRecording(t, r.Snapshot, rec.Bytes())
	if bytes.Contains(rec.Bytes(), []byte(s.Secret)) {
		t.Error("the secret key is in the recording")
	}
	var l ops.Listing
	if err := ops.List(context.Background(), store.Session(0), &s3.Call{}, &l); err != nil || len(l.Entries) > 0 {
		t.Errorf("%d objects are left (%v)", len(l.Entries), err)
	}
}

// TestStartSkew compares the first operations with the common start. The run ends when each client has deleted its objects.
func TestStartSkew(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	_, addrs := startClients(t, 4)
	r, _, err := runAll(context.Background(), harness.Plan(t, "delete", server.Host(), time.Hour, "-objects=40", "-batch=1"), testOptions(addrs...))
	if err != nil {
		t.Fatal(err)
	}
	notBefore(t, r.Clients, r.Start)
	if r.Skew <= 0 || r.Skew > time.Since(r.Start) {
		t.Errorf("skew of starts is %v", r.Skew)
	}
}

// TestStartAt waits for an instant that was given.
func TestStartAt(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	_, addrs := startClients(t, 2)
	o := testOptions(addrs...)
	o.StartAt = time.Now().Add(1500 * time.Millisecond)
	r, _, err := runAll(context.Background(), harness.Limited(t, "put", server.Host(), 100), o)
	if err != nil {
		t.Fatal(err)
	}
	notBefore(t, r.Clients, o.StartAt)
}

// notBefore fails for a client that began earlier than the errors of its two measured clocks explain: an offset is off by at
// most half of the round trip.
func notBefore(t *testing.T, clients []runinfo.ClientReport, start time.Time) {
	t.Helper()
	for _, c := range clients {
		bound := c.Clock.RTT / 2
		if c.ClockEnd != nil {
			bound += c.ClockEnd.RTT / 2
		}
		if early := start.Sub(c.First); early > bound+time.Millisecond {
			t.Errorf("client %s began %v before the common start; its clocks are %+v and %+v", c.Addr, early, c.Clock, c.ClockEnd)
		}
	}
}

// firstOf is when the benchmark itself began.
func firstOf(ops []op.Op) (first time.Time) {
	for _, o := range ops {
		if o.Phase != op.PhasePrepare && (first.IsZero() || o.Start.Before(first)) {
			first = o.Start
		}
	}
	return first
}

// TestClockOffset lets clocks be wrong: beyond a second a client is refused, below it is corrected.
func TestClockOffset(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{Record: true})
	ahead := func(d time.Duration) func(*Options) {
		return func(o *Options) { o.now = func() time.Time { return clock.Now().Add(d) } }
	}
	right, wrong, far := startClient(t, nil), startClient(t, ahead(400*time.Millisecond)), startClient(t, ahead(-2*time.Second))
	plan := harness.Limited(t, "put", server.Host(), 200)
	_, _, err := runAll(context.Background(), plan, testOptions(right.addr, far.addr))
	if err == nil || !strings.Contains(err.Error(), "behind this machine's") || strings.Contains(err.Error(), right.addr) {
		t.Fatalf("a clock 2 s behind: %v", err)
	}
	r, rec, err := runAll(context.Background(), plan, testOptions(right.addr, wrong.addr))
	if err != nil {
		t.Fatal(err)
	}
	if k := r.Clients[1].Clock; (k.Offset - 400*time.Millisecond).Abs() > k.RTT/2 {
		t.Errorf("an offset of 400 ms was measured as %v, with a round trip of %v", k.Offset, k.RTT)
	}
	if r.Clients[1].ClockEnd == nil || r.Clients[0].ClockEnd == nil {
		t.Fatal("clocks were not asked at the end")
	}
	// Its clock is right in truth and only says otherwise, so it begins 400 ms late; corrected, that is the common start. In
	// truth each operation began before the server had it, and was over when it had answered.
	server.Close()
	came := map[string]responder.Injection{}
	for _, i := range server.Injected() {
		came[i.Key] = i
	}
	clocks := map[string][]time.Duration{}
	for _, c := range r.Clients {
		clocks[c.ID] = []time.Duration{c.Clock.Offset, c.ClockEnd.Offset}
	}
	for _, o := range harness.ReadOps(t, rec) {
		least, most := slices.Min(clocks[o.Client]), slices.Max(clocks[o.Client])
		if o.Start.Add(most).Before(r.Start.Add(clocks[o.Client][0])) || o.Start.Add(least).After(came[o.Key].Came) || o.End.Add(most).Before(came[o.Key].Last) {
			t.Fatalf("client %s, whose clock is %v to %v ahead, has an operation from %v to %v: common start %v, by the server from %v to %v",
				o.Client, least, most, o.Start, o.End, r.Start, came[o.Key].Came, came[o.Key].Last)
		}
	}
}

// TestInterrupt stops a run that would go on for long.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	_, addrs := startClients(t, 2)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o := testOptions(addrs...)
	o.Observer = &watcher{onStage: func(s coordinator.Stage) {
		if s.Name == bench.StageBenchmark {
			go func() {
				for {
					if r, ok := s.Recent(clock.Now()); ok && r.Total.Ops > 10 && r.Phase == "" {
						cancel()
						return
					}
					time.Sleep(10 * time.Millisecond)
				}
			}()
		}
	}}
	r, rec, err := runAll(ctx, harness.Plan(t, "put", server.Host(), time.Hour), o)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Interrupted || r.InResult != 2 {
		t.Errorf("interrupted %v, %d clients in the result", r.Interrupted, r.InResult)
	}
	if n := int64(len(harness.ReadOps(t, rec))); n != r.Operations || n == 0 {
		t.Errorf("%d operations in the recording, %d in the result", n, r.Operations)
	}
}

// TestInterruptInPreparation ends before there is anything to measure.
func TestInterruptInPreparation(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{Rule: func(k op.Kind, _ uint64) responder.Fault {
		if k == op.Put {
			return responder.Fault{Delay: 20 * time.Millisecond}
		}
		return responder.Fault{}
	}})
	_, addrs := startClients(t, 2)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o := testOptions(addrs...)
	o.Observer = &watcher{onStage: func(s coordinator.Stage) {
		if s.Name == bench.StagePrepare {
			cancel()
		}
	}}
	_, _, err := runAll(ctx, harness.Plan(t, "get", server.Host(), time.Hour, "-objects=100000"), o)
	if err == nil || !strings.Contains(err.Error(), bench.ErrInterrupted.Error()) {
		t.Fatalf("got %v, want %v", err, bench.ErrInterrupted)
	}
}

// TestAutoterm ends a benchmark whose rate, over all clients, is stable; here any rate is.
// works: MinIO warp: `--autoterm` is not for several clients
func TestAutoterm(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{Rule: func(op.Kind, uint64) responder.Fault {
		return responder.Fault{Delay: 10 * time.Millisecond}
	}})
	_, addrs := startClients(t, 2)
	p := harness.Plan(t, "put", server.Host(), time.Minute)
	p.Phases[0].Autoterm = &bench.Autoterm{MinDuration: time.Second, Percent: 1000}
	w := &watcher{}
	o := testOptions(addrs...)
	o.Observer = w
	r, _, err := runAll(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Stable || r.Interrupted {
		t.Errorf("stable %v, interrupted %v", r.Stable, r.Interrupted)
	}
	if !strings.Contains(w.text(), "is stable") {
		t.Errorf("notices: %s", w.text())
	}
	if p.Phases[0].Autoterm == nil {
		t.Error("the plan of the caller was changed")
	}
}

// TestPrepareFails tells why, and that for all.
func TestPrepareFails(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{Rule: func(k op.Kind, n uint64) responder.Fault {
		if k == op.Put && n > 10 {
			return responder.Fault{Status: 500}
		}
		return responder.Fault{}
	}})
	_, addrs := startClients(t, 3)
	_, _, err := runAll(context.Background(), harness.Plan(t, "get", server.Host(), time.Second, "-objects=200"), testOptions(addrs...))
	if err == nil || !strings.Contains(err.Error(), "500") {
		t.Fatalf("got %v, want the server's 500", err)
	}
}

// TestPlanHoldsNoSecret looks for the secret in what travels as plan.
func TestPlanHoldsNoSecret(t *testing.T) {
	t.Parallel()
	p := harness.Plan(t, "put", "127.0.0.1:1", time.Second)
	p.Target.SecretKey = "the-secret-key"
	b, err := json.Marshal(protocol.Start{Plan: p})
	if err != nil || bytes.Contains(b, []byte("the-secret-key")) {
		t.Errorf("the plan travels as %s (%v)", b, err)
	}
}

// TestMergeByTime puts the recordings together with op.Merge.
func TestMergeByTime(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	_, addrs := startClients(t, 3)
	o := testOptions(addrs...)
	o.Merge = func(ctx context.Context, w io.Writer, files []string, _ *coordinator.Result) error {
		inputs := make([]recording.Input, len(files))
		for i, f := range files {
			inputs[i] = recording.Input{Name: f, Open: func() (io.ReadCloser, error) { return os.Open(f) }}
		}
		_, err := recording.Merge(ctx, w, recording.Header{Config: []byte(`{}`)}, inputs, nil)
		return err
	}
	r, rec, err := runAll(context.Background(), harness.Limited(t, "put", server.Host(), 600), o)
	if err != nil {
		t.Fatal(err)
	}
	harness.SameAsRecording(t, r.Snapshot, rec.Bytes())
	ops := harness.ReadOps(t, rec)
	if int64(len(ops)) != r.Operations {
		t.Errorf("%d operations in the recording, %d in the result", len(ops), r.Operations)
	}
	for i := 1; i < len(ops); i++ {
		if ops[i].End.Before(ops[i-1].End) {
			t.Fatalf("operation %d ended %v before the one in front of it", i, ops[i-1].End.Sub(ops[i].End))
		}
	}
}
