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
	"warp/pkg/s3/connect"
)

// TestResentDeletions: a server deletes what it is asked for, and closes the connection instead of saying so. The request is sent again,
// and that there is nothing any more is no failure.
func TestResentDeletions(t *testing.T) {
	eachSetup(t, func(t *testing.T, c setup) {
		for _, batch := range []string{"-batch=1", "-batch=10"} {
			s := c.oddly(t, responder.Options{Rule: func(k op.Kind, n uint64) responder.Fault {
				lost := k == op.Delete && n%4 == 3
				return responder.Fault{Close: lost, Execute: lost}
			}})
			m, _, err := job{workload: "delete", args: []string{batch}, change: func(p *bench.Plan) {
				p.Target, p.Phases[0].Concurrency = s.cfg, 1 // so the next request is the same one again
			}}.run(t.Context(), t, s.Store)
			resent := 0
			for _, o := range m.benchmark() {
				resent += o.Resent
			}
			if err != nil || m.failed() != "" || resent == 0 || len(s.left()) > 0 {
				t.Errorf("%s: %v; failed: %s; %d sent again; left: %q", batch, err, m.failed(), resent, s.left())
			}
		}
	})
}

// TestResentOperations: a server closes each 50th request's connection without a response. No operation fails, with either engine, and the
// recording and the report count those that met it.
func TestResentOperations(t *testing.T) {
	for _, kind := range []op.Kind{op.Get, op.Stat, op.Put} {
		t.Run(string(kind), func(t *testing.T) {
			eachRuler(t, func(t *testing.T, c setup) {
				ownServer(t)
				var closed, sent atomic.Int64
				r, cfg, err := c.Start(responder.Options{Keep: true, Rule: func(k op.Kind, _ uint64) responder.Fault {
					if k != kind || sent.Add(1)%50 != 0 {
						return responder.Fault{}
					}
					closed.Add(1)
					return responder.Fault{Close: true}
				}})
				if err != nil {
					t.Fatal(err)
				}
				cfg.Bucket, cfg.Concurrency, cfg.Engine = "bucket", 1, c.engine
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
