package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// foreignRecording writes a recording whose header says what config says.
func foreignRecording(t *testing.T, path, config string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := recording.NewWriter(f, recording.Header{Config: []byte(config)})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	if err := w.Write([]op.Op{{Kind: op.Put, Client: "abcd", Start: now, End: now.Add(time.Second), Objects: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	old := now.Add(-24 * time.Hour) // the first to go, if it may
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
}

// TestOldRecordings are removed, and nothing else is.
func TestOldRecordings(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	c := startClient(t, func(o *Options) { o.Keep = 2 })
	dir := c.opts.Dir
	theirs := map[string]string{
		"warp-get-2026-01-02[030405]-Xk3f.csv.zst":  `{"command":"get"}`,
		"warp-put-2026-01-02[030405]-abcd.csv.zst":  fmt.Sprintf(`{"client":{"host":%q,"listen":"10.0.0.1:7761"}}`, c.host),
		"warp-put-2026-01-02[030405]-efgh.csv.zst":  fmt.Sprintf(`{"client":{"host":"elsewhere","listen":%q}}`, c.addr),
		"warp-put-2026-01-02[030405]-mine2.csv.zst": fmt.Sprintf(`{"client":{"host":%q,"listen":%q}}`, c.host, c.addr),
		"kept-by-me.csv.zst":                        fmt.Sprintf(`{"client":{"host":%q,"listen":%q}}`, c.host, c.addr),
	}
	for name, config := range theirs {
		foreignRecording(t, filepath.Join(dir, name), config)
	}
	if err := os.WriteFile(filepath.Join(dir, "warp-put-2026-01-02[030405]-ijkl.csv.zst"), []byte("no recording"), 0o666); err != nil {
		t.Fatal(err)
	}
	theirs["warp-put-2026-01-02[030405]-ijkl.csv.zst"] = ""
	foreignRecording(t, filepath.Join(dir, "warp-put-2026-01-02[030405]-mine.csv.zst"), theirs["kept-by-me.csv.zst"])
	for _, title := range []string{"multipart-put", "head-bucket", "get + put", "threads=4", "a scenario, phase 2", "1"} { // whatever the recorder is given
		foreignRecording(t, filepath.Join(dir, "warp-"+title+"-2026-01-02-030405-mine.csv.zst"), theirs["kept-by-me.csv.zst"])
		foreignRecording(t, filepath.Join(dir, "warp-"+title+"-2026-01-02[030405]-mine.csv.zst"), theirs["kept-by-me.csv.zst"])
	}
	var mine []string
	for len(mine) < 4 {
		r, _, err := runAll(context.Background(), harness.Plan(t, "put", server.Host(), 20*time.Millisecond), testOptions(c.addr))
		if err != nil {
			t.Fatal(err)
		}
		if path := r.Clients[0].Recording; path != "" { // a machine that is slow may do nothing in this time
			mine = append(mine, filepath.Base(path))
		}
		harness.Until(t, "the client is free", func() bool { return c.busy() == "" })
	}
	var want, got []string
	for name := range theirs {
		want = append(want, name)
	}
	want = append(want, mine[2:]...)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("left are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestLimits names the clients that were the limit, to the observer and at the end.
func TestLimits(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	_, addrs := startClients(t, 2)
	w := &watcher{}
	o := testOptions(addrs...)
	o.Observer = w
	o.Limits = func(s *observe.Summary, _ ...observe.Share) []observe.Limit {
		if s.Samples == 0 {
			t.Error("a summary of nothing")
		}
		return []observe.Limit{{Kind: observe.Throttled, Text: "by way of trial"}}
	}
	// The last sample of a client ends half a second before its observer at most, and lies in a benchmark that is longer.
	r, _, err := runAll(context.Background(), harness.Plan(t, "put", server.Host(), 2*time.Second), o)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range r.Clients {
		want := "client " + c.Addr + ": client-limited: by way of trial"
		if c.Self == nil || c.Self.Lateness == nil || len(c.Limits) != 1 || c.Limits[0].Client != c.Addr || !slices.Contains(r.Warnings, want) || !slices.Contains(w.result.Warnings, want) {
			t.Errorf("client %d: %+v; warnings %q", i, c.Self, r.Warnings)
		}
		b, err := os.ReadFile(c.Recording)
		if err != nil {
			t.Fatal(err)
		}
		rd, err := recording.NewReader(strings.NewReader(string(b)), c.Recording)
		if err != nil {
			t.Fatal(err)
		}
		for rd.Scan() {
		}
		if end := string(rd.End()); !strings.Contains(end, `"lateness"`) || !strings.Contains(end, `"clock_end"`) {
			t.Errorf("the recording of client %d ends with %.300s", i, end)
		}
		_ = rd.Close()
	}
}
