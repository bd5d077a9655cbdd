// Package tracetest makes traces for tests of other packages.
package tracetest

import (
	"bytes"
	"io"
	"testing"

	"warp/pkg/recording"
	"warp/pkg/trace"
)

// Player brings a trace into the compact form, with names of its objects.
func Player(t *testing.T, text []byte, names trace.Names) *trace.Player {
	t.Helper()
	r, err := trace.NewReader(trace.Options{}, recording.Input{Name: "trace", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := trace.Index(t.Context(), r, trace.Selection{Names: names}, &out); err != nil {
		t.Fatal(err)
	}
	f, err := trace.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	p := trace.NewPlayer(f)
	t.Cleanup(p.Close)
	return p
}
