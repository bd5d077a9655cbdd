package bench_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// TestStoreGone has the store end for good at every stage of a run that would go on: the run ends, reports what was
// measured, and does not try to clean up.
func TestStoreGone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind     op.Kind
		n        uint64 // the request at which it ends
		measured bool
	}{
		"looked at": {op.Put, 0, false}, // the preflight
		"preparing": {op.Put, 20, false},
		"measuring": {op.Get, 200, true},
		"cleaning":  {op.Delete, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ownServer(t)
			over := make(chan struct{})
			end := sync.OnceFunc(func() { close(over) })
			server, err := responder.New(responder.Options{Keep: true, Rule: func(k op.Kind, n uint64) responder.Fault {
				if k == c.kind && n == c.n {
					end()
				}
				select {
				case <-over:
					return responder.Fault{Close: true}
				default:
					return responder.Fault{}
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = server.Close() })
			store, err := connect.New(s3.Config{Hosts: []string{server.Host()}, AccessKey: "a", SecretKey: "b", Bucket: "gone", Concurrency: 4})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			plan := job{workload: "get", args: []string{"-objects=100"}, change: func(p *bench.Plan) {
				p.Target.Hosts, p.Target.AccessKey, p.Target.SecretKey = []string{server.Host()}, "a", "b"
				p.Phases[0].Duration = time.Minute
				if name == "cleaning" {
					p.Phases[0].Duration = 100 * time.Millisecond
				}
			}}.plan(t, store)
			w := &stageWatch{}
			result, err := bench.Perform(context.Background(), plan, bench.Env{Store: store, Client: "test", Observer: w, Gone: over})
			if !errors.Is(err, bench.ErrStoreGone) {
				t.Errorf("error %v", err)
			}
			if (result != nil) != c.measured {
				t.Errorf("measured: %+v", result)
			}
			if cleaned := w.last == bench.StageCleanup; cleaned != (name == "cleaning") {
				t.Errorf("the last stage is %s", w.last)
			}
			if c.measured && name != "cleaning" && (!result.Interrupted || !strings.Contains(strings.Join(result.Warnings, " "), bench.ErrStoreGone.Error())) {
				t.Errorf("the result does not say so: %+v", result)
			}
		})
	}
}

// stageWatch notes the last stage of a run.
type stageWatch struct{ last string }

func (w *stageWatch) Stage(s bench.Stage) { w.last = s.Name }
func (*stageWatch) Notice(string)         {}
