package bench_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/aggregate"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
)

// TestErrorsByHost: the classes that are reported of each host are those that it sent, and segments add up to them.
func TestErrorsByHost(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		ownServer(t)
		start := func(status int, every uint64) *responder.Server {
			return startResponder(t, responder.Options{Forget: true, ObjectSize: 64, Rule: func(k op.Kind, n uint64) (a responder.Fault) {
				if k == op.Delete && n > 10 && n%every == 0 { // the first are the preflight's
					a.Status = status
				}
				return a
			}})
		}
		one, other := start(503, 4), start(500, 3)
		cfg := s3.Config{Hosts: []string{one.Host(), other.Host()}, AccessKey: "a", SecretKey: "s", Bucket: "bucket", Concurrency: 4, Engine: engine, HostSelect: "roundrobin"}
		store, err := connect.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		session := store.Session(0)
		m := &memory{}
		began := time.Now()
		for i := range 400 {
			c := &s3.Call{Key: "k"}
			o := op.Op{Kind: op.Delete, Client: "c", Thread: uint32(i % 2), Objects: 1}
			err := ops.Delete(context.Background(), session, c)
			o.Endpoint, o.Start, o.End = c.Host, began.Add(time.Duration(i)*10*time.Millisecond), began.Add(time.Duration(i+1)*10*time.Millisecond)
			if err != nil {
				o.Err = err.Error()
			}
			m.ops = append(m.ops, o)
		}
		snap, err := aggregate.Analyze(aggregate.Options{Segment: 500 * time.Millisecond, HostSegments: true}, func() (op.Source, func() error, error) {
			return &slice{ops: m.ops}, func() error { return nil }, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		g := snap.Groups[0]
		for _, h := range []struct {
			server *responder.Server
			class  string
			status int
		}{{one, "503 SlowDown", 503}, {other, "500 InternalError", 500}} {
			sent := int64(h.server.Responses(op.Delete, h.status))
			p := g.ByHost[h.server.URL()]
			if sent == 0 || !maps.Equal(p.ErrorsByClass, map[string]int64{h.class: sent}) {
				t.Errorf("%s: %v reported, %d sent", h.class, p.ErrorsByClass, sent)
			}
			inSegments, inSeries := int64(0), int64(0)
			for i := range g.Segments {
				inSegments += g.Segments[i].ErrorsByClass[h.class]
				inSeries += p.Series[i].ErrorsByClass[h.class]
			}
			if inSegments == 0 || inSegments > sent || inSeries != inSegments {
				t.Errorf("%s: %d in segments, %d in the host's, %d sent", h.class, inSegments, inSeries, sent)
			}
		}
	})
}
