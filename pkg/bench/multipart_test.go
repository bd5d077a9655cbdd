package bench_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
)

// parted is a job that uploads objects of 10 parts, the last one smaller.
func parted(s *oddStore, objects uint64, change func(*bench.Plan)) job {
	return job{workload: "multipart-put", args: []string{"-part.size=1KiB", "-part.concurrent=3"}, change: func(p *bench.Plan) {
		p.Target, p.Data.Sizes.Max = s.cfg, 9<<10+100
		p.Phases[0].Concurrency, p.Phases[0].Duration, p.Phases[0].Ops = 2, 0, objects
		if change != nil {
			change(p)
		}
	}}
}

// byKind sums up bytes, objects and the number of operations.
func byKind(ops []op.Op) map[op.Kind]op.Op {
	sums := map[op.Kind]op.Op{}
	for _, o := range ops {
		s := sums[o.Kind]
		s.Bytes, s.Status = s.Bytes+o.Bytes, s.Status+1
		if !o.Failed() {
			s.Objects += o.Objects
		} else {
			s.Retries++
		}
		sums[o.Kind] = s
	}
	return sums
}

// Every request of an upload is recorded once, and the object once more: from the start of its first request to the end of
// its last, with its size. Its contents are those that one request would have uploaded.
func TestMultipartPut(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		const objects, parts = 20, 10
		s, other := oddly(t, engine, responder.Options{}), oddly(t, engine, responder.Options{})
		keep := func(p *bench.Plan) { p.KeepData = true }
		m, _, err := parted(s, objects, keep).run(context.Background(), t, s.Store)
		if err != nil || m.failed() != "" {
			t.Fatalf("%v, failed: %s", err, m.failed())
		}
		sums, size := byKind(m.ops), int64(9<<10+100)
		for kind, want := range map[op.Kind]op.Op{
			op.CreateUpload:   {Status: objects},
			op.PutPart:        {Status: objects * parts, Bytes: objects * size},
			op.CompleteUpload: {Status: objects, Objects: objects},
			op.MultipartPut:   {Status: objects, Objects: objects, Bytes: objects * size},
		} {
			if sums[kind] != want {
				t.Errorf("%s: %d operations, %d bytes, %d objects; want %d, %d, %d", kind, sums[kind].Status, sums[kind].Bytes, sums[kind].Objects, want.Status, want.Bytes, want.Objects)
			}
			if sent := s.server.Requests(kind); !kind.IsComposite() && sent != uint64(want.Status)+1 { // one is the preflight's
				t.Errorf("%s: %d requests were sent, %d are recorded", kind, sent, want.Status)
			}
		}
		checkWholes(t, m.ops)
		// Contents equal put's with the same seed.
		put := parted(other, objects, keep)
		put.workload, put.args = "put", nil
		if m, _, err := put.run(context.Background(), t, other.Store); err != nil || m.failed() != "" {
			t.Fatalf("%v, failed: %s", err, m.failed())
		}
		if !slices.Equal(s.left(), other.left()) || len(s.left()) != objects {
			t.Fatalf("objects %q, of put %q", s.left(), other.left())
		}
		for _, key := range s.left() {
			if !bytes.Equal(contents(t, s, key), contents(t, other, key)) {
				t.Errorf("%q has other contents than by put", key)
			}
		}
	})
}

