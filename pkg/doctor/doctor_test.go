package doctor_test

import (
	"context"
	"encoding/pem"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/embedded"
	"warp/internal/responder"
	"warp/pkg/doctor/finding"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
)

// startEmbedded starts a real server, and returns how to reach it.
func startEmbedded(t *testing.T) s3.Config {
	t.Helper()
	if !embedded.Built {
		t.Skip("there is no embedded server")
	}
	s, err := embedded.Start(t.Context(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s3.Config{Hosts: []string{s.Endpoint()}, Bucket: "bucket", AccessKey: s3.Secret(s.Access), SecretKey: s3.Secret(s.Secret)}
}

// TestRealBuckets: buckets that keep versions, or lock objects, are left as they were, with what is in them.
func TestRealBuckets(t *testing.T) {
	const lock = `<ObjectLockConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><ObjectLockEnabled>Enabled</ObjectLockEnabled>`
	for name, tc := range map[string]struct {
		locked         bool
		query, setting string // of the bucket
		lock           string // that is found
		problem        string
	}{
		"versions":  {false, "versioning", `<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Enabled</Status></VersioningConfiguration>`, finding.LockNone, ""},
		"lock":      {true, "object-lock", lock + "</ObjectLockConfiguration>", finding.LockEnabled, ""},
		"retention": {true, "object-lock", lock + "<Rule><DefaultRetention><Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention></Rule></ObjectLockConfiguration>", finding.LockDefault, "locked at once"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := startEmbedded(t)
			st, err := connect.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			s, c := st.Session(0), &s3.Call{}
			c.Begin(http.MethodPut, s3.NoAccess)
			if tc.locked {
				c.Headers = append(c.Headers, s3.Header{Name: "x-amz-bucket-object-lock-enabled", Value: "true"})
			}
			if err := s.Do(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := ops.Put(t.Context(), s, &s3.Call{Key: "somebody/else", Body: strings.NewReader("text"), Size: 4}); err != nil {
					t.Fatal(err)
				}
			}
			*c = s3.Call{}
			c.Begin(http.MethodPut, s3.NoAccess)
			c.Query = []s3.Param{{Name: tc.query}}
			c.SetDocument([]byte(tc.setting))
			if err := s.Do(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			before := versions(t, s)
			r := examine(t.Context(), t, cfg)
			if tc.problem == "" && !r.OK() || r.Bucket.Versioning != "Enabled" || r.Bucket.Lock != tc.lock || r.Bucket.Made {
				t.Errorf("%q, %+v", r.Problems, r.Bucket)
			}
			if tc.problem != "" {
				wantOne(t, "problems", r.Problems, tc.problem)
			}
			if after := versions(t, s); !slices.Equal(before, after) || len(before) == 0 {
				t.Errorf("before %v, after %v", before, after)
			}
		})
	}
}

// versions lists all versions and delete markers.
func versions(t *testing.T, s s3.Session) []ops.Entry {
	t.Helper()
	l := ops.Listing{All: true}
	if err := ops.List(t.Context(), s, &s3.Call{}, &l); err != nil {
		t.Fatal(err)
	}
	return l.Entries
}

// TestEmbedded examines a real server, which makes the bucket, and leaves nothing.
func TestEmbedded(t *testing.T) {
	cfg := startEmbedded(t)
	for _, engine := range []string{"lean", "std"} {
		cfg.Engine = engine
		r := examine(t.Context(), t, cfg)
		if !r.OK() || len(lasting(r.Warnings)) > 0 {
			t.Errorf("%s: problems %q, warnings %q", engine, r.Problems, r.Warnings)
		}
		for _, c := range r.Checks {
			want := finding.Yes
			switch c.Name {
			case "append (write offset)", "rename", "--sse-s3", "--sse-kms", "snowball (MinIO)", "metadata (MinIO)", "directory bucket (CreateSession)", "zip (MinIO)": // it ignores the headers, or the query
				want = finding.Ignored
			case "acl", "fanout (MinIO)", "select":
				want = finding.No
			case "--encrypt (SSE-C)":
				want = finding.Untried
			}
			if c.Result != want {
				t.Errorf("%s: %+v, want %s", engine, c, want)
			}
		}
		if b := r.Bucket; !b.Made || b.Versioning != finding.VersionsNever || b.Lock != finding.LockNone || b.Region != "us-east-1" {
			t.Errorf("%s: %+v", engine, b)
		}
		h := r.Hosts[0]
		if len(h.Addresses) != 1 || h.Addresses[0].Error != "" || h.Server == "" || h.Clock == nil || len(h.RoundTrips) != 3 {
			t.Errorf("%s: %+v", engine, h)
		}
		if c := h.Connections; c == nil || c.Made > 1 || c.Requests < 3 {
			t.Errorf("%s: connections %+v", engine, c)
		}
		st, err := connect.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := ops.HeadBucket(t.Context(), st.Session(0), &s3.Call{}); !s3.NoBucket(err) {
			t.Errorf("%s: the bucket is still there: %v", engine, err)
		}
		st.Close()
	}
}

// TestIgnored examines a server that looks at no header: it accepts much that it does not do.
func TestIgnored(t *testing.T) {
	r := serve(t, responder.Options{})
	host := before(t, r, func(w http.ResponseWriter, req *http.Request) bool {
		for name := range req.Header {
			if name != "Range" && name != "Content-Length" {
				req.Header.Del(name)
			}
		}
		return about(req, "GET", "object-lock") && refuse(w, 501, "NotImplemented")
	})
	got := examine(t.Context(), t, config(host))
	if !got.OK() {
		t.Errorf("%q", got.Problems)
	}
	want := map[string]finding.Result{
		"put": finding.Yes, "get": finding.Yes, "stat": finding.Yes, "list": finding.Yes, "delete": finding.Yes,
		"conditional put (If-None-Match)": finding.Ignored, "conditional get (If-None-Match)": finding.Ignored,
		"--checksum=CRC32C": finding.Ignored, "--md5": finding.Ignored, "--payload=signed": finding.Yes, "--payload=streaming": finding.Ignored, "get --range": finding.Yes, "--add-metadata": finding.Ignored,
		"start-after": finding.Yes, "delimiter": finding.Yes, "pages (max-keys)": finding.Yes, "tag (put)": finding.Yes, "tag (get)": finding.Yes,
		"copy": finding.Ignored, "wrong signatures are refused": finding.Ignored, "object lock state": finding.No, "versioning state": finding.Yes,
	}
	all := results(got)
	maps.DeleteFunc(all, func(name string, _ finding.Result) bool { return want[name] == "" })
	if !maps.Equal(all, want) {
		t.Errorf("%v\nwant %v", all, want)
	}
	wantOne(t, "warnings", lasting(got.Warnings), "credentials are not checked")
	wantEmpty(t, r)
}

// TestVersions: neither versions nor delete markers stay.
func TestVersions(t *testing.T) {
	r := serve(t, responder.Options{Versions: responder.VersionsSuspended})
	if got := examine(t.Context(), t, config(r.Host())); !got.OK() || got.Bucket.Versioning != "Suspended" {
		t.Errorf("%q, %+v", got.Problems, got.Bucket)
	}
	wantEmpty(t, r)
}

// TestRights: what the key may not do is named, and what cannot be deleted again is not put.
func TestRights(t *testing.T) {
	for _, tc := range []struct {
		name, method, query string // that is refused
		problem             []string
		denied              string // check
		puts                uint64 // at most
	}{
		{"put", "PUT", "", []string{`may not put objects into the bucket "bucket"`, "grant s3:PutObject"}, "put", 0},
		{"get", "GET", "", []string{"may not get objects", "grant s3:GetObject"}, "get", 100},
		{"list", "GET", "list-type", []string{"may not list objects", "grant s3:ListBucket"}, "list", 100},
		{"delete", "DELETE", "", []string{"may not delete objects", "grant s3:DeleteObject"}, "delete", 1},
		{"tags", "PUT", "tagging", nil, "tag (put)", 100},
		{"uploads", "POST", "uploads", nil, "multipart-put", 100},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := serve(t, responder.Options{})
			host := before(t, r, func(w http.ResponseWriter, req *http.Request) bool {
				_, key, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
				if tc.method == "DELETE" && about(req, "POST", "delete") {
					return refuse(w, 403, "AccessDenied")
				}
				return about(req, tc.method, tc.query) && (key != "" || tc.query != "") && refuse(w, 403, "AccessDenied")
			})
			got := examine(t.Context(), t, config(host))
			if tc.problem == nil && !got.OK() || tc.problem != nil && (got.OK() || !strings.Contains(got.Problems[0], tc.problem[0]) || !strings.Contains(got.Problems[0], tc.problem[1])) {
				t.Errorf("problems %q, want %q", got.Problems, tc.problem)
			}
			for _, c := range got.Checks {
				if c.Name == tc.denied && (c.Result != finding.Denied || c.Detail != "grant "+c.Right || c.Status != 403) {
					t.Errorf("%+v", c)
				}
			}
			if n := r.Requests(op.Put); n > tc.puts {
				t.Errorf("%d objects were put", n)
			}
			if tc.method != "DELETE" {
				wantEmpty(t, r)
			} else if p := got.Problems[len(got.Problems)-1]; !strings.Contains(p, "could be removed; it is below \"warp-doctor-") {
				t.Errorf("what stays is not named: %q", p)
			}
		})
	}
}

