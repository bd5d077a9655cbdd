package distributed

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
	"warp/pkg/bench"
	"warp/pkg/op"
)

// TestMisbehaving has one client that knows the token, and hangs or lies at some stage, beside one that does not: the run
// goes on without it, says why, and its figures are not in the result.
func TestMisbehaving(t *testing.T) {
	begin := func(ctx context.Context, j *job, st *start) error {
		r := &relay{job: j, start: st, end: make(chan struct{})}
		start, err := (&group{job: j, share: st.Share}).Barrier(ctx, bench.StageBenchmark, nil)
		r.stage = bench.Stage{Name: bench.StageBenchmark, Start: start, Done: func() uint64 { return 1 }}
		r.tell()
		return err
	}
	hang := func(j *job) error {
		<-j.session.done
		return j.session.reason()
	}
	bounds := boundsBody{Bounds: aggregate.NewBounds(aggregate.Options{})}
	// measured is a client that has measured nothing, and says so.
	measured := func(ctx context.Context, j *job, st *start) error {
		if err := begin(ctx, j, st); err != nil {
			return err
		}
		j.expect(msgWindows) // whatever they are
		r := &relay{job: j, start: st, end: make(chan struct{})}
		r.stage = bench.Stage{Name: stageReport, Done: r.work.Load}
		r.tell()
		return r.askClock(ctx)
	}
	report := func(ctx context.Context, j *job, st *start) error {
		if err := measured(ctx, j, st); err != nil {
			return err
		}
		return j.session.sendDocument(ctx, msgBounds, bounds, func() {})
	}
	fetched := func(ctx context.Context, j *job, st *start) error {
		asked := j.expect(msgFetch)
		if err := report(ctx, j, st); err != nil {
			return err
		}
		if err := j.session.sendDocument(ctx, msgAggregated, runEnd{}, func() {}); err != nil {
			return err
		}
		return j.await(ctx, asked, nil)
	}
	for _, tt := range []struct {
		name string
		do   func(ctx context.Context, j *job, st *start) error
		want string
	}{
		{"hangs in the benchmark", func(ctx context.Context, j *job, st *start) error {
			_ = begin(ctx, j, st)
			return hang(j)
		}, "its benchmark did not end"},
		{"hangs in its report", func(ctx context.Context, j *job, st *start) error {
			_ = report(ctx, j, st)
			return hang(j)
		}, "handing over its results, it got nowhere for"},
		{"hangs handing over", func(ctx context.Context, j *job, st *start) error {
			_ = fetched(ctx, j, st)
			return hang(j)
		}, "handing over its results, it got nowhere for"},
		{"comes and goes", func(ctx context.Context, j *job, st *start) error {
			_ = begin(ctx, j, st)
			for j.session.reason() == nil {
				j.mu.Lock()
				if j.conn != nil {
					j.conn.Close()
				}
				j.mu.Unlock()
				clock.Pause(ctx, 10*time.Millisecond)
			}
			return hang(j)
		}, "its benchmark did not end"},
		{"has too much to say", func(ctx context.Context, j *job, st *start) error {
			if err := report(ctx, j, st); err != nil {
				return err
			}
			for range documents[msgAggregated]/chunkSize + 1 {
				if err := j.session.send(ctx, msgChunk, make([]byte, chunkSize)); err != nil {
					return err
				}
			}
			return hang(j)
		}, `"aggregated" is longer than the 4194304 bytes that are allowed`},
		{"cannot say what it has to say", func(ctx context.Context, j *job, st *start) error {
			if err := report(ctx, j, st); err != nil {
				return err
			}
			return j.session.sendDocument(ctx, msgAggregated, runEnd{Warnings: peerTexts{peerText(strings.Repeat("!", documents[msgAggregated]))}}, func() {})
		}, "is 4194321 bytes long, too much for the 4194304"},
		{"says another length", func(ctx context.Context, j *job, st *start) error {
			_ = measured(ctx, j, st)
			_ = j.session.send(ctx, msgChunk, []byte("{}"))
			_ = j.session.send(ctx, msgBounds, enclosed{3})
			return hang(j)
		}, `"bounds" should be 3 bytes long, and 2 came`},
		{"reports another client", func(ctx context.Context, j *job, st *start) error {
			_ = measured(ctx, j, st)
			b := aggregate.NewBounds(aggregate.Options{})
			_ = b.Write([]op.Op{{Kind: op.Put, Client: "him", Start: time.Now(), End: time.Now().Add(time.Second)}})
			_ = j.session.sendDocument(ctx, msgBounds, boundsBody{Bounds: b}, func() {})
			return hang(j)
		}, `it reports a client "him"`},
		{"is in an unknown stage", func(ctx context.Context, j *job, st *start) error {
			_ = begin(ctx, j, st)
			j.session.post(msgLive, live{count: count{Stage: "nowhere"}})
			return hang(j)
		}, `a live message is of a stage "nowhere"`},
		{"comes to an unknown stage", func(ctx context.Context, j *job, st *start) error {
			_ = begin(ctx, j, st)
			_ = j.session.send(ctx, msgMeet, meet{N: 7, Stage: "nowhere"})
			return hang(j)
		}, `it came to a stage "nowhere"`},
		{"asks again and again", func(ctx context.Context, j *job, st *start) error {
			_ = begin(ctx, j, st)
			const key = "what nobody else asks for"
			j.expect(msgMake + " " + key) // it may come before the last question is sent, and would end the session by itself
			for range 3 {
				_ = j.session.send(ctx, msgOnce, once{Key: key})
			}
			return hang(j)
		}, "it asks for the same thing twice"},
		{"reports a kind that steers the terminal", func(ctx context.Context, j *job, st *start) error {
			_ = begin(ctx, j, st)
			j.session.post(msgLive, live{count: count{Stage: bench.StageBenchmark}, Kinds: []liveKind{{Kind: "\x1b]0;mine\x07", Ops: 1}}})
			return hang(j)
		}, `it reports operations "\x1b]0;mine`},
		{"reports too many kinds", func(ctx context.Context, j *job, st *start) error {
			_ = measured(ctx, j, st)
			var groups []string
			for i := range maxKinds + 1 {
				groups = append(groups, fmt.Sprintf(`{"op":"%d","threads":[{"client":%q,"thread":0,"first_end_ns":1,"last_start_ns":2,"ops":3}]}`, i, st.ID))
			}
			_ = j.session.sendDocument(ctx, msgBounds, json.RawMessage(`{"bounds":{"groups":[`+strings.Join(groups, ",")+`]}}`), func() {})
			return hang(j)
		}, "its bounds are of 65 phases and kinds of operations, more than 64"},
		{"reports too many hosts", func(ctx context.Context, j *job, st *start) error {
			_ = fetched(ctx, j, st)
			g := &aggregate.Group{Kind: op.Put, ByHost: map[string]*aggregate.Part{}}
			for i := range maxHosts + 1 {
				g.ByHost[fmt.Sprint(i)] = &aggregate.Part{}
			}
			_ = j.session.sendDocument(ctx, msgSnapshot, snapshotBody{&aggregate.Snapshot{Version: aggregate.Version, Groups: []*aggregate.Group{g}}}, func() {})
			return hang(j)
		}, "more than 1024 hosts"},
		{"commands", func(ctx context.Context, j *job, st *start) error {
			_ = begin(ctx, j, st)
			_ = j.session.send(ctx, msgStop, stop{})
			return hang(j)
		}, "which is not for clients to say"},
		{"has a recording out of turn", func(ctx context.Context, j *job, st *start) error {
			_ = begin(ctx, j, st)
			_ = j.session.send(ctx, msgChunk, make([]byte, 10))
			return hang(j)
		}, `it said "chunk" where "measured" was due`},
		{"has no bounds", func(ctx context.Context, j *job, st *start) error {
			_ = measured(ctx, j, st)
			_ = j.session.sendDocument(ctx, msgBounds, boundsBody{}, func() {})
			return hang(j)
		}, "it sent no bounds"},
		{"has bounds that are none", func(ctx context.Context, j *job, st *start) error {
			_ = measured(ctx, j, st)
			_ = j.session.sendDocument(ctx, msgBounds, json.RawMessage(`{"bounds":[1,2,3]}`), func() {})
			return hang(j)
		}, `"bounds" is malformed`},
		{"has a snapshot that is none", func(ctx context.Context, j *job, st *start) error {
			_ = fetched(ctx, j, st)
			_ = j.session.sendDocument(ctx, msgSnapshot, json.RawMessage(`{"snapshot":{"groups":[{"latency":"x"}]}}`), func() {})
			return hang(j)
		}, `"snapshot" is malformed`},
		{"has a snapshot of another time", func(ctx context.Context, j *job, st *start) error {
			_ = fetched(ctx, j, st)
			_ = j.session.sendDocument(ctx, msgSnapshot, json.RawMessage(`{"snapshot":{"version":99}}`), func() {})
			return hang(j)
		}, "version"},
		{"goes to clean-up again and again", func(ctx context.Context, j *job, st *start) error {
			_ = begin(ctx, j, st)
			for i := range 5 {
				_ = j.session.send(ctx, msgMeet, meet{N: i + 1, Stage: bench.StageCleanup})
			}
			return hang(j)
		}, "too often"},
		{"is done twice", func(ctx context.Context, j *job, st *start) error {
			_ = begin(ctx, j, st)
			_ = j.session.send(ctx, msgDone, done{})
			_ = j.session.send(ctx, msgDone, done{})
			return nil
		}, "handed over no figures"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := startServer(t, responder.Options{})
			good := startClient(t, nil)
			bad := startClient(t, func(o *ClientOptions) {
				o.Grace = time.Second
				o.run = func(ctx context.Context, j *job, st *start, _ *secrets) done {
					ctx, stop := context.WithCancelCause(ctx)
					defer stop(nil)
					j.began(stop)
					return done{Err: peerText(errText(tt.do(ctx, j, st)))}
				}
			})
			o := testOptions(bad.addr, good.addr)
			o.Grace, o.timing.stall = time.Second, time.Second
			w := &watcher{}
			o.Observer = w
			var rec bytes.Buffer
			o.Recording = &rec
			r, err := Run(context.Background(), testPlan(t, "put", server.Host(), 700*time.Millisecond), credentials, o)
			if err != nil {
				t.Fatal(err)
			}
			told := strings.Join(r.Warnings, "\n") + w.text()
			if !strings.Contains(told, tt.want) || !strings.Contains(told, "covers 1 of 2 clients") {
				t.Errorf("told was: %.2000s", told)
			}
			if strings.Contains(told, "nothing of that is missing") {
				t.Errorf("what is missing is said not to be: %.2000s", told)
			}
			if n := int64(len(readOps(t, &rec))); n == 0 || n != r.Operations || n != r.Clients[1].Operations {
				t.Errorf("%d operations in the recording, %d in the result, %d of the good client; told was: %.2000s", n, r.Operations, r.Clients[1].Operations, told)
			}
			until(t, "both clients are free", func() bool { return good.busy() == "" && bad.busy() == "" })
		})
	}
}

