package preflight_test

import (
	"net/http"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
)

// TestClockDiagnosis: the preflight compares the host's clock with the one that the request was signed with.
func TestClockDiagnosis(t *testing.T) {
	host := s3test.Punctual(t, func() time.Time { return time.Now().Add(time.Hour) })
	cfg := s3.Config{Hosts: []string{host}, Bucket: "bucket", AccessKey: "A", SecretKey: "S", Engine: "lean"}
	wantDiagnosis(t, bucket(t, cfg).TryWrite(t.Context(), "key"), " behind the host", "NTP")
	defer clock.SetWall(func() time.Time { return time.Now().Add(2 * time.Hour) })()
	wantDiagnosis(t, bucket(t, cfg).TryWrite(t.Context(), "key"), " ahead of the host", "NTP")

	host = s3test.Handle(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", clock.Wall().UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte("<Error><Code>RequestTimeTooSkewed</Code></Error>"))
	})
	cfg.Hosts = []string{host}
	wantDiagnosis(t, bucket(t, cfg).TryWrite(t.Context(), "key"), "agree to within", "try again")
}
