package bench_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/bench/replay"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
)

// A table over the registry: what must hold for each workload, also for new ones. The server is a responder, which keeps account of what came.

// variants are workloads with other than their small parameters.
var variants = map[string]job{
	"get of ranges":           {workload: "get", args: []string{"-range=512@random,8B@end"}},
	"get in parts":            {workload: "get", args: []string{"-part.size=1KiB"}},
	"put, verified":           {workload: "put", args: []string{"-verify"}},
	"put by forms":            {workload: "put", args: []string{"-post"}},
	"put over others":         {workload: "put", args: []string{"-objects=20"}},
	"multipart-put of 4":      {workload: "multipart-put", args: []string{"-part.size=1KiB"}},
	"multipart of 4":          {workload: "multipart", args: []string{"-part.size=1KiB"}},
	"delete one by one":       {workload: "delete", args: []string{"-batch=1"}},
	"append after HEAD":       {workload: "append", args: []string{"-head", "-parts=7"}},
	"list with owners":        {workload: "list", args: []string{"-objects=40", "-fetch-owner"}},
	"delete, listed":          {workload: "delete", args: []string{"-list-deleted"}},
	"list by one":             {workload: "list", args: []string{"-objects=40", "-max-keys=1"}},
	"list without prefixes":   {workload: "list", args: []string{"-objects=40", "-max-keys=10"}, change: func(p *bench.Plan) { p.Data.NoPrefix = true }},
	"copy in parts":           {workload: "copy", args: []string{"-part.size=1KiB"}},
	"put, large in parts":     {workload: "put", args: []string{"-verify"}, change: largeInParts},
	"put over others, parts":  {workload: "put", args: []string{"-objects=20"}, change: largeInParts},
	"get, large in parts":     {workload: "get", args: []string{"-verify"}, change: largeInParts},
	"stat of versions, parts": {workload: "stat", args: []string{"-objects=10", "-versions=2"}, change: largeInParts},
	"select, large in parts":  {workload: "select", args: []string{"-verify"}, change: largeInParts},
	"mixed, large in parts":   {workload: "mixed", args: []string{"-objects=40", "-verify"}, change: largeInParts},
	"versioned, parts":        {workload: "versioned", args: []string{"-objects=40"}, change: largeInParts},
	"zip in parts":            {workload: "zip", args: []string{"-verify"}, change: largeInParts},
	"snowball, compressed":    {workload: "snowball", args: []string{"-compress"}, change: func(p *bench.Plan) { p.Data.Sizes.Max = 70_000 }},
	"snowball of large files": {workload: "snowball", change: func(p *bench.Plan) { p.Data.Sizes.Max = 70_000 }},
	"mixed, mostly read":      {workload: "mixed", args: []string{"-objects=40", "-get-distrib=90", "-stat-distrib=0", "-put-distrib=10", "-delete-distrib=0"}},
	"mixed with all": {workload: "mixed", args: []string{
		"-objects=40", "-part.size=1KiB", "-multipart-put-distrib=10", "-list-distrib=5", "-copy-distrib=5", "-multipart-copy-distrib=5", "-multipart-get-distrib=5",
		"-presign-get-distrib=5", "-tag-get-distrib=5", "-tag-put-distrib=5", "-tag-delete-distrib=5", "-attributes-distrib=5", "-acl-distrib=5", "-head-bucket-distrib=5",
	}},
}

// largeInParts has objects uploaded in parts.
func largeInParts(p *bench.Plan) { p.Target.Uploads.PartSize = 3 << 10 }

// eachRow runs a test for every workload, and for the variants.
func eachRow(t *testing.T, test func(t *testing.T, j job)) {
	t.Helper()
	rows := maps.Clone(variants)
	for _, info := range work.Registry() {
		rows[info.Name] = job{workload: info.Name}
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, rows[name])
		})
	}
}

// counts is what a server counted, or a plan estimates: requests by kind, and bytes.
type counts struct {
	requests map[op.Kind]int64
	sent     int64
	received int64
	stored   int64
	objects  int64
}

