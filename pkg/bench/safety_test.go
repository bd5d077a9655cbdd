package bench_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/tags"

	"warp/internal/testkit"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

// foreign is a bucket that holds somebody else's objects.
type foreign struct {
	store   s3.Store
	bucket  string
	objects map[string][]byte
	mu      sync.Mutex
}

// newForeign makes a bucket with objects at its root, below the prefix of the tests, and with names like our own.
func newForeign(t *testing.T) *foreign {
	t.Helper()
	f := &foreign{bucket: newBucket(), objects: map[string][]byte{}}
	f.store = open(t, f.bucket)
	if _, err := preflight.Open(f.store).Ensure(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"invoice.pdf", "mine/letter.txt", "mine/deep/er.txt", "0.aaaaaaaaaaaaaaaa.rnd", "mine/1.bbbbbbbbbbbbbbbb.rnd", "zzz/2.cccccccccccccccc.rnd"} {
		f.put(t, 0, key)
	}
	return f
}

func (f *foreign) put(t *testing.T, worker int, key string) {
	body := make([]byte, 100+rand.IntN(5000))
	for i := range body {
		body[i] = byte(rand.Uint32())
	}
	var c s3.Call
	c.Reset()
	c.Key, c.Body, c.Size = key, bytes.NewReader(body), int64(len(body))
	if err := ops.Put(context.Background(), f.store.Session(worker), &c); err != nil {
		t.Errorf("put foreign object: %v", err)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.objects[key] = body
}

// writeOn goes on writing objects until the returned function is called. It writes the same few again and again: some servers
// list in a time that grows with the bucket, so that a listing would never reach the end of a bucket that grows as fast.
func (f *foreign) writeOn(t *testing.T) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
				f.put(t, 7, fmt.Sprintf("mine/second-writer/%d.rnd", i%100))
			}
		}
	})
	return func() { close(done); wg.Wait() }
}

// check makes sure that all foreign objects are as they were, and that nothing else is there.
func (f *foreign) check(t *testing.T) {
	t.Helper()
	there := listing(t, f.store)
	sess := f.store.Session(0)
	for key, want := range f.objects {
		var got bytes.Buffer
		var c s3.Call
		c.Reset()
		c.Key, c.Into = key, &got
		if err := ops.Get(context.Background(), sess, &c); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("foreign object %q: %d bytes of %d, %v", key, got.Len(), len(want), err)
		}
		delete(there, key)
	}
	for key := range maps.Keys(there) {
		t.Errorf("the run left %q", key)
	}
}

// works: MinIO warp: the bucket is emptied before and after each run
func TestForeignObjectsSurvive(t *testing.T) {
	t.Parallel()
	for _, variant := range []struct {
		name     string
		prefix   string
		noPrefix bool
	}{{"plain", "", false}, {"prefix", "mine", false}, {"noprefix", "", true}, {"prefix and noprefix", "mine", true}} {
		if !testkit.Soaking() && (variant.prefix != "") != variant.noPrefix {
			continue // both or none do for each run of the tests
		}
		t.Run(variant.name, func(t *testing.T) {
			each(t, func(t *testing.T, workload string) {
				if bench.NeedsFeatures(t, workload) {
					t.Skip("TestVersions has such buckets")
				}
				f := newForeign(t)
				stop := f.writeOn(t)
				m, _, err := job{workload: workload, change: func(p *bench.Plan) {
					p.Data.Prefix, p.Data.NoPrefix = variant.prefix, variant.noPrefix
				}}.run(context.Background(), t, f.store)
				stop()
				if err != nil || m.failed() != "" {
					t.Errorf("%v; failed: %s", err, m.failed())
				}
				f.check(t)
			})
		})
	}
}

func TestForeignObjectsSurviveInterrupt(t *testing.T) {
	each(t, func(t *testing.T, workload string) {
		for _, stage := range []string{bench.StagePrepare, bench.StageBenchmark} {
			f := newForeign(t)
			ctx, cancel := context.WithCancel(context.Background())
			j := job{workload: workload, change: func(p *bench.Plan) { p.Phases[0].Duration = time.Hour; p.Data.NoPrefix = true }}
			j.observe = watch{func(s bench.Stage) {
				if s.Name == stage {
					time.AfterFunc(20*time.Millisecond, cancel)
				}
			}}
			if info, _ := work.Lookup(workload); info.Default().Traits().Objects == 0 && stage == bench.StagePrepare {
				cancel() // it has no preparation: interrupted at once
			}
			_, _, _ = j.run(ctx, t, f.store) // an error is in order: interrupted before the benchmark
			cancel()
			f.check(t)
		}
	})
}