// TestDefaultRetention: nothing is put into a bucket that would keep it.
func TestDefaultRetention(t *testing.T) {
	r := serve(t, responder.Options{})
	host := before(t, r, func(w http.ResponseWriter, req *http.Request) bool {
		if !about(req, "GET", "object-lock") {
			return false
		}
		_, _ = io.WriteString(w, "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>COMPLIANCE</Mode><Days>1</Days></DefaultRetention></Rule></ObjectLockConfiguration>")
		return true
	})
	got := examine(t.Context(), t, config(host))
	wantOne(t, "problems", got.Problems, "locked at once", `bucket "bucket"`)
	if n := r.Requests(op.Put); n > 0 || got.Bucket.Lock != finding.LockDefault {
		t.Errorf("%d objects were put; %+v", n, got.Bucket)
	}
}

// TestHost: clock, connections and name of a host are what it shows.
func TestHost(t *testing.T) {
	r := serve(t, responder.Options{})
	host := before(t, r, func(w http.ResponseWriter, req *http.Request) bool {
		w.Header().Set("Date", time.Now().Add(time.Minute).UTC().Format(http.TimeFormat))
		w.Header().Set("Connection", "close")
		w.Header().Set("Server", "thing/1")
		w.Header().Set("X-Amz-Bucket-Region", "eu-west-9")
		return false
	})
	got := examine(t.Context(), t, config(host))
	h := got.Hosts[0]
	if h.Server != "thing/1" || h.Connections.Made != h.Connections.Requests || got.Bucket.Said != "eu-west-9" {
		t.Errorf("%+v, %+v, %+v", h, h.Connections, got.Bucket)
	}
	all := strings.Join(got.Warnings, "\n")
	for _, want := range []string{"its clock is 1m", "does not keep connections", "signed for region us-east-1, but the bucket is in eu-west-9: use --region=eu-west-9", "credentials"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q does not say %q", all, want)
		}
	}
	if c := h.Clock; c == nil || c.Offset-c.Error > 60_001 || c.Offset+c.Error < 59_999 {
		t.Errorf("%+v", c)
	}
}