// TestHangsInPreparation has a client that never comes to the benchmark: a person is told for whom all wait, and can stop it.
func TestHangsInPreparation(t *testing.T) {
	server := startServer(t, responder.Options{})
	good := startClient(t, nil)
	bad := startClient(t, func(o *ClientOptions) {
		o.run = func(_ context.Context, j *job, _ *start, _ *secrets) done {
			<-j.session.done // whatever it is told
			return done{}
		}
	})
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	w := &watcher{}
	o := testOptions(good.addr, bad.addr)
	o.timing.stall, o.Observer = 500*time.Millisecond, w
	go func() {
		for !strings.Contains(w.text(), "got nowhere with its preparation") && clock.Pause(ctx, 10*time.Millisecond) {
		}
		stop()
	}()
	_, _, err := runAll(ctx, testPlan(t, "put", server.Host(), time.Hour), o)
	if err == nil || !strings.Contains(err.Error(), bad.addr+": it was told to stop") {
		t.Errorf("got %v", err)
	}
	if text := w.text(); strings.Count(text, "got nowhere") != 1 || !strings.Contains(text, "Client "+bad.addr+" has got nowhere") {
		t.Errorf("notices: %s", text)
	}
	until(t, "both clients are free", func() bool { return good.busy() == "" && bad.busy() == "" })
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