// contents downloads an object.
func contents(t *testing.T, s *oddStore, key string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := ops.Get(context.Background(), s.Session(0), &s3.Call{Key: key, Size: -1, Into: &b}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// checkWholes checks that each whole spans exactly the requests of its object. Each object is transferred once.
func checkWholes(t *testing.T, ops []op.Op) {
	t.Helper()
	type bounds struct{ from, to time.Time }
	spans := map[string]bounds{}
	for _, o := range ops {
		if o.Kind.IsComposite() || o.Kind == op.AbortUpload || o.Phase == op.PhasePrepare {
			continue
		}
		b, ok := spans[o.Key]
		if !ok || o.Start.Before(b.from) {
			b.from = o.Start
		}
		if o.End.After(b.to) {
			b.to = o.End
		}
		spans[o.Key] = b
	}
	for _, o := range ops {
		if b := spans[o.Key]; o.Kind.IsComposite() && (!o.Start.Equal(b.from) || !o.End.Equal(b.to)) {
			t.Errorf("%s of %q from %v to %v, its requests from %v to %v", o.Kind, o.Key, o.Start, o.End, b.from, b.to)
		}
	}
}

// faultIf returns a fault if it holds.
func faultIf(holds bool, fault responder.Fault) responder.Fault {
	if holds {
		return fault
	}
	return responder.Fault{}
}

// A request that fails makes the object fail, which is aborted at once. What is left is what was completed.
func TestMultipartPutFails(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		kind  op.Kind
		fault responder.Fault
	}{
		{op.CreateUpload, responder.Fault{Status: http.StatusServiceUnavailable}},
		{op.PutPart, responder.Fault{Status: http.StatusInternalServerError}},
		{op.PutPart, responder.Fault{Close: true}}, // several in a row: one that meets a closed connection is sent again
		{op.CompleteUpload, responder.Fault{Status: http.StatusInternalServerError}},
		{op.CompleteUpload, responder.Fault{Status: http.StatusInternalServerError, Execute: true}},
	} {
		t.Run(fmt.Sprintf("%s %+v", tc.kind, tc.fault), func(t *testing.T) {
			eachEngine(t, func(t *testing.T, engine string) {
				s := oddly(t, engine, responder.Options{Rule: func(kind op.Kind, n uint64) responder.Fault {
					return faultIf(kind == tc.kind && (n%20 == 7 || tc.fault.Close && n%20 > 7), tc.fault)
				}})
				j := parted(s, 60, func(p *bench.Plan) { p.KeepData = true })
				m, _, err := j.run(context.Background(), t, s.Store)
				if err != nil {
					t.Fatal(err)
				}
				sums := byKind(m.ops)
				whole, keys := sums[op.MultipartPut], map[string]bool{}
				for _, o := range m.ops {
					if o.Kind == tc.kind && o.Failed() {
						keys[o.Key] = true // several parts of it may
					}
				}
				failed := len(keys)
				aborted := failed
				if tc.kind == op.CreateUpload {
					aborted = 0
				}
				if whole.Retries != failed || failed == 0 || sums[op.AbortUpload].Retries > 0 || sums[op.AbortUpload].Status != aborted {
					t.Errorf("%d %s failed, %d objects, %d abortions", failed, tc.kind, whole.Retries, sums[op.AbortUpload].Retries)
				}
				if sums[op.CompleteUpload].Objects != whole.Objects || whole.Bytes != int64(whole.Objects)*(9<<10+100) {
					t.Errorf("%d uploads completed, %d objects with %d bytes", sums[op.CompleteUpload].Objects, whole.Objects, whole.Bytes)
				}
				left := whole.Objects
				if tc.fault.Execute {
					left += failed
				}
				if up := s.server.Uploads("bucket"); len(up) > 0 || len(s.left()) != left {
					t.Errorf("unfinished uploads: %q; %d objects are left, want %d", up, len(s.left()), left)
				}
			})
		})
	}
}

// What could not be aborted at once is aborted at the end, also with --keep-data, and also where uploads cannot be listed.
func TestMultipartPutAbortsAtTheEnd(t *testing.T) {
	ownServer(t)
	t.Parallel()
	var during atomic.Int32
	var cancel context.CancelFunc
	noList := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && r.URL.Query().Has("uploads") {
				w.WriteHeader(http.StatusNotImplemented)
				return
			}
			if r.Method == http.MethodDelete && r.URL.Query().Has("uploadId") {
				n := during.Add(1)
				if n <= 2 {
					w.WriteHeader(http.StatusForbidden)
					return
				}
				cancel()
			}
			if r.Method == http.MethodPut && r.URL.Query().Get("partNumber") == "5" {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			h.ServeHTTP(w, r)
		})
	}
	for _, keep := range []bool{false, true} {
		during.Store(0)
		s := behind(t, noList)
		var ctx context.Context
		ctx, cancel = context.WithCancel(context.Background())
		m, _, err := parted(s, 2, func(p *bench.Plan) { p.KeepData = keep }).run(ctx, t, s.Store)
		cancel()
		if err != nil || byKind(m.ops)[op.AbortUpload].Retries == 0 {
			t.Errorf("%v; %d abortions failed", err, byKind(m.ops)[op.AbortUpload].Retries)
		}
		if up := s.server.Uploads("bucket"); len(up) > 0 {
			t.Errorf("keep %v: unfinished uploads: %q", keep, up)
		}
	}
}

