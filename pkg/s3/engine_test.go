package s3_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"warp/internal/responder"
	"warp/internal/responder/stores"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/ops"
)

func TestRoundTrip(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		r := serve(t, responder.Options{Keep: true})
		for _, signature := range []string{"S3V4", "S3V2", "anonymous"} {
			st := open(t, s3.Config{Hosts: []string{r.Host()}, Signature: signature, AccessKey: "A", SecretKey: "S"})
			s, ctx := st.Session(0), t.Context()
			for _, key := range s3test.EscapedKeys {
				c := putCall(key, "content of "+key)
				if err := ops.Put(ctx, s, c); err != nil {
					t.Fatalf("%s put %q: %v", signature, key, err)
				}
				if c.Status != 200 || c.Bytes != c.Size || c.Sent.IsZero() || !c.FirstByte.After(c.Sent) || c.Host != r.URL() || c.Retries != 0 {
					t.Errorf("put %q: %+v", key, c)
				}
				var got bytes.Buffer
				*c = s3.Call{Key: key, Size: c.Size, Into: &got}
				if err := ops.Get(ctx, s, c); err != nil || got.String() != "content of "+key {
					t.Errorf("get %q: %q, %v", key, got.String(), err)
				}
				if c.Status != 200 || c.Bytes != c.Size || c.FirstByte.IsZero() {
					t.Errorf("get %q: %+v", key, c)
				}
				c.Reset()
				c.Key = key
				if err := ops.Stat(ctx, s, c); err != nil || c.Status != 200 || c.FirstByte.IsZero() {
					t.Errorf("stat %q: %v %+v", key, err, c)
				}
				if err := ops.Delete(ctx, s, c); err != nil || c.Status != 204 {
					t.Errorf("delete %q: %v %+v", key, err, c)
				}
				if err := ops.Stat(ctx, s, c); class(err) != "404 Not Found" || c.Status != 404 {
					t.Errorf("stat of deleted %q: %v", key, err)
				}
			}
		}
		if got, want := r.Requests(op.Put), uint64(3*len(s3test.EscapedKeys)); got != want {
			t.Errorf("%d requests on the wire, want %d", got, want)
		}
		if n := r.Requests(responder.Bucket); n != 0 {
			t.Errorf("%d requests about the bucket; operations need none", n)
		}
	})
}

func TestPutIsOneUnsignedRequest(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		var seen []*http.Request
		host := handle(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			seen = append(seen, r)
		})
		st := open(t, s3.Config{Hosts: []string{host}})
		if err := ops.Put(t.Context(), st.Session(0), putCall("k", strings.Repeat("x", 6<<20))); err != nil {
			t.Fatal(err)
		}
		if len(seen) != 1 {
			t.Fatalf("%d requests", len(seen))
		}
		h := seen[0].Header
		if got := h.Get("X-Amz-Content-Sha256"); got != "UNSIGNED-PAYLOAD" {
			t.Errorf("payload is signed: %q", got)
		}
		for _, name := range []string{"X-Amz-Trailer", "X-Amz-Decoded-Content-Length", "Content-Encoding", "Expect", "Content-Md5"} {
			if v := h.Get(name); v != "" {
				t.Errorf("%s: %s was sent", name, v)
			}
		}
		if seen[0].ContentLength != 6<<20 || !strings.Contains(h.Get("Authorization"), "/us-east-1/s3/aws4_request") {
			t.Errorf("length %d, %s", seen[0].ContentLength, h.Get("Authorization"))
		}
	})
}

// eachStore runs a test with both engines and each kind of store.
func eachStore(t *testing.T, test func(t *testing.T, k *stores.Kind, open opener)) {
	for i := range stores.Kinds {
		k := &stores.Kinds[i]
		t.Run(k.Name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, open opener) { test(t, k, open) })
		})
	}
}

// of is how to reach a server of a kind of store.
func of(k *stores.Kind, r *responder.Server) s3.Config {
	cfg := k.Config
	cfg.Hosts = []string{r.Host()}
	return cfg
}

func TestErrorIsOneRequest(t *testing.T) {
	eachStore(t, func(t *testing.T, k *stores.Kind, open opener) {
		r := serve(t, responder.Options{Dialect: k.Dialect(), Rule: func(op.Kind, uint64) responder.Fault { return responder.Fault{Status: 503} }})
		s := open(t, of(k, r)).Session(0)
		many := &ops.Deletion{Objects: []ops.ObjectID{{Key: "a"}, {Key: "b"}}}
		steps := []struct {
			kind op.Kind
			err  error
		}{
			{op.Put, ops.Put(t.Context(), s, putCall("k", "x"))},
			{op.Get, ops.Get(t.Context(), s, &s3.Call{Key: "k", Size: -1})},
			{op.Stat, ops.Stat(t.Context(), s, &s3.Call{Key: "k"})},
			{op.List, ops.List(t.Context(), s, &s3.Call{}, &ops.Listing{})},
			{op.Delete, ops.DeleteMany(t.Context(), s, &s3.Call{}, many)},
		}
		for _, st := range steps {
			want := k.Busy
			if st.kind == op.Stat && (k.Name == s3.StoreS3 || k.Config.API == s3.APIXML) {
				want = "503 Service Unavailable" // the response to a HEAD has no body and so no code
			}
			var e *s3.Error
			if class(st.err) != want || !errors.As(st.err, &e) || e.Status != 503 || e.RequestID == "" {
				t.Errorf("%s: %v", st.kind, st.err)
			}
			if n := r.Requests(st.kind); n != 1 {
				t.Errorf("%s: %d requests on the wire, want 1", st.kind, n)
			}
		}
	})
}

