package preflight_test

import (
	"io"
	"net/http"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
)

// TestSessionRefused: a key that may not create sessions with a directory bucket is told from one that may not write.
func TestSessionRefused(t *testing.T) {
	host := s3test.Handle(t, func(w http.ResponseWriter, r *http.Request) {
		if !r.URL.Query().Has("session") {
			t.Errorf("%s %s without a session", r.Method, r.URL)
		}
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>no</Message></Error>") // the client may be gone
	})
	b := bucket(t, s3.Config{Hosts: []string{host}, Bucket: "logs--use1-az4--x-s3", AccessKey: "A", SecretKey: "a"})
	err := b.TryWrite(t.Context(), "k")
	wantDiagnosis(t, err, "the key may not create a session with the bucket", "grant s3express:CreateSession")
}