// A server may refuse to go on after a page of a listing of uploads. All are aborted nevertheless.
func TestUploadsListedByOnePage(t *testing.T) {
	ownServer(t)
	ctx := context.Background()
	var s *oddStore
	const page = 3
	onePage := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			q := r.URL.Query()
			if r.Method != http.MethodGet || !q.Has("uploads") {
				h.ServeHTTP(w, r)
				return
			}
			if q.Get("key-marker") != "" {
				http.Error(w, "<Error><Code>InvalidArgument</Code></Error>", http.StatusBadRequest)
				return
			}
			list := s.server.Uploads("bucket")
			fmt.Fprintf(w, "<ListMultipartUploadsResult><IsTruncated>%t</IsTruncated>", len(list) > page)
			for _, up := range list[:min(page, len(list))] {
				key, id, _ := strings.Cut(up, " ")
				fmt.Fprintf(w, "<Upload><Key>%s</Key><UploadId>%s</UploadId></Upload>", key, id)
			}
			fmt.Fprint(w, "</ListMultipartUploadsResult>")
		})
	}
	s = behind(t, onePage)
	j := parted(s, 4, func(p *bench.Plan) { p.KeepData, p.RunID = true, "run" })
	if _, _, err := j.run(ctx, t, s.Store); err != nil {
		t.Fatal(err)
	}
	for range 2*page + 1 {
		if _, err := ops.CreateUpload(ctx, s.Session(0), &s3.Call{Key: s.left()[0]}); err != nil {
			t.Fatal(err)
		}
	}
	clean := &bench.Cleanup{Over: true, Plan: bench.Decoded(t, j.plan(t, s)), Target: s.cfg, Store: s, Threads: 2, Show: func(bench.Leftover) {}}
	if done, err := clean.Run(ctx); err == nil {
		t.Errorf("%+v would be removed, without a word about those that were not listed", done)
	}
	clean.Show = nil
	if done, err := clean.Run(ctx); err != nil || done.Uploads != 2*page+1 {
		t.Errorf("%v, removed: %+v", err, done)
	}
	if up := s.server.Uploads("bucket"); len(up) > 0 {
		t.Errorf("unfinished uploads: %q", up)
	}
}

// A run that was killed leaves uploads; its plan says which. Other people's stay, before and after.
func TestUploadsOfAKilledRun(t *testing.T) {
	ctx := context.Background()
	eachEngine(t, func(t *testing.T, engine string) {
		s := oddly(t, engine, responder.Options{})
		create := func(key string) string {
			id, err := ops.CreateUpload(ctx, s.Session(0), &s3.Call{Key: key})
			if err != nil {
				t.Fatal(err)
			}
			return key + " " + id
		}
		j := parted(s, 20, func(p *bench.Plan) { p.KeepData, p.RunID = true, "run" })
		if _, _, err := j.run(ctx, t, s.Store); err != nil {
			t.Fatal(err)
		}
		mine := s.left()
		foreign := []string{create("mine/letter.txt"), create("0.aaaaaaaaaaaaaaaa.rnd")}
		for _, key := range mine[:5] {
			create(key)
		}
		done, err := (&bench.Cleanup{Over: true, Plan: bench.Decoded(t, j.plan(t, s)), Target: s.cfg, Store: s, Threads: 2}).Run(ctx)
		if err != nil || done.Uploads != 5 || done.Objects != 20 {
			t.Errorf("%v, removed: %+v", err, done)
		}
		slices.Sort(foreign)
		if up := s.server.Uploads("bucket"); !slices.Equal(up, foreign) {
			t.Errorf("unfinished uploads: %q, want %q", up, foreign)
		}
		// A run that fails and cleans up leaves them too.
		if _, _, err := parted(s, 20, nil).run(ctx, t, s.Store); err != nil {
			t.Fatal(err)
		}
		if up := s.server.Uploads("bucket"); !slices.Equal(up, foreign) {
			t.Errorf("unfinished uploads after a run: %q, want %q", up, foreign)
		}
	})
}

// An object that is not complete when the grace period ends fails, and nothing of it is left.
func TestMultipartPutIsCut(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := oddly(t, "", responder.Options{Rule: func(kind op.Kind, n uint64) responder.Fault {
		if kind == op.PutPart && n == 30 {
			time.AfterFunc(10*time.Millisecond, cancel)
		}
		if kind == op.PutPart && n >= 30 {
			return responder.Fault{Delay: time.Hour}
		}
		return responder.Fault{}
	}})
	m, r, err := parted(s, 100, nil).run(ctx, t, s.Store)
	if err != nil || !r.Interrupted {
		t.Errorf("%v, %+v", err, r)
	}
	// A thread may be between two objects when all is cut.
	cut := int(s.server.Requests(op.CreateUpload) - s.server.Requests(op.CompleteUpload))
	if whole := byKind(m.ops)[op.MultipartPut]; cut < 1 || whole.Retries != cut {
		t.Errorf("%d objects were cut, the server has seen %d begin and not end", whole.Retries, cut)
	}
	if up := s.server.Uploads("bucket"); len(up) > 0 || len(s.left()) > 0 {
		t.Errorf("left: uploads %q, objects %q", up, s.left())
	}
}