func TestRetriesAreCounted(t *testing.T) {
	eachStore(t, func(t *testing.T, k *stores.Kind, open opener) {
		rule := func(kind op.Kind, n uint64) responder.Fault {
			if n < 2 {
				return responder.Fault{Status: 503}
			}
			return responder.Fault{}
		}
		r := serve(t, responder.Options{Dialect: k.Dialect(), Keep: true, Rule: rule})
		cfg := of(k, r)
		cfg.Retries = 3
		s := open(t, cfg).Session(0)
		c := putCall("k", "body")
		if err := ops.Put(t.Context(), s, c); err != nil || c.Retries != 2 || c.Status/100 != 2 {
			t.Errorf("put: %v, %d retries", err, c.Retries)
		}
		var got bytes.Buffer
		c = &s3.Call{Key: "k", Size: 4, Into: &got}
		if err := ops.Get(t.Context(), s, c); err != nil || c.Retries != 2 || got.String() != "body" {
			t.Errorf("get: %v, %d retries, %q", err, c.Retries, got.String())
		}
		if err := ops.Stat(t.Context(), s, &s3.Call{Key: "none"}); !s3.IsNotFound(err) {
			t.Errorf("stat: %v", err)
		}
		if n := r.Requests(op.Stat); n != 3 {
			t.Errorf("%d requests for a 404 after two 503, want 3", n)
		}
	})
}

// TestHostsAreShared: in turn, but weighed ones by several workers as the speed of the servers has it.
func TestHostsAreShared(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		a, b := serve(t, responder.Options{Forget: true}), serve(t, responder.Options{Forget: true})
		for _, selection := range []string{"weighed", "roundrobin"} {
			for _, workers := range []int{1, 4} {
				st := open(t, s3.Config{Hosts: []string{a.Host(), b.Host()}, HostSelect: selection, Concurrency: workers})
				seen := map[string]*atomic.Int64{a.URL(): {}, b.URL(): {}}
				var wg sync.WaitGroup
				for w := range workers {
					wg.Go(func() {
						s, c := st.Session(w), &s3.Call{Key: "k"}
						for range 100 / workers {
							if err := ops.Stat(t.Context(), s, c); err != nil {
								t.Error(err)
								return
							}
							seen[c.Host].Add(1)
						}
					})
				}
				wg.Wait()
				for host, n := range seen {
					if n := n.Load(); n != 50 && (workers == 1 || selection == "roundrobin") || n == 0 {
						t.Errorf("%s, %d workers: %s served %d of 100", selection, workers, host, n)
					}
				}
			}
		}
	})
}

func TestDebugHoldsNoSecrets(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		r := serve(t, responder.Options{})
		var lines []string
		cfg := s3.Config{
			Hosts: []string{r.Host()}, AccessKey: "ACCESSVALUE", SecretKey: "SECRETVALUE", SessionToken: "TOKENVALUE",
			Debug: func(f string, a ...any) { lines = append(lines, fmt.Sprintf(f, a...)) },
		}
		s := open(t, cfg).Session(0)
		_ = ops.Put(t.Context(), s, putCall("k", "x"))
		_ = ops.Get(t.Context(), s, &s3.Call{Key: "none", Size: -1})
		all := strings.Join(lines, "\n")
		if len(lines) != 2 || !strings.HasPrefix(lines[0], "PUT "+r.Host()+"/bucket/k 200 ") || !strings.Contains(lines[1], "404 NoSuchKey") {
			t.Errorf("lines: %s", all)
		}
		for _, secret := range []string{"ACCESSVALUE", "SECRETVALUE", "TOKENVALUE"} {
			if strings.Contains(all, secret) {
				t.Errorf("%s is in the log", secret)
			}
		}
	})
}

func TestConfigErrors(t *testing.T) {
	ok := s3.Config{Hosts: []string{"h:1"}, Bucket: "bucket"}
	tests := []struct {
		change func(*s3.Config)
		want   string
	}{
		{func(c *s3.Config) { c.Hosts = nil }, "--host"},
		{func(c *s3.Config) { c.Bucket = "" }, "--bucket"},
		{func(c *s3.Config) { c.Bucket = "x" }, `--bucket: invalid value "x"`},
		{func(c *s3.Config) { c.Encrypt = true }, "over TLS only"},
		{func(c *s3.Config) { c.AccessKey = "SECRETVALUE" }, "want both"},
		{func(c *s3.Config) { c.Lookup = "dns" }, `--lookup: invalid value "dns" (want path or host)`},
		{func(c *s3.Config) { c.Lookup, c.Hosts = "host", []string{"name:1", "10.0.0.1:9000"} }, "10.0.0.1:9000 is an IP address"},
		{func(c *s3.Config) { c.Lookup, c.Hosts = "host", []string{"[::1]"} }, "--lookup=path"},
		{func(c *s3.Config) { c.HostSelect = "random" }, `--host-select: invalid value "random"`},
		{func(c *s3.Config) { c.Signature = "V5" }, `--signature: invalid value "V5"`},
		{func(c *s3.Config) { c.Retries = -1 }, "--retries: invalid value -1"},
	}
	for _, tc := range tests {
		cfg := ok
		tc.change(&cfg)
		if _, err := connect.New(cfg); err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "SECRETVALUE") {
			t.Errorf("%v, want %q", err, tc.want)
		}
	}
}
