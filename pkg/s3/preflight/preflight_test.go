package preflight_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

// objects lists the bucket.
func objects(t *testing.T, s s3.Session) []ops.Entry {
	t.Helper()
	var l ops.Listing
	if err := ops.List(t.Context(), s, &s3.Call{}, &l); err != nil {
		t.Fatal(err)
	}
	return l.Entries
}

func TestPreflight(t *testing.T) {
	r := s3test.Serve(t, responder.Options{Keep: true})
	cfg := s3.Config{Hosts: []string{r.Host()}, Bucket: "bucket"}
	if err := bucket(t, cfg).TryWrite(t.Context(), "prefix/.preflight"); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []op.Kind{op.Put, op.Get, op.Delete} {
		if n := r.Requests(kind); n != 1 {
			t.Errorf("%d %s", n, kind)
		}
	}
	if keys := objects(t, s3test.Open(t, cfg).Session(0)); len(keys) != 0 {
		t.Errorf("left behind: %v", keys)
	}
}

// TestPreflightFromElsewhere connects from addresses that this machine does not have, or of another kind than the host's.
func TestPreflightFromElsewhere(t *testing.T) {
	r := s3test.Serve(t, responder.Options{})
	for addr, want := range map[string]string{"203.0.113.7": "this machine has no address 203.0.113.7", "::1": "an address of another kind"} {
		err := bucket(t, s3.Config{Hosts: []string{r.Host()}, Bucket: "bucket", LocalAddr: addr}).TryWrite(t.Context(), "key")
		wantDiagnosis(t, err, want, "--local-addr")
	}
}

// TestPreflightInterrupted leaves nothing behind when it is stopped during a request, even if that has its effect only
// later.
func TestPreflightInterrupted(t *testing.T) {
	for _, during := range []op.Kind{op.Put, op.Get, op.Delete} {
		s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
			ctx, cancel := context.WithCancel(t.Context())
			r := s3test.Serve(t, responder.Options{Keep: true, Rule: func(k op.Kind, _ uint64) responder.Fault {
				if k != during {
					return responder.Fault{}
				}
				time.AfterFunc(20*time.Millisecond, cancel) // when a body has arrived, mostly
				return responder.Fault{Delay: 100 * time.Millisecond}
			}})
			cfg := s3.Config{Hosts: []string{r.Host()}, Bucket: "bucket"}
			store := open(t, cfg)
			_ = preflight.Open(store).TryWrite(ctx, "key")
			for r.Responses(op.Put, 200)+r.Responses(op.Put, 0) == 0 {
				time.Sleep(time.Millisecond)
			}
			if keys := objects(t, store.Session(0)); len(keys) != 0 {
				t.Errorf("stopped during %s, left behind: %v", during, keys)
			}
		})
	}
}

func TestPreflightTLS(t *testing.T) {
	r := s3test.Serve(t, responder.Options{Keep: true})
	secure := httptest.NewUnstartedServer(r)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	tlsHost := strings.TrimPrefix(secure.URL, "https://")
	_, port, _ := net.SplitHostPort(tlsHost)

	run := func(host string, change func(*s3.Config)) error {
		cfg := s3.Config{Hosts: []string{host}, Bucket: "bucket"}
		change(&cfg)
		return bucket(t, cfg).TryWrite(t.Context(), "k")
	}
	tlsOn := func(c *s3.Config) { c.TLS = true }
	wantDiagnosis(t, run(tlsHost, func(*s3.Config) {}), "speaks TLS", "--tls")
	wantDiagnosis(t, run(r.Host(), tlsOn), "speaks plain HTTP", "--tls")
	wantDiagnosis(t, run(tlsHost, tlsOn), "authority", "--insecure", "--ca-file")
	if err := run(tlsHost, func(c *s3.Config) { c.TLS, c.Insecure = true, true }); err != nil {
		t.Error(err)
	}
	wantDiagnosis(t, run("name.invalid:"+port, func(*s3.Config) {}), "name of the host", "--host")
	// The responder ignores SSE-C, as real servers do.
	wantDiagnosis(t, run(tlsHost, func(c *s3.Config) { c.TLS, c.Insecure, c.Encrypt = true, true, true }), "ignores encryption", "--encrypt")
}

func TestPreflightNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := l.Addr().String()
	_ = l.Close()
	good := s3test.Serve(t, responder.Options{Keep: true})
	err = bucket(t, s3.Config{Hosts: []string{good.Host(), dead}, Bucket: "bucket"}).TryWrite(t.Context(), "k")
	wantDiagnosis(t, err, "http://"+dead, "connection refused", "--host")
	wantDiagnosis(t, bucket(t, s3.Config{Hosts: []string{dead}, Bucket: "bucket"}).TryRead(t.Context(), ""), "connection refused")
	var e *s3.Error
	if !errors.As(err, &e) || e.Class != "connection refused" {
		t.Errorf("the error below is lost: %v", err)
	}
}