// Parts that a server delays take as long as that, and an object as long as its requests one after the other.
func TestRulerMultipartPut(t *testing.T) {
	eachRuler(t, func(t *testing.T, c setup) {
		const delay = 100 * time.Millisecond
		if lack := connect.Dialect(&c.Config).Lacks(s3.InParts); lack != "" {
			t.Skip(lack)
		}
		ownServer(t)
		s := c.oddly(t, responder.Options{Record: true, Rule: func(kind op.Kind, n uint64) responder.Fault {
			switch kind {
			case op.CreateUpload, op.CompleteUpload:
				return responder.Fault{Delay: delay}
			case op.PutPart:
				return responder.Fault{Delay: 2 * delay, Stall: delay}
			}
			return responder.Fault{}
		}})
		m, _, err := parted(s, 6, func(p *bench.Plan) { p.Phases[0].Concurrency = 2 }).run(context.Background(), t, s.Store)
		if err != nil || m.failed() != "" {
			t.Fatalf("%v, failed: %s", err, m.failed())
		}
		checkWholes(t, m.ops)
		by := injections(s.server)
		for _, o := range m.ops {
			if o.Kind.IsComposite() {
				// Ten parts, three at a time: at least four one after the other.
				if least := by[op.CreateUpload] + by[op.CompleteUpload] + 4*by[op.PutPart]; o.Service() < least {
					t.Errorf("an object took %v, its requests at least %v", o.Service(), least)
				}
				continue
			}
			if o.Service() < by[o.Kind] {
				t.Errorf("%s took %v, the server delayed it by %v", o.Kind, o.Service(), by[o.Kind])
			}
		}
	})
}

// injections returns the shortest time that the server took for a request of each kind.
func injections(s *responder.Server) map[op.Kind]time.Duration {
	least := map[op.Kind]time.Duration{}
	for _, i := range s.Injected() {
		d := i.First.Sub(i.Came)
		if l, ok := least[i.Kind]; !ok || d < l {
			least[i.Kind] = d
		}
	}
	return least
}

// behind is a store of a responder that is reached through front.
func behind(t *testing.T, front func(http.Handler) http.Handler) *oddStore {
	t.Helper()
	ownServer(t)
	r := startResponder(t, responder.Options{Keep: true, Buckets: []string{"bucket"}})
	server := httptest.NewServer(front(r))
	cfg := s3.Config{Hosts: []string{strings.TrimPrefix(server.URL, "http://")}, AccessKey: "a", SecretKey: "s", Bucket: "bucket", Concurrency: 8}
	store, err := connect.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		store.Close()
		server.Close()
	})
	return &oddStore{store, cfg, r}
}

// Objects that a mix uploads in parts join its pool: they are read, and deleted, as PUT's are.
func TestMixedInParts(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		s := oddly(t, engine, responder.Options{Rule: func(kind op.Kind, n uint64) responder.Fault {
			if kind == op.CompleteUpload && n%10 == 3 {
				return responder.Fault{Status: http.StatusInternalServerError}
			}
			return responder.Fault{}
		}})
		m, _, err := job{workload: "mixed", args: []string{
			"-objects=2", "-verify", "-get-distrib=2", "-stat-distrib=0", "-put-distrib=0", "-multipart-put-distrib=1", "-delete-distrib=1", "-part.size=1KiB", "-part.concurrent=3",
		}, change: func(p *bench.Plan) {
			p.Target, p.Phases[0].Concurrency, p.Phases[0].Rate, p.Phases[0].Duration = s.cfg, 2, 100, 2*time.Second
		}}.run(context.Background(), t, s.Store)
		if err != nil {
			t.Fatal(err)
		}
		made, sums := map[string]bool{}, byKind(m.benchmark())
		for _, o := range m.benchmark() {
			made[o.Key] = made[o.Key] || o.Kind == op.MultipartPut && !o.Failed()
			if o.Failed() && o.Kind != op.CompleteUpload && o.Kind != op.MultipartPut {
				t.Errorf("%s: %s", o.Kind, o.Err)
			}
		}
		read := 0
		for _, o := range m.benchmark() {
			if o.Kind == op.Get && made[o.Key] {
				read++
			}
		}
		whole := sums[op.MultipartPut]
		if read == 0 || whole.Objects == 0 || whole.Retries == 0 || sums[op.AbortUpload].Status != whole.Retries || sums[op.PutPart].Status < 4*whole.Objects {
			t.Errorf("%d of the objects were read; %+v", read, sums)
		}
		if up := s.server.Uploads("bucket"); len(up) > 0 || len(s.left()) > 0 {
			t.Errorf("left: uploads %q, objects %q", up, s.left())
		}
	})
}
