package bench_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"warp/internal/testkit"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

// sharing has a plan share its data.
func sharing(p *bench.Plan) { p.SharedData = true }

// eachSharing runs a test for every workload that can share data, and has many objects.
func eachSharing(t *testing.T, test func(t *testing.T, workload string)) {
	each(t, func(t *testing.T, workload string) {
		info, _ := work.Lookup(workload)
		if traits := info.Default().Traits(); traits.Shares && !traits.OneSet {
			test(t, workload)
		}
	})
}

// One data set is uploaded by all clients together, read by each of them in an order of its own, and gone afterwards.
func TestSharedData(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 3} {
		for _, noPrefix := range []bool{false, true} {
			if !testkit.Soaking() && (n == 3) != noPrefix {
				continue
			}
			t.Run(fmt.Sprint(n, " clients, noprefix ", noPrefix), func(t *testing.T) {
				eachSharing(t, func(t *testing.T, workload string) {
					store := open(t, newBucket())
					j := job{workload: workload, ops: 60, change: func(p *bench.Plan) {
						p.SharedData, p.Data.NoPrefix = true, noPrefix
					}}
					all := newCompany(n).runAll(t, j, store, nil)
					checkShared(t, workload, all)
					if there, err := preflight.Open(store).Exists(context.Background()); there || err != nil {
						t.Errorf("the bucket that the run made is still there (%v)", err)
					}
				})
			})
		}
	}
}

func checkShared(t *testing.T, workload string, all []*outcome) {
	t.Helper()
	prepared := map[string]int{}
	var orders [][]string
	for i, c := range all {
		if c.err != nil || c.failed() != "" || len(c.benchmark()) == 0 {
			t.Fatalf("client %d: %v; %d operations; failed: %s", i, c.err, len(c.benchmark()), c.failed())
		}
		for _, o := range c.ops {
			if o.Phase == op.PhasePrepare {
				prepared[o.Key]++
			}
		}
	}
	want := 40
	if workload == "zip" { // its objects lie in one archive
		want = 1
	}
	if len(prepared) != want {
		t.Errorf("%d different objects were uploaded, want %d", len(prepared), want)
	}
	for key, n := range prepared {
		if n != 1 {
			t.Errorf("%q was uploaded %d times", key, n)
		}
	}
	for i, c := range all {
		read := map[string]bool{}
		var order []string
		for _, o := range c.benchmark() {
			if prepared[o.Key] > 0 && o.Kind != op.Delete {
				read[o.Key] = true
				order = append(order, o.Key)
			}
			if o.Kind == op.Delete && prepared[o.Key] > 0 {
				t.Errorf("client %d deleted %q, which others read", i, o.Key)
			}
		}
		orders = append(orders, order)
		if (workload == "get" || workload == "stat") && len(read) != 40 {
			t.Errorf("client %d read %d of the 40 objects in %d operations", i, len(read), len(c.benchmark()))
		}
	}
	if workload != "list" && len(orders[0]) > 0 && slices.Equal(orders[0], orders[1]) {
		t.Error("two clients read the same objects in the same order")
	}
}

// With --verify, contents that another client uploaded are checked as well.
func TestSharedDataIsVerified(t *testing.T) {
	for _, workload := range []string{"get", "mixed"} {
		store := open(t, newBucket())
		all := newCompany(2).runAll(t, job{workload: workload, ops: 60, args: []string{"-verify", "-range"}, change: sharing}, store, nil)
		checkShared(t, workload, all)
	}
	store := open(t, newBucket())
	both := newCompany(2)
	both.between = func() { spoil(t, store) }
	for i, c := range both.runAll(t, job{workload: "get", args: []string{"-verify"}, change: sharing}, store, nil) {
		if !strings.Contains(c.failed(), "wrong content") {
			t.Errorf("client %d did not see that objects changed; failed: %s", i, c.failed())
		}
	}
}

// spoil replaces all objects of a bucket by others of the same size.
func spoil(t *testing.T, store s3.Store) {
	for key, size := range listing(t, store) {
		var c s3.Call
		c.Reset()
		c.Key, c.Body, c.Size = key, strings.NewReader(strings.Repeat("x", int(size))), size
		if err := ops.Put(context.Background(), store.Session(9), &c); err != nil {
			t.Error(err)
		}
	}
}

