package preflight_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
)

// Ports on which something else listens than an S3 server without TLS are named as what they are, by both engines.
func TestOtherPorts(t *testing.T) {
	r := s3test.Serve(t, responder.Options{Keep: true})
	encrypted := httptest.NewUnstartedServer(r)
	encrypted.Config.ErrorLog = log.New(io.Discard, "", 0)
	encrypted.StartTLS()
	t.Cleanup(encrypted.Close)
	for _, tc := range []struct {
		name, host string
		want       []string
	}{
		{"console", s3test.Handle(t, func(w http.ResponseWriter, req *http.Request) {
			_, _ = io.Copy(io.Discard, req.Body)
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<!doctype html><html><title>Console</title></html>")
		}), []string{"the host is not an S3 server: a web page came back in place of an object", "that of a web console"}},
		{"redirect to TLS", s3test.Handle(t, func(w http.ResponseWriter, req *http.Request) {
			_, _ = io.Copy(io.Discard, req.Body)
			w.Header().Set("Location", encrypted.URL+req.URL.RequestURI())
			w.WriteHeader(http.StatusTemporaryRedirect)
		}), []string{"--tls"}},
		{"TLS", strings.TrimPrefix(encrypted.URL, "https://"), []string{"the host speaks TLS, not plain HTTP", "add --tls, or write https:// in --host"}},
	} {
		for _, engine := range []string{"lean", "std"} {
			t.Run(tc.name+"/"+engine, func(t *testing.T) {
				b := bucket(t, s3.Config{Hosts: []string{tc.host}, Bucket: "bucket", AccessKey: "a", SecretKey: "s", Engine: engine})
				_, err := b.Ensure(t.Context())
				if err == nil {
					err = b.TryWrite(t.Context(), "k")
				}
				wantDiagnosis(t, err, tc.want...)
			})
		}
	}
}

// A proxy that removes signatures from headers is told from keys that lack a right: a signature in the URL comes through.
func TestSignaturesAreRemoved(t *testing.T) {
	for _, engine := range []string{"lean", "std"} {
		for removes, want := range map[bool]string{true: "the signature does not arrive: in the URL it is accepted", false: "the key may not put objects"} {
			r := s3test.Serve(t, responder.Options{Keep: true})
			host := s3test.Handle(t, func(w http.ResponseWriter, req *http.Request) {
				if removes && req.URL.Query().Get("X-Amz-Signature") != "" || !removes && req.Method != http.MethodPut {
					r.ServeHTTP(w, req)
					return
				}
				_, _ = io.Copy(io.Discard, req.Body)
				w.WriteHeader(http.StatusForbidden)
				_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>no</Message></Error>")
			})
			b := bucket(t, s3.Config{Hosts: []string{host}, Bucket: "bucket", AccessKey: "a", SecretKey: "s", Engine: engine})
			_, err := b.Ensure(t.Context())
			if err == nil {
				err = b.TryWrite(t.Context(), "k")
			}
			wantDiagnosis(t, err, want)
		}
	}
}
