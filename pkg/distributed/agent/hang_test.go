package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/internal/responder"
	"warp/pkg/aggregate"
	"warp/pkg/aggregate/live"
	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/op"
	"warp/pkg/trace"
)

// begin has a client begin the benchmark, and say that it performed an operation.
func begin(ctx context.Context, j *job, st *protocol.Start) error {
	r := &reporter{job: j, start: st, end: make(chan struct{})}
	start, err := (&group{job: j, share: st.Share}).Barrier(ctx, bench.StageBenchmark, nil)
	r.stage = bench.Stage{Name: bench.StageBenchmark, Start: start, Done: func() uint64 { return 1 }}
	r.sendLive()
	return err
}

// TestMisbehaving has one client that knows the token, and hangs or lies at some stage, and one that does not: the run
// goes on without it, says why, and its figures are not in the result.
func TestMisbehaving(t *testing.T) {
	t.Parallel()
	hang := func(j *job) error {
		<-j.session.Done()
		return j.session.Err()
	}
	bounds := protocol.Bounds{Bounds: aggregate.NewBounds(aggregate.Options{})}
	// measured is a client that has measured nothing, and says so.
	measured := func(ctx context.Context, j *job, st *protocol.Start) error {
		if err := begin(ctx, j, st); err != nil {
			return err
		}
		j.expect(protocol.MsgWindows) // whatever they are
		h := &handover{job: j, start: st}
		r := &reporter{job: j, start: st, end: make(chan struct{})}
		r.stage = bench.Stage{Name: protocol.StageReport, Done: h.progressed.Load}
		r.sendLive()
		return h.exchangeClock(ctx)
	}
	report := func(ctx context.Context, j *job, st *protocol.Start) error {
		if err := measured(ctx, j, st); err != nil {
			return err
		}
		return j.session.SendDocument(ctx, protocol.MsgBounds, bounds, func() {})
	}
	fetched := func(ctx context.Context, j *job, st *protocol.Start) error {
		asked := j.expect(protocol.MsgFetch)
		if err := report(ctx, j, st); err != nil {
			return err
		}
		if err := j.session.SendDocument(ctx, protocol.MsgAggregated, protocol.RunEnd{}, func() {}); err != nil {
			return err
		}
		return j.await(ctx, asked, nil)
	}
	for _, tt := range []struct {
		name string
		do   func(ctx context.Context, j *job, st *protocol.Start) error
		want string
	}{
		{"hangs in the benchmark", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = begin(ctx, j, st)
			return hang(j)
		}, "still measuring "},
		{"hangs in its report", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = report(ctx, j, st)
			return hang(j)
		}, "no progress in handing over results for"},
		{"hangs handing over", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = fetched(ctx, j, st)
			return hang(j)
		}, "no progress in handing over results for"},
		{"comes and goes", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = begin(ctx, j, st)
			for j.session.Err() == nil {
				j.connection.mu.Lock()
				if j.connection.conn != nil {
					j.connection.conn.Close()
				}
				j.connection.mu.Unlock()
				clock.Pause(ctx, 10*time.Millisecond)
			}
			return hang(j)
		}, "still measuring "},
		{"has too much to say", func(ctx context.Context, j *job, st *protocol.Start) error {
			if err := report(ctx, j, st); err != nil {
				return err
			}
			for range protocol.Wire.Documents[protocol.MsgAggregated]/transport.ChunkSize + 1 {
				if err := j.session.Send(ctx, transport.Chunk, make([]byte, transport.ChunkSize)); err != nil {
					return err
				}
			}
			return hang(j)
		}, `message "aggregated" has more than 4194304 bytes`},
		{"cannot say what it has to say", func(ctx context.Context, j *job, st *protocol.Start) error {
			if err := report(ctx, j, st); err != nil {
				return err
			}
			return j.session.SendDocument(ctx, protocol.MsgAggregated, protocol.RunEnd{Warnings: transport.PeerTexts{transport.PeerText(strings.Repeat("!", protocol.Wire.Documents[protocol.MsgAggregated]))}}, func() {})
		}, "has 4194321 bytes, want at most 4194304"},
		{"says another length", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = measured(ctx, j, st)
			_ = j.session.Send(ctx, transport.Chunk, []byte("{}"))
			_ = j.session.Send(ctx, protocol.MsgBounds, transport.DocumentEnd{Bytes: 3})
			return hang(j)
		}, `message "bounds" states 3 bytes, received 2`},
		{"reports another client", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = measured(ctx, j, st)
			b := aggregate.NewBounds(aggregate.Options{})
			_ = b.Write([]op.Op{{Kind: op.Put, Client: "him", Start: time.Now(), End: time.Now().Add(time.Second)}})
			_ = j.session.SendDocument(ctx, protocol.MsgBounds, protocol.Bounds{Bounds: b}, func() {})
			return hang(j)
		}, `reports operations of client "him"`},
		{"is in an unknown stage", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = begin(ctx, j, st)
			j.session.Post(protocol.MsgLive, protocol.Live{Count: protocol.Count{Stage: "nowhere"}})
			return hang(j)
		}, `live message of unknown stage "nowhere"`},
		{"comes to an unknown stage", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = begin(ctx, j, st)
			_ = j.session.Send(ctx, protocol.MsgBarrierReached, protocol.Arrival{N: 7, Stage: "nowhere"})
			return hang(j)
		}, `arrived at unknown stage "nowhere"`},
		{"asks again and again", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = begin(ctx, j, st)
			const key = "what nobody else asks for"
			j.expect(protocol.MsgCreate + " " + key) // it may come before the last question is sent, and would end the session by itself
			for range 3 {
				_ = j.session.Send(ctx, protocol.MsgRunOnce, protocol.SharedValue{Key: key})
			}
			return hang(j)
		}, "requested the same value twice"},
		{"reports a kind that steers the terminal", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = begin(ctx, j, st)
			j.session.Post(protocol.MsgLive, protocol.Live{Count: protocol.Count{Stage: bench.StageBenchmark}, Kinds: []protocol.LiveKind{{Kind: "\x1b]0;mine\x07", Ops: 1}}})
			return hang(j)
		}, `invalid kind "\x1b]0;mine`},
		{"replays a kind that steers the terminal", func(ctx context.Context, j *job, st *protocol.Start) error {
			if err := report(ctx, j, st); err != nil {
				return err
			}
			replays := []protocol.Replay{{Replayed: trace.Replayed{Kinds: []trace.ReplayedKind{{Kind: "\x1b]0;mine\x07"}}}}}
			_ = j.session.SendDocument(ctx, protocol.MsgAggregated, protocol.RunEnd{Replays: replays}, func() {})
			return hang(j)
		}, `invalid kind "\x1b]0;mine`},
		{"counts a phase that steers the terminal", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = begin(ctx, j, st)
			_ = j.session.Send(ctx, protocol.MsgCount, protocol.KindCount{Count: live.Count{Kind: op.Put, Phase: "\x1b]0;mine\x07"}})
			return hang(j)
		}, `phase "\x1b]0;mine`},
		{"counts operations of another client", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = begin(ctx, j, st)
			_ = j.session.Send(ctx, protocol.MsgCount, protocol.KindCount{Count: live.Count{Kind: op.Put, Clients: []string{"him"}}})
			return hang(j)
		}, `reports operations of client "him"`},
		{"counts kinds without end", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = begin(ctx, j, st)
			for i := range 2*aggregate.MaxKinds + 1 { // of one stream and the preparation
				_ = j.session.Send(ctx, protocol.MsgCount, protocol.KindCount{Count: live.Count{Kind: op.Kind(fmt.Sprint(i)), Requests: 1}})
			}
			return hang(j)
		}, "too many kinds of operations"},
		{"reports too many kinds", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = measured(ctx, j, st)
			var groups []string
			for i := range 2*aggregate.MaxKinds + 1 { // of one stream and the preparation
				groups = append(groups, fmt.Sprintf(`{"op":"%d","clients":[{"client":%q,"threads":[[0,1,2,1,2,3]]}]}`, i, st.ID))
			}
			_ = j.session.SendDocument(ctx, protocol.MsgBounds, json.RawMessage(`{"bounds":{"groups":[`+strings.Join(groups, ",")+`]}}`), func() {})
			return hang(j)
		}, "bounds of 513 phases and kinds of operations, want at most 512"},
		{"reports too many hosts", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = fetched(ctx, j, st)
			g := &aggregate.Group{Kind: op.Put, ByHost: map[string]*aggregate.Part{}}
			for i := range 1024 + 1 {
				g.ByHost[fmt.Sprint(i)] = &aggregate.Part{}
			}
			_ = j.session.SendDocument(ctx, protocol.MsgSnapshot, protocol.Snapshot{Snapshot: &aggregate.Snapshot{Version: aggregate.Version, Groups: []*aggregate.Group{g}}}, func() {})
			return hang(j)
		}, "more than 1024 hosts"},
		{"commands", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = begin(ctx, j, st)
			_ = j.session.Send(ctx, protocol.MsgStop, protocol.Stop{})
			return hang(j)
		}, "invalid message \"stop\" of a client"},
		{"has a recording out of turn", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = begin(ctx, j, st)
			_ = j.session.Send(ctx, transport.Chunk, make([]byte, 10))
			return hang(j)
		}, `unexpected message "chunk", want "measured"`},
		{"has no bounds", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = measured(ctx, j, st)
			_ = j.session.SendDocument(ctx, protocol.MsgBounds, protocol.Bounds{}, func() {})
			return hang(j)
		}, "no bounds were sent"},
		{"has bounds that are none", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = measured(ctx, j, st)
			_ = j.session.SendDocument(ctx, protocol.MsgBounds, json.RawMessage(`{"bounds":[1,2,3]}`), func() {})
			return hang(j)
		}, `malformed body of message "bounds"`},
		{"has an invalid snapshot", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = fetched(ctx, j, st)
			_ = j.session.SendDocument(ctx, protocol.MsgSnapshot, json.RawMessage(`{"snapshot":{"groups":[{"latency":"x"}]}}`), func() {})
			return hang(j)
		}, `malformed body of message "snapshot"`},
		{"has a snapshot of another time", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = fetched(ctx, j, st)
			_ = j.session.SendDocument(ctx, protocol.MsgSnapshot, json.RawMessage(`{"snapshot":{"version":99}}`), func() {})
			return hang(j)
		}, "version"},
		{"goes to clean-up again and again", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = begin(ctx, j, st)
			for i := range 5 {
				_ = j.session.Send(ctx, protocol.MsgBarrierReached, protocol.Arrival{N: i + 1, Stage: bench.StageCleanup})
			}
			return hang(j)
		}, "too often"},
		{"is done twice", func(ctx context.Context, j *job, st *protocol.Start) error {
			_ = begin(ctx, j, st)
			_ = j.session.Send(ctx, protocol.MsgDone, protocol.Done{})
			_ = j.session.Send(ctx, protocol.MsgDone, protocol.Done{})
			return nil
		}, "handed over no results"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := harness.Server(t, responder.Options{})
			good := startClient(t, nil)
			bad := startClient(t, func(o *Options) {
				o.Grace = 10 * time.Second
				o.run = func(ctx context.Context, j *job, st *protocol.Start, _ *protocol.Secrets) protocol.Done {
					return protocol.Done{Err: transport.PeerText(errText(tt.do(ctx, j, st)))}
				}
			})
			o := testOptions(bad.addr, good.addr)
			o.Timing.Stall = 6 * time.Second
			w := &watcher{}
			endOnceSeen(t, &o, w, func() {}, func() bool { return true }) // a client has performed operations
			var rec bytes.Buffer
			o.Recording = &rec
			r, err := coordinator.Run(context.Background(), harness.Plan(t, "put", server.Host(), time.Hour), harness.Credentials, o)
			if err != nil {
				t.Fatal(err)
			}
			told := strings.Join(r.Warnings, "\n") + w.text()
			if !strings.Contains(told, tt.want) || !strings.Contains(told, "covers 1 of 2 clients") {
				t.Errorf("told was: %.2000s", told)
			}
			if strings.Contains(told, "nothing is missing") {
				t.Errorf("what is missing is said not to be: %.2000s", told)
			}
			if n := int64(len(harness.ReadOps(t, &rec))); n == 0 || n != r.Operations || n != r.Clients[1].Operations {
				t.Errorf("%d operations in the recording, %d in the result, %d of the good client; told was: %.2000s", n, r.Operations, r.Clients[1].Operations, told)
			}
			harness.Until(t, "both clients are free", func() bool { return good.busy() == "" && bad.busy() == "" })
		})
	}
}

