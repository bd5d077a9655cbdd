package bench_test

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/generator"
	"warp/pkg/op"
)

// TestRename: no object is lost when answers are, whichever of the requests were performed; each error is one that the server made. What is
// left holds what was uploaded, and clean-up finds it by any of its names.
func TestRename(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		for _, keep := range []bool{true, false} {
			s := oddly(t, engine, responder.Options{Rule: func(k op.Kind, n uint64) responder.Fault {
				switch {
				case k != op.Rename || n < 3: // the first ones are the probe's
					return responder.Fault{}
				case n%5 == 0:
					return responder.Fault{Status: http.StatusInternalServerError, Execute: true}
				case n%7 == 0:
					return responder.Fault{Status: http.StatusServiceUnavailable}
				case n%11 == 0:
					return responder.Fault{Status: http.StatusForbidden}
				}
				return responder.Fault{}
			}})
			j := job{workload: "rename", args: []string{"-objects=20"}, change: func(p *bench.Plan) {
				p.Target, p.KeepData, p.RunID, p.Phases[0].Ops, p.Phases[0].Concurrency = s.cfg, keep, "run", 300, 4
			}}
			m, _, err := j.run(context.Background(), t, s)
			if err != nil {
				t.Fatal(err)
			}
			failed := uint64(0)
			for _, o := range m.benchmark() {
				if o.Failed() {
					failed++
				}
				if o.Kind != op.Rename || o.Bytes != 0 || o.Source == "" || o.Failed() && o.Status == http.StatusNotFound {
					t.Errorf("%+v", o)
				}
			}
			faults := uint64(0)
			for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusForbidden} {
				faults += s.server.Responses(op.Rename, status)
			}
			if failed == 0 || failed != faults {
				t.Errorf("%d operations failed, the server made %d errors", failed, faults)
			}
			keys := slices.DeleteFunc(s.server.Keys(s.cfg.Bucket), generator.IsClaim)
			if !keep {
				if len(keys) > 0 {
					t.Errorf("left: %q", keys)
				}
				continue
			}
			if r, found := verified(t, s, j, m); len(found) > 0 || len(keys) != 20 || r.Objects != 20 || r.Rewritten > 0 {
				t.Errorf("found %q in %+v; the bucket has %d objects", found, r, len(keys))
			}
		}
	})
}
