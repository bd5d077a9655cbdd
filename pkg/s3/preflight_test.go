package s3_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/op"
	"warp/pkg/s3"
)

func TestPreflight(t *testing.T) {
	r := serve(t, responder.Options{Keep: true})
	cfg := s3.Config{Hosts: []string{r.Host()}, Bucket: "bucket"}
	if err := s3.Preflight(t.Context(), cfg, "prefix/.preflight"); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []op.Kind{op.Put, op.Get, op.Delete} {
		if n := r.Requests(kind); n != 1 {
			t.Errorf("%d %s", n, kind)
		}
	}
	keys, _ := listAll(t, open(t, cfg).Session(0), s3.Listing{})
	if len(keys) != 0 {
		t.Errorf("left behind: %q", keys)
	}
}

// TestPreflightFromElsewhere connects from addresses that this machine does not have, or of another kind than the host's.
func TestPreflightFromElsewhere(t *testing.T) {
	r := serve(t, responder.Options{})
	for addr, want := range map[string]string{"203.0.113.7": "this machine has no address 203.0.113.7", "::1": "an address of another kind"} {
		err := s3.Preflight(t.Context(), s3.Config{Hosts: []string{r.Host()}, Bucket: "bucket", LocalAddr: addr}, "key")
		wantDiagnosis(t, err, want, "--local-addr")
	}
}

// TestPreflightInterrupted leaves nothing behind when it is stopped during a request, even if that has its effect only
// later.
func TestPreflightInterrupted(t *testing.T) {
	for _, during := range []op.Kind{op.Put, op.Get, op.Delete} {
		eachEngine(t, func(t *testing.T, open opener) {
			ctx, cancel := context.WithCancel(t.Context())
			r := serve(t, responder.Options{Keep: true, Rule: func(k op.Kind, _ uint64) responder.Fault {
				if k != during {
					return responder.Fault{}
				}
				time.AfterFunc(20*time.Millisecond, cancel) // when a body has arrived, mostly
				return responder.Fault{Delay: 100 * time.Millisecond}
			}})
			cfg := s3.Config{Hosts: []string{r.Host()}, Bucket: "bucket"}
			store := open(t, cfg)
			cfg.Engine = store.Engine()
			_ = s3.Preflight(ctx, cfg, "key")
			for r.Responses(op.Put, 200)+r.Responses(op.Put, 0) == 0 {
				time.Sleep(time.Millisecond)
			}
			if keys, _ := listAll(t, store.Session(0), s3.Listing{}); len(keys) != 0 {
				t.Errorf("stopped during %s, left behind: %q", during, keys)
			}
		})
	}
}

func TestPreflightTLS(t *testing.T) {
	r := serve(t, responder.Options{Keep: true})
	secure := httptest.NewUnstartedServer(r)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	tlsHost := strings.TrimPrefix(secure.URL, "https://")
	_, port, _ := net.SplitHostPort(tlsHost)

	run := func(host string, change func(*s3.Config)) error {
		cfg := s3.Config{Hosts: []string{host}, Bucket: "bucket"}
		change(&cfg)
		return s3.Preflight(t.Context(), cfg, "k")
	}
	tlsOn := func(c *s3.Config) { c.TLS = true }
	wantDiagnosis(t, run(tlsHost, func(*s3.Config) {}), "speaks TLS", "--tls")
	wantDiagnosis(t, run(r.Host(), tlsOn), "speaks plain HTTP", "--tls")
	wantDiagnosis(t, run(tlsHost, tlsOn), "authority", "--insecure", "SSL_CERT_FILE")
	if err := run(tlsHost, func(c *s3.Config) { c.TLS, c.Insecure = true, true }); err != nil {
		t.Error(err)
	}
	wantDiagnosis(t, run("name.invalid:"+port, func(*s3.Config) {}), "name of the host", "--host")
	// The responder ignores SSE-C, as real servers do.
	wantDiagnosis(t, run(tlsHost, func(c *s3.Config) { c.TLS, c.Insecure, c.Encrypt = true, true, true }), "ignores SSE-C", "--encrypt")
}

func TestPreflightNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := l.Addr().String()
	_ = l.Close()
	good := serve(t, responder.Options{Keep: true})
	err = s3.Preflight(t.Context(), s3.Config{Hosts: []string{good.Host(), dead}, Bucket: "bucket"}, "k")
	wantDiagnosis(t, err, "http://"+dead, "connection refused", "--host")
	wantDiagnosis(t, s3.PreflightRead(t.Context(), s3.Config{Hosts: []string{dead}, Bucket: "bucket"}, ""), "connection refused")
	var e *s3.Error
	if !errors.As(err, &e) || e.Class != "connection refused" {
		t.Errorf("the error below is lost: %v", err)
	}
}

func TestEncrypt(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		var keys []string
		kind := "X-Amz-Server-Side-Encryption-Customer-Algorithm"
		s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			keys = append(keys, r.Header.Get("X-Amz-Server-Side-Encryption-Customer-Key"))
			w.Header().Set(kind, r.Header.Get(kind))
			w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		}))
		t.Cleanup(s.Close)
		st := open(t, s3.Config{Hosts: []string{strings.TrimPrefix(s.URL, "https://")}, TLS: true, Insecure: true, Encrypt: true})
		a, b := st.Session(0), st.Session(1)
		errs := []error{s3.Put(t.Context(), a, putCall("k", "x")), s3.Get(t.Context(), b, &s3.Call{Key: "k", Size: 0}), s3.Stat(t.Context(), b, &s3.Call{Key: "k"})}
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		if len(keys) != 3 || keys[0] == "" || keys[0] != keys[1] || keys[1] != keys[2] {
			t.Errorf("keys differ or are missing: %d", len(keys))
		}
	})
}

func TestProfiler(t *testing.T) {
	var seen []string
	host := handle(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, fmt.Sprintf("%s %s", r.Method, r.URL))
		if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256") {
			t.Error("not signed")
		}
		switch {
		case strings.Contains(r.URL.RawQuery, "mem"):
			_, _ = io.WriteString(w, `[{"nodeName":"n1","success":false,"error":"broken"}]`)
		case r.Method == http.MethodPost:
			_, _ = io.WriteString(w, `[{"nodeName":"n1","success":true}]`)
		default:
			_, _ = io.WriteString(w, "zip")
		}
	})
	cfg := s3.Config{Hosts: []string{host}, Bucket: "bucket", AccessKey: "a", SecretKey: "s"}
	p, err := s3.NewProfiler(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var out strings.Builder
	if err := errors.Join(p.StartProfile(t.Context(), "cpu"), p.StopProfile(t.Context(), &out)); err != nil || out.String() != "zip" {
		t.Errorf("%v, %q", err, out.String())
	}
	want := "POST /minio/admin/v3/profiling/start?profilerType=cpu, GET /minio/admin/v3/profiling/download"
	if got := strings.Join(seen, ", "); got != want {
		t.Errorf("asked %q, want %q", got, want)
	}
	if err := p.StartProfile(t.Context(), "mem"); err == nil || !strings.Contains(err.Error(), "n1: broken") {
		t.Errorf("%v", err)
	}
	if err := p.StartProfile(t.Context(), "heap"); err == nil || !strings.Contains(err.Error(), `--serverprof: invalid value "heap"`) {
		t.Errorf("%v", err)
	}
	cfg.AccessKey, cfg.SecretKey = "", ""
	if _, err := s3.NewProfiler(cfg); err == nil {
		t.Error("anonymous profiler")
	}
}
