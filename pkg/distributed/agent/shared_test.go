package agent

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	miniokeys "github.com/minio/minio-go/v7/pkg/credentials"

	"warp/internal/embedded"
	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
	"warp/pkg/s3/target"
)

// realStore is the embedded server with the bucket of harness.Plan.
type realStore struct {
	s3.Store
	keys   target.Credentials
	host   string
	client *minio.Client
}

func startStore(t *testing.T) *realStore {
	t.Helper()
	s, err := embedded.Start(context.Background(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	r := &realStore{keys: target.Credentials{AccessKey: s3.Secret(s.Access), SecretKey: s3.Secret(s.Secret)}, host: s.Endpoint()}
	if r.Store, err = connect.New(r.plan(t, "get").Target); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	if _, err := preflight.Open(r.Store).Ensure(context.Background()); err != nil {
		t.Fatal(err)
	}
	if r.client, err = minio.New(r.host, &minio.Options{Creds: miniokeys.NewStaticV4(s.Access, s.Secret, ""), Region: "us-east-1"}); err != nil {
		t.Fatal(err)
	}
	return r
}

// plan is a plan of clients that share data.
func (r *realStore) plan(t *testing.T, workload string, args ...string) *bench.Plan {
	p := harness.Plan(t, workload, r.host, time.Second, args...)
	p.Target.AccessKey, p.Target.SecretKey, p.SharedData = r.keys.AccessKey, r.keys.SecretKey, true
	return p
}

// left are the keys in the bucket, of all versions.
func (r *realStore) left(t *testing.T) (keys []string) {
	t.Helper()
	for o := range r.client.ListObjects(context.Background(), "bench", minio.ListObjectsOptions{Recursive: true, WithVersions: true}) {
		if o.Err != nil {
			t.Fatal(o.Err)
		}
		keys = append(keys, o.Key)
	}
	return keys
}

func (r *realStore) run(t *testing.T, p *bench.Plan, o coordinator.Options) (*coordinator.Result, []op.Op, error) {
	t.Helper()
	var rec bytes.Buffer
	o.Recording = &rec
	result, err := coordinator.Run(context.Background(), p, r.keys, o)
	if err != nil {
		return result, nil, err
	}
	return result, harness.ReadOps(t, &rec), nil
}

// TestSharedData has clients upload one data set together; each reads all of it, in an order of its own.
func TestSharedData(t *testing.T) {
	t.Parallel()
	store := startStore(t)
	workloads := []string{"get -objects=20 -verify", "mixed -objects=20 -verify", "stat -objects=20", "list -objects=20 -max-keys=7"}
	for n, those := range map[int][]string{2: workloads, 3: workloads[:2]} {
		for _, args := range those {
			t.Run(fmt.Sprint(n, " ", args), func(t *testing.T) {
				_, addrs := startClients(t, n)
				w := strings.Fields(args)
				r, ops, err := store.run(t, store.plan(t, w[0], w[1:]...), testOptions(addrs...))
				if err != nil {
					t.Fatal(err)
				}
				if r.InResult != n {
					t.Errorf("%d of %d clients in the result, warnings %q", r.InResult, n, r.Warnings)
				}
				checkShared(t, ops, w[0], n, 20)
				if left := store.left(t); len(left) > 0 {
					t.Errorf("%d objects are left", len(left))
				}
				for _, g := range r.Snapshot.Groups {
					if g.FirstAccess != nil {
						t.Errorf("%s: the first reads of each client are given as the first reads of all", g.Kind)
					}
				}
			})
		}
	}
}

func checkShared(t *testing.T, ops []op.Op, workload string, clients, objects int) {
	t.Helper()
	prepared, read, order := map[string]int{}, map[string]map[string]bool{}, map[string][]string{}
	for _, o := range ops {
		if o.Err != "" {
			t.Fatalf("%s of %q failed: %s", o.Kind, o.Key, o.Err)
		}
		if o.Phase == op.PhasePrepare {
			prepared[o.Key]++
		}
	}
	for _, o := range ops {
		if o.Phase != op.PhasePrepare && prepared[o.Key] > 0 {
			if read[o.Client] == nil {
				read[o.Client] = map[string]bool{}
			}
			read[o.Client][o.Key] = true
			order[o.Client] = append(order[o.Client], o.Key)
		}
	}
	if len(prepared) != objects {
		t.Errorf("%d different objects were uploaded, want %d", len(prepared), objects)
	}
	for key, n := range prepared {
		if n > 1 {
			t.Errorf("%q was uploaded %d times", key, n)
		}
	}
	if workload == "list" {
		return
	}
	var first []string
	for client, keys := range read {
		// A mix reads at random; get and stat read each object once before any is read twice.
		if len(keys) != objects && workload != "mixed" && len(order[client]) >= objects {
			t.Errorf("client %s read %d of %d objects in %d reads", client, len(keys), objects, len(order[client]))
		}
		if slices.Equal(first, order[client]) {
			t.Error("two clients read in the same order")
		}
		first = order[client]
	}
	if len(read) != clients {
		t.Errorf("%d clients read shared objects, want %d", len(read), clients)
	}
}

// TestSharedDataIsKept reads again, with other clients, what was kept; then removes it by hand.
func TestSharedDataIsKept(t *testing.T) {
	t.Parallel()
	store := startStore(t)
	_, addrs := startClients(t, 3)
	p := store.plan(t, "get", "-objects=20")
	p.KeepData = true
	if _, _, err := store.run(t, p, testOptions(addrs[:2]...)); err != nil {
		t.Fatal(err)
	}
	if left := store.left(t); len(left) != 20 {
		t.Fatalf("%d objects were kept, want 20", len(left))
	}
	if _, _, err := store.run(t, store.plan(t, "get", "-objects=20"), testOptions(addrs...)); err == nil || !strings.Contains(err.Error(), "already holds objects") {
		t.Errorf("a second run with the same seed: %v", err)
	}
	r, ops, err := store.run(t, store.plan(t, "get", "-list-existing"), testOptions(addrs...))
	if err != nil || r.InResult != 3 {
		t.Fatalf("read what is there: %v", err)
	}
	for _, o := range ops {
		if o.Kind != op.Get || o.Err != "" {
			t.Errorf("%s of %q: %s", o.Kind, o.Key, o.Err)
		}
	}
	if left := store.left(t); len(left) != 20 {
		t.Errorf("%d objects are left, want 20", len(left))
	}
}

// TestSharedDataInterrupted cleans up, whenever the run is stopped.
func TestSharedDataInterrupted(t *testing.T) {
	t.Parallel()
	store := startStore(t)
	for _, stage := range []string{bench.StagePrepare, bench.StageBenchmark} {
		_, addrs := startClients(t, 2)
		ctx, cancel := context.WithCancel(context.Background())
		o := testOptions(addrs...)
		o.Observer = &watcher{onStage: func(s coordinator.Stage) {
			if s.Name == stage {
				cancel()
			}
		}}
		_, err := coordinator.Run(ctx, store.plan(t, "mixed", "-objects=400"), store.keys, o)
		cancel()
		if stage == bench.StagePrepare && err == nil {
			t.Error("a run that was stopped in its preparation is no success")
		}
		if left := store.left(t); len(left) > 0 {
			t.Errorf("stopped in stage %s: %d objects are left", stage, len(left))
		}
	}
}

// TestSharedDataOfLostClient goes on with the others, who meet no object that is gone, and clean up for it as well.
func TestSharedDataOfLostClient(t *testing.T) {
	t.Parallel()
	for _, versioned := range []bool{false, true} {
		store := startStore(t)
		if versioned {
			if err := store.client.EnableVersioning(context.Background(), "bench"); err != nil {
				t.Fatal(err)
			}
		}
		near := startClient(t, nil)
		far := startClient(t, func(o *Options) { o.Grace = 100 * time.Millisecond })
		p := harness.StartProxy(t, far.addr)
		o := testOptions(near.addr, p.Addr())
		w := &watcher{onStage: inBenchmark(t, func() { p.Cut(true) })}
		o.Observer, o.Grace = w, 200*time.Millisecond
		plan := store.plan(t, "mixed", "-objects=20")
		plan.Phases[0].Duration = 2 * time.Second
		r, ops, err := store.run(t, plan, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.InResult != 1 || !strings.Contains(strings.Join(r.Warnings, "\n"), "1 of 2 clients") {
			t.Errorf("%d clients in the result, warnings %q", r.InResult, r.Warnings)
		}
		if warnings := strings.Join(append(r.Warnings, w.result.Warnings...), "\n"); strings.Contains(warnings, "are left") {
			t.Errorf("the other client cleans up for it, but: %s", warnings)
		}
		for _, o := range ops {
			if o.Err != "" {
				t.Errorf("%s of %q failed: %s", o.Kind, o.Key, o.Err)
			}
		}
		harness.Until(t, "the lost client waits for the others", func() bool { return strings.Contains(far.busy(), "waiting to delete shared data") })
		far.stop() // which does not wait
		if left := store.left(t); len(left) > 0 {
			t.Errorf("versioned %v: %d objects are left: %q", versioned, len(left), left)
		}
	}
}

// TestSharedDataIncomplete begins no benchmark when a client was lost that had a part of the data to upload.
func TestSharedDataIncomplete(t *testing.T) {
	t.Parallel()
	store := startStore(t)
	near := startClient(t, nil)
	far := startClient(t, func(o *Options) { o.Grace = 100 * time.Millisecond })
	p := harness.StartProxy(t, far.addr)
	o := testOptions(near.addr, p.Addr())
	o.Grace = 200 * time.Millisecond
	o.Observer = &watcher{onStage: func(s coordinator.Stage) {
		if s.Name == bench.StagePrepare {
			p.Cut(true)
		}
	}}
	_, _, err := store.run(t, store.plan(t, "get", "-objects=100000"), o)
	if err == nil || !strings.Contains(err.Error(), "the shared data set is incomplete") || !strings.Contains(err.Error(), p.Addr()) {
		t.Errorf("got %v", err)
	}
	harness.Until(t, "both clients are free", func() bool { return near.busy() == "" && far.busy() == "" })
	if left := store.left(t); len(left) > 0 {
		t.Errorf("%d objects are left", len(left))
	}
}

// TestDeleteExistingInParts has each client delete a part of its own of what is there.
func TestDeleteExistingInParts(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	store, err := connect.New(s3.Config{Hosts: []string{server.Host()}, Bucket: "bench", Region: "us-east-1", AccessKey: "a", SecretKey: "b", Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for i := range 31 {
		c := s3.Call{Key: fmt.Sprintf("old/%02d", i), Body: strings.NewReader("x"), Size: 1}
		if err := ops.Put(context.Background(), store.Session(0), &c); err != nil {
			t.Fatal(err)
		}
	}
	_, addrs := startClients(t, 3)
	p := harness.Plan(t, "delete", server.Host(), time.Minute, "-list-existing", "-batch=1", "-objects=1000")
	p.Force, p.Data.Prefix = true, "old"
	r, rec, err := runAll(context.Background(), p, testOptions(addrs...))
	if err != nil || r.InResult != 3 {
		t.Fatalf("%v, %+v", err, r)
	}
	keys := map[string]int{}
	for _, o := range harness.ReadOps(t, rec) {
		keys[o.Key]++
	}
	for key, n := range keys {
		if n != 1 {
			t.Errorf("%q was deleted %d times", key, n)
		}
	}
	if len(keys) != 31 {
		t.Errorf("%d objects were deleted, want 31: %v", len(keys), keys)
	}
}
