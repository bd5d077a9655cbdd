// Package tracetest makes traces for tests of other packages.
package tracetest

import (
	"bytes"
	"io"
	"testing"

	"warp/pkg/recording"
	"warp/pkg/trace"
	"warp/pkg/trace/formats"
	"warp/pkg/trace/index"
)

// Player brings a trace, of a format that is recognized, into the compact form, with names of its objects.
func Player(t *testing.T, text []byte, names trace.Names) *trace.Player {
	t.Helper()
	return As(t, "", text, names)
}

// As is Player for a trace of a format.
func As(t *testing.T, format string, text []byte, names trace.Names) *trace.Player {
	t.Helper()
	in := recording.Input{Name: "trace", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}
	r, err := formats.NewReader(formats.Options{Format: format}, in)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := index.Build(t.Context(), r, trace.Selection{Names: names}, &out); err != nil {
		t.Fatal(err)
	}
	return Open(t, out.Bytes())
}

// Open opens a trace in the compact form.
func Open(t *testing.T, text []byte) *trace.Player {
	t.Helper()
	f, err := trace.Open(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	p := trace.NewPlayer(f)
	t.Cleanup(p.Close)
	return p
}
