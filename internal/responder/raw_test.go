package responder_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"warp/internal/responder"
)

func TestRaw(t *testing.T) {
	r, err := responder.NewRaw("127.0.0.1:0", 1<<20, responder.RawSmall)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		http.DefaultClient.CloseIdleConnections()
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	steps := []struct {
		method, path, body string
		status, size       int
	}{
		{"HEAD", "/bucket", "", 200, 0},
		{"GET", "/bucket?list-type=2", "", 200, 69},
		{"PUT", "/bucket/large", strings.Repeat("x", 3<<20), 200, 0},
		{"GET", "/bucket/large", "", 200, 1 << 20},
		{"PUT", "/bucket/small", "kept", 200, 0},
		{"GET", "/bucket/small", "", 200, 4},
		{"POST", "/bucket?delete=", "<Delete></Delete>", 200, 29},
		{"DELETE", "/bucket/small", "", 204, 0},
		{"GET", "/storage/v1/b/bucket/o?prefix=", "", 200, 2},
		{"POST", "/upload/storage/v1/b/bucket/o?name=a%2Fsmall&uploadType=media", "kept", 200, 39},
		{"GET", "/storage/v1/b/bucket/o/a%2Fsmall?alt=media", "", 200, 4},
		{"GET", "/storage/v1/b/bucket/o/a%2Fsmall?fields=size", "", 200, 39},
		{"DELETE", "/storage/v1/b/bucket/o/a%2Fsmall", "", 204, 0},
		{"GET", "/storage/v1/b/bucket/o/a%2Fsmall?alt=media", "", 200, 1 << 20},
		{"POST", "/batch/storage/v1", "", 501, 0},
	}
	for _, s := range steps {
		req, err := http.NewRequest(s.method, "http://"+r.Host()+s.path, strings.NewReader(s.body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(s.method, s.path, err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != s.status || len(body) != s.size {
			t.Errorf("%s %s: status %d, %d bytes, %v; want %d, %d", s.method, s.path, resp.StatusCode, len(body), err, s.status, s.size)
		}
	}
	if n := r.Requests('G'); n != 7 {
		t.Errorf("%d GETs counted, want 7", n)
	}
}