// What is in the bucket may be read, but not deleted unless the person insists.
func TestListExisting(t *testing.T) {
	for _, workload := range []string{"get", "stat", "list"} {
		for _, flat := range []string{"-list-flat=false", "-list-flat=true"} {
			f := newForeign(t)
			m, _, err := job{workload: workload, args: []string{"-list-existing", flat}, change: func(p *bench.Plan) {
				p.Data.Prefix = "mine"
			}}.run(context.Background(), t, f.store)
			if err != nil || m.failed() != "" || len(m.benchmark()) == 0 {
				t.Errorf("%s %s: %v, %d operations, failed: %s", workload, flat, err, len(m.benchmark()), m.failed())
			}
			deep := false
			for _, o := range m.ops {
				deep = deep || strings.Contains(o.Key, "deep") || o.Kind == op.List && o.Objects == 3
				if o.Kind == op.Put || o.Kind == op.Delete || !strings.HasPrefix(o.Key, "mine/") {
					t.Errorf("%s: %s of %q", workload, o.Kind, o.Key)
				}
			}
			if deep != (flat == "-list-flat=false") {
				t.Errorf("%s %s: went below the next slash: %v", workload, flat, deep)
			}
			f.check(t)
		}
	}
}

func TestDeleteExistingNeedsForce(t *testing.T) {
	f := newForeign(t)
	j := job{workload: "delete", args: []string{"-list-existing", "-objects=100"}, change: func(p *bench.Plan) { p.Data.Prefix = "mine" }}
	if _, _, err := j.run(context.Background(), t, f.store); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("without --force: %v", err)
	}
	f.check(t)
	j.change = func(p *bench.Plan) { p.Data.Prefix, p.Force = "mine", true }
	if _, _, err := j.run(context.Background(), t, f.store); err != nil {
		t.Errorf("with --force: %v", err)
	}
	for key := range listing(t, f.store) {
		if strings.HasPrefix(key, "mine/") {
			t.Errorf("%q was not deleted", key)
		}
		delete(f.objects, key)
	}
	for key := range f.objects {
		if !strings.HasPrefix(key, "mine/") {
			t.Errorf("%q was deleted, it lies outside of the prefix", key)
		}
	}
}

// Settings of a bucket that was there before stay, and a bucket that keeps versions is left without any of ours.
func TestBucketSettingsStay(t *testing.T) {
	f := newForeign(t)
	c, err := minio.New(target.Hosts[0], &minio.Options{Creds: credentials.NewStaticV4(string(target.AccessKey), string(target.SecretKey), ""), Region: target.Region})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if err := c.EnableVersioning(ctx, f.bucket); err != nil {
		t.Skip("the server keeps no versions:", err)
	}
	owner, err := tags.NewTags(map[string]string{"owner": "accounting"}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SetBucketTagging(ctx, f.bucket, owner); err != nil {
		t.Log("the server has no bucket tags:", err)
		owner = nil
	}
	for _, workload := range []string{"mixed", "delete", "put"} {
		if _, _, err := (job{workload: workload, change: func(p *bench.Plan) { p.Data.NoPrefix = true }}).run(ctx, t, f.store); err != nil {
			t.Errorf("%s: %v", workload, err)
		}
	}
	f.check(t)
	for v := range c.ListObjects(ctx, f.bucket, minio.ListObjectsOptions{Recursive: true, WithVersions: true}) {
		if _, theirs := f.objects[v.Key]; !theirs || v.Err != nil {
			t.Errorf("a version is left: %q %s, delete marker %v, %v", v.Key, v.VersionID, v.IsDeleteMarker, v.Err)
		}
	}
	if v, err := c.GetBucketVersioning(ctx, f.bucket); err != nil || !v.Enabled() {
		t.Errorf("versioning is off: %+v, %v", v, err)
	}
	if owner != nil {
		if got, err := c.GetBucketTagging(ctx, f.bucket); err != nil || got.ToMap()["owner"] != "accounting" {
			t.Errorf("tags are gone: %v, %v", got, err)
		}
	}
}
