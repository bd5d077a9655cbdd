package bench_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// TestCompose: stores that join objects make new ones of as many as were asked for, and each request is recorded with the bytes that it
// joined. Other stores are refused before anything is sent.
func TestCompose(t *testing.T) {
	const objects, sources = 8, 3
	eachSetup(t, func(t *testing.T, c setup) {
		s := c.oddly(t, responder.Options{})
		j := job{workload: "copy", args: []string{"-objects=8", "-compose=3"}, change: func(p *bench.Plan) {
			p.Target, p.KeepData, p.Phases[0].Duration, p.Phases[0].Passes = s.cfg, true, 0, 2
		}}
		if lack := connect.Dialect(&c.Config).Lacks(s3.Composing); lack != "" {
			if _, err := bench.Compile(j.plan(t, s)); err == nil || !strings.Contains(err.Error(), lack) {
				t.Errorf("%v (want what the store lacks)", err)
			}
			return
		}
		plan, err := bench.Compile(j.plan(t, s))
		if err != nil {
			t.Fatal(err)
		}
		estimates, err := bench.Estimates(plan)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := j.run(context.Background(), t, s.Store)
		if err != nil || m.failed() != "" {
			t.Fatalf("%v, failed: %s", err, m.failed())
		}
		checkComposed(t, s, m, sources, &estimates[1])
	})
}

// checkComposed checks each composition that a job recorded.
func checkComposed(t *testing.T, s *oddStore, m *memory, sources int, e *bench.Estimate) {
	t.Helper()
	var prepared [][]byte
	for _, key := range m.keys() {
		prepared = append(prepared, contents(t, s, key))
	}
	size := len(prepared[0])
	measured := m.measured()
	if want := 2 * 3; len(measured) != want || int(e.Requests[0].Count) != want || e.Requests[0].Kind != op.Compose || e.Stored != int64(want*sources*size) {
		t.Fatalf("%d operations, estimated %+v (want %d)", len(measured), e, want)
	}
	if sent := s.server.Requests(op.Compose); sent != uint64(len(measured))+1 { // one is the preflight's
		t.Errorf("%d requests were sent, %d are recorded", sent, len(measured))
	}
	for _, o := range measured {
		if o.Kind != op.Compose || o.Copied != int64(sources*size) || o.Bytes != 0 || o.Objects != 1 {
			t.Errorf("recorded %+v", o)
		}
		parts := slices.Collect(slices.Chunk(contents(t, s, o.Key), size))
		if len(parts) != sources {
			t.Errorf("%q has %d parts", o.Key, len(parts))
		}
		for i, part := range parts {
			if !slices.ContainsFunc(prepared, func(p []byte) bool { return bytes.Equal(p, part) }) {
				t.Errorf("part %d of %q is no object of the data set", i, o.Key)
			}
		}
	}
}
