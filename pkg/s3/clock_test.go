package s3_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3"
)

// punctual is a server that refuses requests whose signatures are dated more than 15 minutes off its clock.
func punctual(t *testing.T, clock func() time.Time) (host string) {
	return handle(t, func(w http.ResponseWriter, r *http.Request) {
		now := clock().UTC()
		w.Header().Set("Date", now.Format(http.TimeFormat))
		dated, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
		if err != nil || now.Sub(dated).Abs() > 15*time.Minute || !strings.Contains(r.Header.Get("Authorization"), dated.Format("/20060102/")) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte("<Error><Code>RequestTimeTooSkewed</Code></Error>"))
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// TestClockStep sets the machine's clock right while a client runs. Its requests are good again from then on; only the lean
// engine can be tested, as the signer of the other reads the real clock for each request.
func TestClockStep(t *testing.T) {
	const off = -26 * time.Hour
	defer clock.SetWall(func() time.Time { return time.Now().Add(off) })()
	s := open(t, s3.Config{Hosts: []string{punctual(t, time.Now)}, Engine: "lean"}).Session(0)
	remove := func() error { return s3.Delete(t.Context(), s, &s3.Call{Key: "k"}) }
	if err := remove(); class(err) != "403 RequestTimeTooSkewed" {
		t.Fatalf("with a wrong clock: %v", err)
	}
	clock.SetWall(time.Now)
	for try := 0; remove() != nil; try++ { // the clock is not read for each request
		if clock.Pause(t.Context(), 10*time.Millisecond); try == 1000 {
			t.Fatal("requests are signed with the old clock for good")
		}
	}
	if before := clock.Now(); clock.Now().Before(before) || time.Until(clock.Now()).Abs() > time.Hour {
		t.Error("the stamps of operations followed the step")
	}
}

// TestClockDiagnosis: the preflight compares the host's clock with the one that the request was signed with.
func TestClockDiagnosis(t *testing.T) {
	host := punctual(t, func() time.Time { return time.Now().Add(time.Hour) })
	cfg := s3.Config{Hosts: []string{host}, Bucket: "bucket", AccessKey: "A", SecretKey: "S", Engine: "lean"}
	wantDiagnosis(t, s3.Preflight(t.Context(), cfg, "key"), " behind the host", "NTP")
	defer clock.SetWall(func() time.Time { return time.Now().Add(2 * time.Hour) })()
	wantDiagnosis(t, s3.Preflight(t.Context(), cfg, "key"), " ahead of the host", "NTP")

	host = handle(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", clock.Wall().UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte("<Error><Code>RequestTimeTooSkewed</Code></Error>"))
	})
	cfg.Hosts = []string{host}
	wantDiagnosis(t, s3.Preflight(t.Context(), cfg, "key"), "agree to within", "try again")
}
