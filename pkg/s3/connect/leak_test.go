package connect

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"go.uber.org/goleak"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// TestFailedStoreLeavesNothing: a store that cannot be opened renews no keys, and is nil.
func TestFailedStoreLeavesNothing(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	for name, change := range map[string]func(c *s3.Config){
		"engine":    func(c *s3.Config) { c.HTTP2, c.TLS = true, true },
		"host":      func(c *s3.Config) { c.Hosts = []string{"a b"} },
		"directory": func(c *s3.Config) { c.HTTP2, c.TLS, c.Bucket = true, true, "logs--use1-az4--x-s3" },
	} {
		keys := credentials.NewStaticV4("a", "s", "")
		cfg := s3.Config{Hosts: []string{"127.0.0.1:1"}, AccessKey: "a", SecretKey: "s", Provider: keys, Bucket: "bucket", Engine: s3.EngineLean}
		change(&cfg)
		if s, err := New(cfg); err == nil || s != nil {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}

// TestShortSessionsLeaveNothing: a store keeps nothing of sessions with one host, and counts what they sent.
func TestShortSessionsLeaveNothing(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	defer server.Close()
	for _, engine := range []string{s3.EngineLean, s3.EngineStd} {
		s, err := newStore(s3.Config{Hosts: []string{strings.TrimPrefix(server.URL, "http://")}, AccessKey: "a", SecretKey: "s", Bucket: "bucket", Engine: engine})
		if err != nil {
			t.Fatal(err)
		}
		const sessions = 10
		for range sessions {
			one, done := s.HostSession(0, 0)
			if err := ops.Delete(t.Context(), one, &s3.Call{Key: "k"}); err != nil {
				t.Fatal(err)
			}
			done()
		}
		if n := len(s.sessions) + len(s.sent); n != 0 || s.Sent() != (s3.Methods{Delete: sessions}) {
			t.Errorf("%s: %d sessions are kept, %+v sent", engine, n, s.Sent())
		}
		s.Close()
	}
}
