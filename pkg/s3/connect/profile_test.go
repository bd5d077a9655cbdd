package connect_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// works: MinIO warp: `--serverprof=cpu`, `mem`, `block`, `mutex`, `trace`; a zip file of all nodes
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
	p, err := connect.NewProfiler(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var out strings.Builder
	if err := errors.Join(p.StartProfile(t.Context(), "cpu,threads,cpuio"), p.StopProfile(t.Context(), &out)); err != nil || out.String() != "zip" {
		t.Errorf("%v, %q", err, out.String())
	}
	want := "POST /minio/admin/v3/profiling/start?profilerType=cpu%2Cthreads%2Ccpuio, GET /minio/admin/v3/profiling/download"
	if got := strings.Join(seen, ", "); got != want {
		t.Errorf("asked %q, want %q", got, want)
	}
	if err := p.StartProfile(t.Context(), "mem"); err == nil || !strings.Contains(err.Error(), "n1: broken") {
		t.Errorf("%v", err)
	}
	for kinds, bad := range map[string]string{"heap": "heap", "cpu,heap": "heap", "cpu,": "", "": ""} {
		if err := p.StartProfile(t.Context(), kinds); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("--serverprof: invalid value %q", bad)) {
			t.Errorf("%q: %v", kinds, err)
		}
	}
	cfg.AccessKey, cfg.SecretKey = "", ""
	if _, err := connect.NewProfiler(cfg); err == nil {
		t.Error("anonymous profiler")
	}
}