// TestHangsInPreparation has a client that never comes to the benchmark: a person is told for whom all wait, and can stop it.
func TestHangsInPreparation(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	good := startClient(t, nil)
	bad := startClient(t, func(o *Options) {
		o.run = func(_ context.Context, j *job, _ *protocol.Start, _ *protocol.Secrets) protocol.Done {
			<-j.session.Done() // whatever it is told
			return protocol.Done{}
		}
	})
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	w := &watcher{}
	o := testOptions(good.addr, bad.addr)
	o.Timing.Stall, o.Observer = 2*time.Second, w
	go func() {
		for !strings.Contains(w.text(), "made no progress in its preparation") && clock.Pause(ctx, 10*time.Millisecond) {
		}
		stop()
	}()
	_, _, err := runAll(ctx, harness.Plan(t, "put", server.Host(), time.Hour), o)
	if err == nil || !strings.Contains(err.Error(), bad.addr+": still running ") {
		t.Errorf("got %v", err)
	}
	if text := w.text(); strings.Count(text, "Client "+bad.addr+" has made no progress") != 1 {
		t.Errorf("notices: %s", text)
	}
	harness.Until(t, "both clients are free", func() bool { return good.busy() == "" && bad.busy() == "" })
}

// TestHangsInCountedPhase has a client hang in a phase of a number of operations, which has no end in time: a person is told whom all wait for, and
// once the phase is ended, the run goes on without it.
func TestHangsInCountedPhase(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	good := startClient(t, nil)
	bad := startClient(t, func(o *Options) {
		o.run = func(ctx context.Context, j *job, st *protocol.Start, _ *protocol.Secrets) protocol.Done {
			_ = begin(ctx, j, st)
			<-j.session.Done()
			return protocol.Done{}
		}
	})
	w, ends := &watcher{}, make(chan int, 1)
	o := testOptions(good.addr, bad.addr)
	o.Timing.Stall, o.Observer, o.EndPhase = 2*time.Second, w, ends
	go func() {
		for !strings.Contains(w.text(), "Client "+bad.addr+" has made no progress for 2s; all clients wait for it.") && clock.Pause(t.Context(), 10*time.Millisecond) {
		}
		ends <- 0
	}()
	p := harness.Plan(t, "put", server.Host(), 0)
	p.Phases[0].Ops = 100
	r, rec, err := runAll(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(harness.ReadOps(t, rec)); n != 50 || r.InResult != 1 || !strings.Contains(r.Clients[1].Err, "still measuring ") {
		t.Errorf("%d operations; the clients are reported as %+v", n, r.Clients)
	}
	harness.Until(t, "both clients are free", func() bool { return good.busy() == "" && bad.busy() == "" })
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