func TestTLS(t *testing.T) {
	r := serve(t, responder.Options{})
	s := httptest.NewUnstartedServer(r)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	cfg := config(strings.TrimPrefix(s.URL, "https://"))
	cfg.TLS = true
	got := examine(t.Context(), t, cfg)
	wantOne(t, "problems", got.Problems, "authority", "--insecure")
	wantTLS(t, got.Hosts[0])
	cfg.Insecure = true
	got = examine(t.Context(), t, cfg)
	if all := results(got); !got.OK() || all["--encrypt (SSE-C)"] == finding.Untried {
		t.Errorf("%q, %v", got.Problems, all)
	}
	wantTLS(t, got.Hosts[0])
	if !strings.Contains(strings.Join(got.Warnings, "\n"), "its certificate is not valid, which --insecure ignores") {
		t.Errorf("%q", got.Warnings)
	}
	cfg.Insecure = false
	cfg.TLSOptions.Authorities = s3.NewPEM("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
	if got = examine(t.Context(), t, cfg); !got.OK() || got.Hosts[0].TLS.Certificate.Error != "" {
		t.Errorf("%q, %+v", got.Problems, got.Hosts[0].TLS.Certificate)
	}
	cfg.TLS = false
	wantOne(t, "problems", examine(t.Context(), t, cfg).Problems, "speaks TLS", "--tls")
}

// TestSSEC examines a server that gives an object back only for its key.
func TestSSEC(t *testing.T) {
	const header = "X-Amz-Server-Side-Encryption-Customer-Key"
	r := serve(t, responder.Options{})
	var key string
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if strings.HasSuffix(req.URL.Path, "/sse-c") {
			switch given := req.Header.Get(header); {
			case req.Method == http.MethodPut:
				key = given
			case req.Method == http.MethodGet && given != key:
				refuse(w, 400, "InvalidRequest")
				return
			}
		}
		r.ServeHTTP(w, req)
	}))
	t.Cleanup(s.Close)
	cfg := config(strings.TrimPrefix(s.URL, "https://"))
	cfg.TLS, cfg.Insecure = true, true
	if got := results(examine(t.Context(), t, cfg))["--encrypt (SSE-C)"]; got != finding.Yes || key == "" {
		t.Errorf("%s, key %q", got, key)
	}
	wantEmpty(t, r)
}

