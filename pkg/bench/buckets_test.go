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
	"warp/pkg/s3/ops"
)

// inBuckets spreads the objects of a plan over three buckets.
func inBuckets(p *bench.Plan) { p.Data.Buckets, p.Target.Buckets = 3, 3 }

// severalBuckets is a server with two of three buckets; the second holds a foreign object.
func severalBuckets(t *testing.T, engine string) *oddStore {
	t.Helper()
	s := oddly(t, engine, responder.Options{Buckets: []string{"bucket-2"}})
	s.cfg.Buckets = 3
	store, err := connect.New(s.cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	s.Store = store
	call := &s3.Call{Bucket: 1, Key: "foreign", Body: bytes.NewReader(nil)}
	if err := ops.Put(context.Background(), store.Session(0), call); err != nil {
		t.Fatal(err)
	}
	return s
}

// alone checks that nothing is left in the buckets but the foreign object, and that the run removed the one that it made.
func (s *oddStore) alone(t *testing.T) {
	t.Helper()
	for bucket, want := range map[string]string{"bucket": "", "bucket-2": "foreign", "bucket-3": ""} {
		if got := strings.Join(s.server.Keys(bucket), " "); got != want {
			t.Errorf("left in %s: %q, want %q", bucket, got, want)
		}
	}
	c := &s3.Call{Bucket: 2}
	if err := ops.HeadBucket(context.Background(), s.Session(0), c); !s3.NoBucket(err) {
		t.Errorf("bucket-3: %v, want that it was removed", err)
	}
}

func TestSeveralBuckets(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		for _, workload := range []string{"get", "put", "delete", "list", "stat", "mixed", "multipart-put", "copy", "append", "tag", "head-bucket", "multipart"} {
			t.Run(workload, func(t *testing.T) {
				s := severalBuckets(t, engine)
				m, err := s.run(t, workload, inBuckets)
				if err != nil {
					t.Fatal(err)
				}
				if failed := m.failed(); failed != "" {
					t.Error(failed)
				}
				uploaded := map[string]int{}
				used := map[string]bool{}
				for _, o := range m.ops {
					if used[o.Bucket] = true; o.Kind == op.Put {
						uploaded[o.Bucket]++
					}
				}
				names := []string{"bucket", "bucket-2", "bucket-3"}
				for name := range used {
					if !slices.Contains(names, name) {
						t.Errorf("operations on bucket %q", name)
					}
				}
				if len(used) != 3 && workload != "multipart" && workload != "append" { // which may use one object
					t.Errorf("operations on the buckets %v, want all three", used)
				}
				for _, n := range uploaded {
					if d := n - uploaded["bucket"]; d < -1 || d > 1 {
						t.Errorf("uploads by bucket: %v", uploaded)
					}
				}
				s.alone(t)
			})
		}
	})
}
