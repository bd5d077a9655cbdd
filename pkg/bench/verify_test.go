package bench_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
)

// kept runs a job that keeps its data, and returns its operations and a function that makes a verification of it.
func kept(t *testing.T, j job, store s3.Store) (*memory, func() *bench.Verification) {
	t.Helper()
	j.change = func(p *bench.Plan) { p.KeepData, p.RunID = true, "run" }
	m, _, err := j.run(context.Background(), t, store)
	if err != nil || m.failed() != "" {
		t.Fatalf("%v; failed: %s", err, m.failed())
	}
	plan := j.plan(t, store)
	t.Cleanup(func() {
		c := &bench.Cleanup{Over: true, Plan: bench.Decoded(t, plan), Target: plan.Target, Store: store, Threads: 4}
		if _, err := c.Run(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return m, func() *bench.Verification {
		v, err := bench.NewVerification(bench.Decoded(t, plan), 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.ops {
			v.Add(&m.ops[i])
		}
		v.Store, v.Threads = store, 3
		return v
	}
}

// What each workload leaves is as it was uploaded, whatever it deletes, and in whatever order its records arrive.
func TestVerifyWorkloads(t *testing.T) {
	for _, name := range []string{"put", "multipart-put", "get", "mixed", "delete"} {
		t.Run(name, func(t *testing.T) {
			needsRow(t, name)
			store := open(t, newBucket())
			m, verification := kept(t, job{workload: name}, store)
			slices.Reverse(m.ops)
			v := verification()
			v.Found = func(p bench.Problem) { t.Errorf("%+v", p) }
			r, err := v.Run(context.Background())
			if err != nil || !r.Complete || r.Problems() > 0 {
				t.Errorf("%+v, %v", r, err)
			}
			want := uint64(len(m.keys()))
			for _, o := range m.ops {
				switch o.Kind {
				case op.MultipartPut:
					want++
				case op.Delete:
					want -= uint64(o.Objects)
				}
			}
			if r.Objects != want || r.Bytes != int64(4096*want) {
				t.Errorf("%d objects of %d bytes were compared, want %d", r.Objects, r.Bytes, want)
			}
		})
	}
}

// Objects that are missing, shorter, or differ in one byte are found, all of them and no others; after an interruption the
// verification goes on where it ended.
func TestVerifyFindsProblems(t *testing.T) {
	ctx := context.Background()
	store := open(t, newBucket())
	m, verification := kept(t, job{workload: "put"}, store)
	keys := m.keys()
	if len(keys) < 8 {
		t.Skip("the machine is too slow: it uploaded less than 8 objects")
	}
	var buf bytes.Buffer
	if err := ops.Get(ctx, store.Session(0), &s3.Call{Key: keys[5], Size: -1, Into: &buf}); err != nil {
		t.Fatal(err)
	}
	content := buf.Bytes()
	content[4000] ^= 1
	put := func(key string, b []byte) {
		if err := ops.Put(ctx, store.Session(0), &s3.Call{Key: key, Body: strings.NewReader(string(b)), Size: int64(len(b))}); err != nil {
			t.Fatal(err)
		}
	}
	put(keys[5], content)
	put(keys[3], content[:100])
	if err := ops.Delete(ctx, store.Session(0), &s3.Call{Key: keys[1]}); err != nil {
		t.Fatal(err)
	}
	want := []string{"missing " + keys[1] + " ", "wrong " + keys[3] + " 100 bytes, want 4096", "wrong " + keys[5] + " byte 4000 of 4096"}
	slices.Sort(want)

	var found []string
	v := verification()
	v.Found = func(p bench.Problem) { found = append(found, fmt.Sprint(p.Kind, " ", p.Key, " ", p.Detail)) }
	r, err := v.Run(ctx)
	slices.Sort(found)
	if err != nil || !slices.Equal(found, want) || r.Missing != 1 || r.Wrong != 2 || r.Objects != uint64(len(keys)) {
		t.Fatalf("found %q, want %q; %+v, %v", found, want, r, err)
	}

	found = nil
	from, rounds := uint64(0), 0
	for done := false; !done; rounds++ {
		ctx, interrupt := context.WithCancel(ctx)
		v := verification()
		v.From = from
		v.Found = func(p bench.Problem) {
			if text := fmt.Sprint(p.Kind, " ", p.Key, " ", p.Detail); !slices.Contains(found, text) { // what was cut off is read again
				found = append(found, text)
				interrupt()
			}
		}
		r, err := v.Run(ctx)
		if err != nil || r.Next < from {
			t.Fatalf("%+v, %v", r, err)
		}
		done, from = r.Complete, r.Next
		interrupt()
	}
	slices.Sort(found)
	if !slices.Equal(found, want) || from != uint64(len(keys)) || rounds > 4 {
		t.Errorf("with interruptions: found %q in %d rounds, up to %d", found, rounds, from)
	}

	v = verification()
	v.Sample = 0.4
	a, err := v.Run(ctx)
	again := verification()
	again.Sample = 0.4
	b, errB := again.Run(ctx)
	if err != nil || errB != nil || *a != *b || a.Objects >= uint64(len(keys)) || !a.Complete {
		t.Errorf("two samples of the same objects: %+v, %+v", a, b)
	}
}

// A key for SSE-C is random and recorded nowhere.
// works: MinIO warp: `--encrypt` with a random key
func TestVerifyEncrypted(t *testing.T) {
	plan := job{workload: "put"}.plan(t, open(t, newBucket()))
	plan.Target.Encrypt = true
	if _, err := bench.NewVerification(bench.Decoded(t, plan), 0, nil); err == nil || !strings.Contains(err.Error(), "--encrypt") {
		t.Errorf("got %v", err)
	}
}

// Contents of objects that a run overwrote do not follow from its plan; all other objects are compared.
func TestVerifyRewritten(t *testing.T) {
	t.Parallel()
	store := open(t, newBucket())
	m, verification := kept(t, job{workload: "put", args: []string{"-objects=20", "-access=range(1..5):seq"}}, store)
	var found []string
	v := verification()
	v.Found = func(p bench.Problem) { found = append(found, fmt.Sprint(p.Kind, " ", p.Key)) }
	if r, err := v.Run(context.Background()); err != nil || found != nil || r.Objects != 20 || r.Rewritten != 5 || !r.Complete {
		t.Errorf("found %q; %+v, %v", found, r, err)
	}
	keys := map[string]int{}
	for _, o := range m.ops {
		if o.Kind == op.Put {
			keys[o.Key]++
		}
	}
	want := []string{}
	for key, uploads := range keys {
		if uploads == 1 && len(want) == 0 || uploads > 1 && len(want) == 1 { // one of each sort is missing
			if err := ops.Delete(context.Background(), store.Session(0), &s3.Call{Key: key}); err != nil {
				t.Fatal(err)
			}
			want = append(want, "missing "+key)
		}
	}
	v, found = verification(), nil
	v.Found = func(p bench.Problem) { found = append(found, fmt.Sprint(p.Kind, " ", p.Key)) }
	if _, err := v.Run(context.Background()); err != nil || len(found) != len(want) || !slices.Contains(found, want[0]) {
		t.Errorf("found %q, want %q; %v", found, want, err)
	}
}

// With --verify each upload is followed by a download, which compares.
func TestPutVerify(t *testing.T) {
	store := open(t, newBucket())
	m, _, err := job{workload: "put", args: []string{"-verify"}}.run(context.Background(), t, store)
	if err != nil || m.failed() != "" {
		t.Fatalf("%v; failed: %s", err, m.failed())
	}
	read := map[string]int64{}
	for _, o := range m.ops {
		if o.Kind == op.Get {
			read[o.Key] += o.Bytes
		}
	}
	for _, key := range m.keys() {
		if read[key] != 4096 {
			t.Errorf("%d bytes of %s were read back, want 4096", read[key], key)
		}
	}
}

// Requests that are signed ahead are accepted, and what they upload is what was asked for; a wrong key is refused. What other
// servers do is in docs/reference/servers.md.
func TestSignedAhead(t *testing.T) {
	if serverName != "embedded" {
		t.Skip("the embedded server stands for those that check signatures of forms")
	}
	for _, args := range [][]string{{"-post", "-verify"}, {"-presign", "-verify"}} {
		store := open(t, newBucket())
		m, _, err := job{workload: "put", args: args}.run(context.Background(), t, store)
		if err != nil || m.failed() != "" || len(m.ops) == 0 {
			t.Errorf("%v: %v; failed: %s", args, err, m.failed())
		}
		for _, o := range m.ops {
			if o.Bytes != 4096 {
				t.Errorf("%v: %s of %d bytes", args, o.Kind, o.Bytes)
			}
		}
	}
	store := open(t, newBucket())
	m, _, err := job{workload: "get", args: []string{"-presign", "-range-size=100"}}.run(context.Background(), t, store)
	if err != nil || m.failed() != "" {
		t.Errorf("get: %v; failed: %s", err, m.failed())
	}
	cfg := *store.Config()
	cfg.SecretKey = "wrong"
	other, err := connect.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for name, send := range map[string]func(context.Context, s3.Session, *s3.Call) error{"presigned": ops.Put, "form": ops.Post} {
		err := send(t.Context(), other.Session(0), &s3.Call{Auth: s3.AuthQuery, Key: "k", Body: strings.NewReader("x"), Size: 1})
		var e *s3.Error
		if !errors.As(err, &e) || e.Status != 403 {
			t.Errorf("%s with a wrong key: %v", name, err)
		}
	}
}
