package harness

import (
	"bytes"
	"strings"
	"testing"

	"warp/pkg/aggregate"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// SameAsRecording compares a snapshot with that of the merged recording.
func SameAsRecording(t testing.TB, got *aggregate.Snapshot, file []byte) {
	t.Helper()
	if strings.Contains(string(file), "the-secret-key") {
		t.Error("a secret is in the recording")
	}
	want, err := aggregate.Analyze(aggregate.Options{Order: got.Order}, func() (op.Source, func() error, error) {
		r, err := recording.NewReader(bytes.NewReader(file), "merged")
		return r, func() error { return nil }, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Groups) != len(want.Groups) || len(got.Totals) != len(want.Totals) {
		t.Fatalf("%d groups and %d totals, want %d and %d", len(got.Groups), len(got.Totals), len(want.Groups), len(want.Totals))
	}
	for i, g := range append(got.Groups, got.Totals...) {
		w := append(want.Groups, want.Totals...)[i]
		if g.Kind != w.Kind || g.Requests != w.Requests || g.Errors != w.Errors || g.Considered != w.Considered || g.Threads != w.Threads ||
			!g.Window.Start.Equal(w.Window.Start) || !g.Window.End.Equal(w.Window.End) {
			t.Errorf("group %s: got %d requests, %d considered, window %v; want %d, %d, %v",
				g.Kind, g.Requests, g.Considered, g.Window, w.Requests, w.Considered, w.Window)
		}
		if d := g.Bytes - w.Bytes; d > 1e-6*w.Bytes || d < -1e-6*w.Bytes {
			t.Errorf("group %s: %v bytes, want %v", g.Kind, g.Bytes, w.Bytes)
		}
		for _, p := range []float64{50, 90, 99} {
			a, _ := g.Latency.Percentile(p)
			b, _ := w.Latency.Percentile(p)
			if a != b {
				t.Errorf("group %s: p%v is %d, want %d", g.Kind, p, a, b)
			}
		}
	}
}
