package hosts_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// TestRedirectElsewhere: what a request carries is sent to hosts of the run and to those that --redirect-to names, and to no other, whether the server
// signed the location or not.
func TestRedirectElsewhere(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		foreign := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			t.Errorf("a foreign host got %s %s with %v", r.Method, r.URL, r.Header)
		}))
		defer foreign.Close()
		asked := 0
		second := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
		defer second.Close()
		var to string
		first := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, to+r.URL.Path+"?X-Amz-Signature=theirs", http.StatusTemporaryRedirect)
		}))
		defer first.Close()
		host := func(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "https://") }
		_, port, _ := strings.Cut(host(first), ":")
		cfg := s3.Config{Hosts: []string{host(first)}, TLS: true, Insecure: true, Encrypt: true, AccessKey: "A", SecretKey: "S", SessionToken: "T"}
		const why = "to a host of another owner, which would get the signature, and with it session tokens and keys (add it to --redirect-to if that is right)"
		for _, location := range []string{foreign.URL, "https://localhost:" + port, "https://127.0.0.2:" + port, "https://s3.amazonaws.com"} {
			to = location
			for name, send := range map[string]func(s s3.Session) error{
				"put": func(s s3.Session) error { return ops.Put(t.Context(), s, putCall("k", "text")) },
				"signed ahead": func(s s3.Session) error {
					c := putCall("k", "text")
					c.Auth = s3.AuthQuery
					return ops.Put(t.Context(), s, c)
				},
			} {
				err := send(open(t, cfg).Session(0))
				if want := fmt.Sprintf("redirect not followed: %s: %s/bucket/k", why, to); err == nil || err.Error() != want {
					t.Errorf("%s: %v, want %s", name, err, want)
				}
			}
		}
		to = second.URL
		cfg.RedirectTo, cfg.Encrypt = []string{host(second)}, false
		if err := ops.Stat(t.Context(), open(t, cfg).Session(0), &s3.Call{Key: "k"}); err != nil || asked != 1 {
			t.Errorf("to a host that is allowed: %v after %d requests", err, asked)
		}
	})
}
