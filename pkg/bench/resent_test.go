package bench_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"warp/internal/responder"
	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// TestResentOperations: a server closes each 50th request's connection without a response. No operation fails, with either engine, and the
// recording and the report count those that met it.
func TestResentOperations(t *testing.T) {
	for _, kind := range []op.Kind{op.Get, op.Stat, op.Put} {
		t.Run(string(kind), func(t *testing.T) {
			eachRuler(t, func(t *testing.T, engine string) {
				ownServer(t)
				var closed, sent atomic.Int64
				r, err := responder.New(responder.Options{Keep: true, Rule: func(k op.Kind, _ uint64) responder.Fault {
					if k != kind || sent.Add(1)%50 != 0 {
						return responder.Fault{}
					}
					closed.Add(1)
					return responder.Fault{Close: true}
				}})
				if err != nil {
					t.Fatal(err)
				}
				cfg := s3.Config{Hosts: []string{r.Host()}, AccessKey: "a", SecretKey: "s", Bucket: "bucket", Concurrency: 1, Engine: engine}
				store, err := connect.New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				j := job{workload: strings.ToLower(string(kind)), change: func(p *bench.Plan) {
					p.Target, p.Phases[0].Concurrency, p.Phases[0].Ops = cfg, 1, 300 // so the next request is the same one again
				}}
				m, _, err := j.run(t.Context(), t, store)
				store.Close()
				if err := errors.Join(err, r.Close()); err != nil {
					t.Fatal(err)
				}
				resent, operations := int64(0), int64(0)
				for _, o := range m.ops {
					if o.Failed() || o.Retries > 0 {
						t.Errorf("%s, %d retries", o.Err, o.Retries)
					}
					resent += int64(o.Resent)
					if o.Resent > 0 {
						operations++
					}
				}
				if resent != closed.Load() || closed.Load() == 0 {
					t.Errorf("%d requests are recorded as sent again, the server closed the connections of %d", resent, closed.Load())
				}
				snap, err := aggregate.Analyze(aggregate.Options{}, func() (op.Source, func() error, error) {
					return &slice{ops: m.ops}, func() error { return nil }, nil
				})
				if err != nil {
					t.Fatal(err)
				}
				counted, said := int64(0), 0
				for _, g := range snap.Groups {
					counted += g.Resent
					for _, w := range snap.Warnings {
						if strings.HasPrefix(w, fmt.Sprintf("%s: %d of %d operations met a connection", g.Name(), g.Resent, g.Requests)) {
							said++
						}
					}
				}
				if counted != operations || said == 0 {
					t.Errorf("the report counts %d of %d operations, %q", counted, operations, snap.Warnings)
				}
			})
		})
	}
}