// More clients than objects: some upload nothing, and read all the same.
func TestSharedDataOfFewObjects(t *testing.T) {
	eachSharing(t, func(t *testing.T, workload string) {
		store, few := open(t, newBucket()), "-objects=2"
		switch workload {
		case "contend":
			few = "-keys=2"
		case "zip":
			few = "-files=2" // of one object
		}
		for i, c := range newCompany(3).runAll(t, job{workload: workload, args: []string{few}, change: sharing}, store, nil) {
			if c.err != nil || c.failed() != "" || len(c.benchmark()) == 0 {
				t.Errorf("client %d: %v; %d operations; failed: %s", i, c.err, len(c.benchmark()), c.failed())
			}
		}
		if there, err := preflight.Open(store).Exists(context.Background()); there || err != nil {
			t.Errorf("the bucket is still there (%v)", err)
		}
	})
}

// Data that was kept can be read again with --list-existing, with the same seed only then, and by any number of clients.
func TestSharedDataIsKept(t *testing.T) {
	store := open(t, newBucket())
	keep := func(p *bench.Plan) { p.SharedData, p.KeepData = true, true }
	for i, c := range newCompany(2).runAll(t, job{workload: "get", change: keep}, store, nil) {
		if c.err != nil {
			t.Fatalf("client %d: %v", i, c.err)
		}
	}
	if n := len(listing(t, store)); n != 40 {
		t.Errorf("%d objects were kept, want 40", n)
	}
	for i, c := range newCompany(3).runAll(t, job{workload: "get", change: sharing}, store, nil) {
		if c.err == nil {
			t.Errorf("client %d began although objects of the seed are there", i)
		}
	}
	for i, c := range newCompany(3).runAll(t, job{workload: "get", args: []string{"-list-existing"}, change: sharing}, store, nil) {
		if c.err != nil || c.failed() != "" || len(c.keys()) > 0 || len(c.benchmark()) == 0 {
			t.Errorf("client %d: %v; failed: %s; %d uploads", i, c.err, c.failed(), len(c.keys()))
		}
	}
	if n := len(listing(t, store)); n != 40 {
		t.Errorf("%d objects are left after reading, want 40", n)
	}
}

// A client that is lost leaves its part of the data behind; one of the others removes it, whatever the bucket is like.
func TestSharedDataOfLostClientIsRemoved(t *testing.T) {
	t.Parallel()
	for _, variant := range []struct {
		name      string
		stage     string
		versioned bool
	}{{"in preparation", bench.StageBenchmark, false}, {"at the end", bench.StageCleanup, false}, {"versioned", bench.StageCleanup, true}} {
		t.Run(variant.name, func(t *testing.T) {
			eachSharing(t, func(t *testing.T, workload string) {
				f := newForeign(t)
				versions := func() {}
				if variant.versioned {
					versions = f.versioned(t)
				}
				all := newCompany(3).runAll(t, job{workload: workload, change: sharing}, f.store, func(i int, cl *client, _ *bench.Env, p *bench.Plan) {
					if i == 1 { // killed, so that it does not clean up
						cl.lost, p.KeepData = variant.stage, true
					}
				})
				for i, c := range all {
					if failed := c.err != nil; failed != (i == 1 || variant.stage == bench.StageBenchmark) {
						t.Errorf("client %d: %v", i, c.err)
					}
				}
				f.check(t)
				versions()
			})
		})
	}
}

// versioned has the bucket keep versions. The function that it returns looks whether any of ours is left.
func (f *foreign) versioned(t *testing.T) (check func()) {
	t.Helper()
	c, err := minio.New(target.Hosts[0], &minio.Options{Creds: credentials.NewStaticV4(string(target.AccessKey), string(target.SecretKey), ""), Region: target.Region})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.EnableVersioning(context.Background(), f.bucket); err != nil {
		t.Skip("the server keeps no versions:", err)
	}
	return func() {
		for v := range c.ListObjects(context.Background(), f.bucket, minio.ListObjectsOptions{Recursive: true, WithVersions: true}) {
			if _, theirs := f.objects[v.Key]; !theirs || v.Err != nil {
				t.Errorf("a version is left: %q %s, delete marker %v, %v", v.Key, v.VersionID, v.IsDeleteMarker, v.Err)
			}
		}
	}
}
