package bench_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// ignorant runs a workload against a server whose requests a handler changes first, and returns the error.
// Nothing may be left, whatever it is.
func ignorant(t *testing.T, workload string, change func(r *http.Request) (status int)) error {
	t.Helper()
	ownServer(t)
	r, err := responder.New(responder.Options{Buckets: []string{"bucket"}, Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if status := change(req); status != 0 {
			w.WriteHeader(status)
			return
		}
		r.ServeHTTP(w, req)
	}))
	cfg := s3.Config{Hosts: []string{strings.TrimPrefix(front.URL, "http://")}, AccessKey: "a", SecretKey: "s", Bucket: "bucket", Concurrency: 8}
	store, err := connect.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		store.Close()
		front.Close()
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	m, _, err := job{workload: workload, change: func(p *bench.Plan) { p.Target = cfg }}.run(context.Background(), t, store)
	if m != nil && len(m.ops) > 0 {
		t.Errorf("%d operations were performed", len(m.ops))
	}
	if left := r.Keys("bucket"); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	return err
}

// What a server does not support, or ignores, is found out before anything is measured.
func TestProbes(t *testing.T) {
	without := func(name string) func(*http.Request) int {
		return func(r *http.Request) int {
			q := r.URL.Query()
			q.Del(name)
			r.URL.RawQuery = q.Encode()
			r.Header.Del(name)
			return 0
		}
	}
	refuse := func(match func(*http.Request) bool, status int) func(*http.Request) int {
		return func(r *http.Request) int {
			if match(r) {
				return status
			}
			return 0
		}
	}
	tagging := func(r *http.Request) bool { return r.URL.Query().Has("tagging") }
	for _, tc := range []struct {
		name, workload string
		change         func(*http.Request) int
		want           string
	}{
		{"tags not supported", "tag", refuse(tagging, 501), "cannot replace the tags of objects (501 Not Implemented); the host does not support it"},
		{"tags overwrite the object", "tag", without("tagging"), "the server overwrites the object"},
		{"tags are confirmed and forgotten", "tag", refuse(func(r *http.Request) bool { return tagging(r) && r.Method == http.MethodPut }, 200), "confirms tags, but does not keep them"},
		{"attributes ignored", "attributes", without("attributes"), "the host does not support it"},
		{"lists denied", "acl", refuse(func(r *http.Request) bool { return r.URL.Query().Has("acl") }, 403), "cannot read the access control lists of objects (403 Forbidden)"},
		{"appends overwrite", "append", without("X-Amz-Write-Offset-Bytes"), "overwrites objects instead of appending"},
		{"archives are stored as they are", "snowball", without("X-Amz-Meta-Snowball-Auto-Extract"), "does not extract archives (an extension of MinIO)"},
		{"archives are refused", "snowball", refuse(func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, ".tar") }, 501), "cannot upload archives to be extracted, an extension of MinIO (501 Not Implemented); the host does not support it"},
		{"files in archives are not found", "zip", without("X-Minio-Extract"), "does not read zip archives (an extension of MinIO)"},
		{"forms are refused", "fanout", refuse(func(r *http.Request) bool { return strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") }, 405), "cannot upload one content as several objects, an extension of MinIO (405 Method Not Allowed)"},
		{"forms are confirmed and forgotten", "fanout", refuse(func(r *http.Request) bool { return strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") }, 204), "does not fan out uploads (an extension of MinIO)"},
		{"queries are ignored", "select", without("select"), "the host does not support it"},
		{"queries are refused", "select", refuse(func(r *http.Request) bool { return r.URL.Query().Has("select") }, 501), "cannot query objects by SQL (501 Not Implemented); the host does not support it"},
		{"copies make empty objects", "copy", without("X-Amz-Copy-Source"), "the host does not support it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := ignorant(t, tc.workload, tc.change)
			if err == nil || !strings.HasPrefix(err.Error(), tc.workload+" cannot be measured on this server: ") || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error: %v; want %q", err, tc.want)
			}
		})
	}
}

func TestSharesOfUnknownOperations(t *testing.T) {
	p := job{workload: "mixed", change: func(p *bench.Plan) { p.Phases[0].Params = []byte(`{"objects":1,"other_distribs":{"fly":1,"list":-1}}`) }}.plan(t, open(t, newBucket()))
	if _, err := bench.Compile(p); err == nil || !strings.Contains(err.Error(), "--fly-distrib") || !strings.Contains(err.Error(), "--list-distrib") {
		t.Errorf("error: %v", err)
	}
}

// Appends go on where the last one ended, whichever of the two sizes the server states. After a failure a new object begins.
// works: MinIO warp: `append`
func TestAppend(t *testing.T) {
	for _, stated := range []bool{false, true} {
		eachEngine(t, func(t *testing.T, engine string) {
			s := oddly(t, engine, responder.Options{AppendedSize: stated, Rule: func(k op.Kind, n uint64) responder.Fault {
				if k == op.Append && n == 8 {
					return responder.Fault{Status: 400}
				}
				return responder.Fault{}
			}})
			m, err := s.run(t, "append", func(p *bench.Plan) {
				p.KeepData, p.Phases[0].Concurrency, p.Phases[0].Rate, p.Data.Sizes.Max = true, 1, 100, 10
			})
			if err != nil {
				t.Fatal(err)
			}
			appends, failed := map[string]int{}, 0
			for _, o := range m.benchmark() {
				if appends[o.Key]++; o.Failed() {
					failed++
				}
				if o.Kind != op.Append || o.Bytes != 10 && !o.Failed() {
					t.Errorf("%s of %d bytes", o.Kind, o.Bytes)
				}
			}
			sizes := listing(t, s)
			for key, n := range appends {
				if size := sizes[key]; n > 3 || size != 10*int64(n) && failed == 0 {
					t.Errorf("%q has %d bytes after %d appends", key, size, n)
				}
			}
			if failed != 1 || len(appends) < 3 {
				t.Errorf("%d failed, %d objects; want 1 and some: %s", failed, len(appends), m.failed())
			}
		})
	}
}

// Each variant of a listing holds what it must, with both engines.
// works: MinIO warp: `list --metadata`
func TestListVariants(t *testing.T) {
	for name, args := range map[string][]string{
		"start after":            {"-start-after"},
		"rolled up":              {"-delimiter=."},
		"rolled up, start after": {"-delimiter=.", "-start-after", "-list-version=1"},
		"version 1":              {"-list-version=1"},
		"version 1, start after": {"-list-version=1", "-start-after", "-delimiter=/"},
	} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, engine string) {
				s := oddly(t, engine, responder.Options{})
				m, _, err := job{workload: "list", args: args, change: func(p *bench.Plan) { p.Target = s.cfg }}.run(context.Background(), t, s)
				if err != nil || m.failed() != "" || len(m.benchmark()) == 0 {
					t.Errorf("%v; %d operations; failed: %s", err, len(m.benchmark()), m.failed())
				}
				fewer := false
				for _, o := range m.benchmark() {
					fewer = fewer || o.Objects < 10
				}
				if after := strings.Contains(name, "after"); fewer != after {
					t.Errorf("listings of fewer than all objects of a prefix: %v, want %v", fewer, after)
				}
			})
		})
	}
}
