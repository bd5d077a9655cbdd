package bench_test

import (
	"context"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
)

// A request counts as the objects that it makes, with their bytes. They are in the bucket until the clean-up, and what archives
// brought is what the plan says.
// works: MinIO warp: archives of `snowball` are up to 1 GiB, in memory
func TestArchivesAndFanOut(t *testing.T) {
	for name, tc := range map[string]struct {
		job     job
		kind    op.Kind
		objects int
	}{
		"snowball":             {job{workload: "snowball"}, op.Put, 5},
		"snowball, compressed": {job{workload: "snowball", args: []string{"-compress"}}, op.Put, 5},
		"fanout":               {job{workload: "fanout"}, op.Post, 3},
		"zip":                  {job{workload: "zip", args: []string{"-verify"}}, op.Get, 1},
	} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, engine string) {
				ctx, s, j := context.Background(), oddly(t, engine, responder.Options{}), tc.job
				j.ops = 60
				j.change = func(p *bench.Plan) { p.Target, p.KeepData, p.RunID, p.Data.Sizes.Max = s.cfg, true, "run", 999 }
				m, _, err := j.run(ctx, t, s)
				if err != nil || m.failed() != "" {
					t.Fatalf("%v; failed: %s", err, m.failed())
				}
				made := 0
				for _, o := range m.benchmark() {
					if made += o.Objects; o.Kind != tc.kind || o.Objects != tc.objects || o.Bytes != int64(999*tc.objects) {
						t.Fatalf("%s of %d objects, %d bytes", o.Kind, o.Objects, o.Bytes)
					}
				}
				if tc.kind == op.Get {
					made = 1 // the archive
				}
				if there := len(s.left()); there != made {
					t.Errorf("%d objects are in the bucket, want %d", there, made)
				}
				plan := bench.Decoded(t, j.plan(t, s))
				if sent, _ := s.server.Contents(op.Put); name == "snowball, compressed" && sent*3 > int64(made)*999 {
					t.Errorf("%d bytes were sent for %d objects of 999 bytes, five in an archive", sent, made)
				}
				if j.workload == "snowball" {
					verifySnowball(t, s, plan, m, made)
				}
				if _, err := (&bench.Cleanup{Over: true, Plan: plan, Target: s.cfg, Store: s, Threads: 4}).Run(ctx); err != nil || len(s.left()) > 0 {
					t.Errorf("%v; left: %q", err, s.left())
				}
			})
		})
	}
}

func verifySnowball(t *testing.T, s *oddStore, plan *bench.Compiled, m *memory, objects int) {
	t.Helper()
	v, err := bench.NewVerification(plan, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.ops {
		v.Add(&m.ops[i])
	}
	v.Store, v.Found = s, func(p bench.Problem) { t.Errorf("%+v", p) }
	if r, err := v.Run(context.Background()); err != nil || r.Objects != uint64(objects) {
		t.Errorf("%+v, %v; want %d objects", r, err, objects)
	}
}