func wantTLS(t *testing.T, h *finding.Host) {
	t.Helper()
	s := h.TLS
	if s == nil || s.Version != "TLS 1.3" || s.Cipher == "" || s.KeyExchange == "" || !s.HTTP2 || s.Certificate == nil {
		t.Fatalf("%+v", s)
	}
	if c := s.Certificate; !strings.Contains(strings.Join(c.Names, " "), "example.com 127.0.0.1") || c.Issuer == "" || c.Expires.IsZero() || !strings.Contains(c.Error, "authority") {
		t.Errorf("%+v", c)
	}
}

// TestHosts: of several hosts each is looked at, and each server is left as it was.
func TestHosts(t *testing.T) {
	a, b := serve(t, responder.Options{}), serve(t, responder.Options{Buckets: []string{"other"}})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := l.Addr().String()
	_ = l.Close()
	got := examine(t.Context(), t, config(dead, a.Host(), b.Host()))
	wantOne(t, "problems", got.Problems, "http://"+dead+": nothing listens there")
	for _, h := range got.Hosts[1:] {
		if h.Problem != "" || len(h.Addresses) != 1 {
			t.Errorf("%+v", h)
		}
	}
	if h := got.Hosts[0]; len(h.Addresses) != 1 || !strings.Contains(h.Addresses[0].Error, "refused") || results(got)["get"] != finding.Yes {
		t.Errorf("%+v, %v", h.Addresses, results(got))
	}
	wantEmpty(t, a)
	wantEmpty(t, b)

	cfg := config(a.Host(), b.Host())
	got = examine(t.Context(), t, cfg)
	if !got.OK() || len(got.Hosts[0].RoundTrips) != 3 || len(got.Hosts[1].RoundTrips) != 3 {
		t.Errorf("%q, %+v", got.Problems, got.Hosts)
	}
	wantEmpty(t, a)
	wantEmpty(t, b)
}

// TestInterrupted: nothing is left behind, whatever is under way.
func TestInterrupted(t *testing.T) {
	for _, at := range []int64{1, 3, 4, 8, 15, 20, 30, 60, 100, 150} {
		ctx, cancel := context.WithCancel(t.Context())
		r := serve(t, responder.Options{})
		var n atomic.Int64
		host := before(t, r, func(http.ResponseWriter, *http.Request) bool {
			if n.Add(1) == at {
				cancel()
				time.Sleep(20 * time.Millisecond) // the request has its effect after that
			}
			return false
		})
		got := examine(ctx, t, config(host))
		cancel()
		if !got.Interrupted || got.OK() || len(got.Problems) > 0 {
			t.Errorf("request %d: interrupted %v, problems %q", at, got.Interrupted, got.Problems)
		}
		wantEmpty(t, r)
	}
}

// TestUploadIsAborted: an upload whose parts fail does not stay.
func TestUploadIsAborted(t *testing.T) {
	r := serve(t, responder.Options{})
	var mu sync.Mutex
	uploads := map[string]bool{}
	host := before(t, r, func(w http.ResponseWriter, req *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		id := req.URL.Query().Get("uploadId")
		switch {
		case about(req, "POST", "uploads"):
			uploads["1"] = true
			_, _ = io.WriteString(w, "<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>")
		case id != "" && req.Method == "DELETE":
			delete(uploads, id)
			w.WriteHeader(http.StatusNoContent)
		case id != "":
			_, _ = io.Copy(io.Discard, req.Body)
			return refuse(w, 500, "InternalError")
		default:
			return false
		}
		return true
	})
	got := examine(t.Context(), t, config(host))
	if all := results(got); !got.OK() || all["multipart-put"] != finding.Failed || all["get by part number"] != finding.Untried {
		t.Errorf("%q, %v", got.Problems, all)
	}
	if len(uploads) > 0 {
		t.Error("an upload stays")
	}
}
