package cli

import (
	"context"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"warp/cli/internal/files"
	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/reports"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// writeRecording writes a recording of two operations.
func writeRecording(t *testing.T, path, client string) recording.Input {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := recording.NewWriter(f, recording.Header{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for i := range 2 {
		start := now.Add(time.Duration(i) * time.Second)
		if err := w.Write([]op.Op{{Kind: op.Get, Client: client, Start: start, End: start.Add(time.Second), Objects: 1, Endpoint: "h"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return files.Input(path)
}

// TestMergeInterrupted: an interrupted merge leaves nothing, and what was in its place as it was.
func TestMergeInterrupted(t *testing.T) {
	defer goleak.VerifyNone(t)
	t.Chdir(t.TempDir())
	inputs := []recording.Input{writeRecording(t, "a", "a"), writeRecording(t, "b", "b")}
	if err := os.WriteFile("all.csv.zst", []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	env, _ := testEnv()
	m := &merging{reports.Printer{Env: &env, Out: flags.Output{Overwrite: true}}}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(process.ErrInterrupt)
	if err := m.merge(ctx, "all.csv.zst", inputs); process.ExitCode(err) != process.ExitInterrupted {
		t.Errorf("error is %v", err)
	}
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) != 3 {
		t.Errorf("there are %v, %v", entries, err)
	}
	if text, err := os.ReadFile("all.csv.zst"); err != nil || string(text) != "before" {
		t.Errorf("%q, %v", text, err)
	}
	if err := m.merge(context.Background(), "all.csv.zst", inputs); err != nil {
		t.Fatal(err)
	}
	if ops := benchmarkOps("all.csv.zst"); len(ops) != 4 {
		t.Errorf("operations %q", ops)
	}
}