// serverKind is the kind that the responder counts a request as.
func serverKind(k op.Kind) op.Kind {
	switch k {
	case op.CreateBucket, op.DeleteBucket, op.HeadBucket:
		return responder.Bucket
	case op.GetPart:
		return op.Get
	case exists:
		return op.Stat
	}
	return k
}

// inNewBucket returns a store of a responder, without its bucket: runs make it as they need it.
func inNewBucket(t *testing.T, opts responder.Options) *oddStore {
	t.Helper()
	s := oddly(t, "lean", opts)
	s.cfg.Bucket = "made"
	store, err := connect.New(s.cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	s.Store = store
	return s
}

// counted returns what a server has counted so far.
func (s *oddStore) counted() counts {
	c := counts{requests: map[op.Kind]int64{}}
	for _, k := range slices.Concat(work.Kinds(), []op.Kind{op.AbortUpload}) {
		kind := serverKind(k)
		if _, seen := c.requests[kind]; seen || k != k.Base() || k.IsComposite() {
			continue
		}
		c.requests[kind] = int64(s.server.Requests(kind))
		in, out := s.server.Contents(kind)
		c.sent, c.received = c.sent+in, c.received+out
	}
	c.stored, c.objects = s.server.Stored(s.cfg.Bucket), int64(len(s.server.Keys(s.cfg.Bucket)))
	return c
}

// since returns what was counted since another time.
func (c counts) since(o counts) counts {
	d := counts{map[op.Kind]int64{}, c.sent - o.sent, c.received - o.received, c.stored - o.stored, c.objects - o.objects}
	for k, n := range c.requests {
		if n -= o.requests[k]; n > 0 {
			d.requests[k] = n
		}
	}
	return d
}

// countsOf returns what is estimated.
func countsOf(e *bench.Estimate) counts {
	c := counts{map[op.Kind]int64{}, e.Sent, e.Received, e.Stored, int64(e.Objects)}
	for _, r := range e.Requests {
		if r.Count > 0 {
			c.requests[serverKind(r.Kind)] += int64(r.Count)
		}
	}
	return c
}

// TestEstimatesAreWhatIsSent holds what --explain says of each workload against what the server counts. Most turns are alike, so that there is
// nothing to guess; which operation of a mix a turn performs is drawn.
func TestEstimatesAreWhatIsSent(t *testing.T) {
	t.Parallel()
	eachRow(t, func(t *testing.T, j job) {
		s, change := inNewBucket(t, responder.Options{}), j.change
		drawn := slices.Contains(drawn, j.workload)
		j.change = func(p *bench.Plan) {
			p.Target, p.Phases[0].Ops, p.Phases[0].Concurrency = s.cfg, 100, 2
			if drawn {
				p.Phases[0].Ops = 1000
			}
			if change != nil {
				change(p)
			}
		}
		plan, err := bench.Compile(j.plan(t, s))
		if err != nil {
			t.Fatal(err)
		}
		list, err := bench.Estimates(plan)
		if err != nil || len(list) != 2 {
			t.Fatalf("%d estimates, %v", len(list), err)
		}
		m, begun := &memory{}, counts{}
		observer := watch{func(stage bench.Stage) {
			if stage.Name == bench.StagePrepare && begun.requests == nil {
				begun = s.counted()
			}
		}}
		ctx := context.Background()
		run, err := bench.Prepare(ctx, plan, bench.Env{Store: s, Client: "test", Sinks: []op.Sink{m}, Observer: observer})
		if err != nil {
			t.Fatal(err)
		}
		prepared := s.counted()
		_, err = run.Measure(ctx)
		measured := s.counted()
		if err = run.Cleanup(ctx, err); err != nil || m.failed() != "" {
			t.Fatalf("%v; failed: %s", err, m.failed())
		}
		if begun.requests != nil {
			compareCounts(t, "preparation", countsOf(&list[0]), prepared.since(begun), 2, false) // which the examination of the store may need
		}
		compareCounts(t, "benchmark", countsOf(&list[1]), measured.since(prepared), 0, drawn)
		if list[1].Open || list[1].Turns > 1000 {
			t.Errorf("%+v", list[1])
		}
	})
}

// drawn are workloads whose turns are each drawn to be of some kind.
var drawn = []string{"mixed", "versioned", "tag", "retention", "legal-hold"}

// compareCounts reports estimates that are wrong. Requests of kinds that are not expected may be as many as spare.
func compareCounts(t *testing.T, what string, want, got counts, spare int64, drawn bool) {
	t.Helper()
	for k, n := range got.requests {
		if want.requests[k] == 0 && n > spare {
			t.Errorf("%s: %d requests %s, unknown to the estimate", what, n, k)
		}
	}
	check := func(name string, estimate, counted int64) {
		t.Helper()
		part, some := .01, 2.0 // compressed archives are a little larger, and each thread may have begun an object
		if drawn {
			part, some = .15, 20 // beyond what a thousand draws differ by
		}
		if low, high := float64(counted)*(1-part)-some, float64(counted)*(1+part)+some; float64(estimate) < low || float64(estimate) > high {
			t.Errorf("%s: the estimate is %d %s, the server counted %d", what, estimate, name, counted)
		}
	}
	for k, n := range want.requests {
		check(fmt.Sprintf("requests %s", k), n, got.requests[k])
	}
	check("bytes sent", want.sent, got.sent)
	if spare == 0 {
		check("bytes received", want.received, got.received)
	}
	if !drawn { // and nothing is deleted meanwhile
		check("objects", want.objects, max(0, got.objects))
		check("bytes stored", want.stored, max(0, got.stored))
	} else if want.objects < got.objects || want.stored < got.stored {
		t.Errorf("%s: the estimate is %d new objects of %d bytes, the server counted %d of %d", what, want.objects, want.stored, got.objects, got.stored)
	}
}

// TestVerifyEachWorkload: what a workload left is right, whatever it holds; an object that was cut off and one that is missing are found, and no
// others.
func TestVerifyEachWorkload(t *testing.T) {
	t.Parallel()
	eachRow(t, func(t *testing.T, j job) {
		s, change, ctx := inNewBucket(t, responder.Options{}), j.change, context.Background()
		j.change = func(p *bench.Plan) {
			p.Target, p.KeepData, p.RunID, p.Phases[0].Ops = s.cfg, true, "run", 60
			if change != nil {
				change(p)
			}
		}
		if _, err := bench.NewVerification(bench.Decoded(t, j.plan(t, s)), 0, nil); err != nil {
			t.Skip(err) // versions
		}
		m, _, err := j.run(ctx, t, s)
		if err != nil || m.failed() != "" {
			t.Fatalf("%v; failed: %s", err, m.failed())
		}
		verifyLeft(t, s, j, m)
	})
}

// verifyLeft verifies what a job left, then damages an object and deletes another one, and verifies that.
func verifyLeft(t *testing.T, s *oddStore, j job, m *memory) {
	t.Helper()
	keys := slices.DeleteFunc(s.server.Keys(s.cfg.Bucket), func(key string) bool { return generator.IsClaim(key) || isCopy(m, key) })
	r, found := verified(t, s, j, m)
	if len(found) > 0 || r.Objects != uint64(len(keys)) {
		t.Fatalf("found %q, and compared %d of %d objects: %+v", found, r.Objects, len(keys), r)
	}
	if len(keys) == 0 {
		return
	}
	sess, ctx := s.Session(0), context.Background()
	want := []string{"wrong " + keys[0]}
	var content bytes.Buffer
	if err := ops.Get(ctx, sess, &s3.Call{Key: keys[0], Size: -1, Into: &content}); err != nil {
		t.Fatal(err)
	}
	text := content.Bytes()
	if r.Rewritten > 0 {
		text = text[:len(text)-1]
	} else {
		text[len(text)/2] ^= 1
	}
	if err := ops.Put(ctx, sess, &s3.Call{Key: keys[0], Body: bytes.NewReader(text), Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	if len(keys) > 1 {
		if err := ops.Delete(ctx, sess, &s3.Call{Key: keys[1]}); err != nil {
			t.Fatal(err)
		}
		want = append([]string{"missing " + keys[1]}, want...)
		if slices.ContainsFunc(m.ops, func(o op.Op) bool { return o.Kind == op.Delete && o.Key == "" }) {
			want = want[1:] // it may be one of those that were deleted together
		}
	}
	if _, found := verified(t, s, j, m); !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

// isCopy reports whether the server made an object of another one: such objects are not verified.
func isCopy(m *memory, key string) bool {
	return slices.ContainsFunc(m.ops, func(o op.Op) bool {
		return o.Key == key && (o.Kind == op.Copy || o.Kind == op.MultipartCopy)
	})
}

// verified verifies what a job left, and returns the problems in order.
func verified(t *testing.T, s *oddStore, j job, m *memory) (r *bench.Verified, found []string) {
	t.Helper()
	v, err := bench.NewVerification(bench.Decoded(t, j.plan(t, s)), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.ops {
		v.Add(&m.ops[i])
	}
	v.Store, v.Threads = s, 3
	v.Found = func(p bench.Problem) { found = append(found, p.Kind+" "+p.Key) }
	if r, err = v.Run(context.Background()); err != nil || !r.Complete {
		t.Fatalf("%+v, %v", r, err)
	}
	slices.Sort(found)
	return r, found
}

// TestVerifyReplay: what a replay left has the sizes that the trace says, whichever turn uploaded it; parts and copies may have made it.
func TestVerifyReplay(t *testing.T) {
	t.Parallel()
	text := "100 REST.PUT.OBJECT a 100\n200 REST.PUT.OBJECT b 70000\n300 REST.GET.OBJECT c 500\n400 REST.PUT.OBJECT a 200\n500 REST.DELETE.OBJECT b\n600 REST.PUT.OBJECT d 10\n"
	s, j := inNewBucket(t, responder.Options{}), job{workload: "replay"}
	p := playerOf(t, []byte(text))
	var plan *bench.Plan
	m, _, err := replayOf(t, s, p, func(made *bench.Plan, _ *replay.Replay) {
		made.Target, made.KeepData, made.RunID = s.cfg, true, "run"
		plan = made
	})
	if err != nil || m.failed() != "" {
		t.Fatalf("%v; failed: %s", err, m.failed())
	}
	j.made = plan
	verifyLeft(t, s, j, m)
}

// TestOneRefusalIsNoEnd: a store that cannot respond to one request of each kind does not end a run whose bucket it has shown, whether the
// request is one of the preparation, of the measurement, or of the clean-up. For listings of what exists see TestListingsAreRepeated.
func TestOneRefusalIsNoEnd(t *testing.T) {
	t.Parallel()
	eachRow(t, func(t *testing.T, j job) {
		var armed atomic.Bool
		var refused sync.Map
		s := inNewBucket(t, responder.Options{Rule: func(k op.Kind, _ uint64) (f responder.Fault) {
			if armed.Load() {
				if _, again := refused.LoadOrStore(k, true); !again {
					f.Status = http.StatusServiceUnavailable
				}
			}
			return f
		}})
		change := j.change
		j.observe = watch{func(bench.Stage) { armed.Store(true) }}
		j.change = func(p *bench.Plan) {
			p.Target, p.Phases[0].Ops = s.cfg, 40
			if change != nil {
				change(p)
			}
		}
		if _, _, err := j.run(context.Background(), t, s); err != nil {
			t.Error(err)
		}
		if left := s.server.Buckets(); !slices.Equal(left, []string{"bucket"}) {
			t.Errorf("left: %q with %q", left, s.server.Keys(s.cfg.Bucket))
		}
		if _, ok := refused.Load(op.Delete); !ok {
			t.Error("no deletion was refused")
		}
	})
}
