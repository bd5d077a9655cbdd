package formats_test

import (
	"bytes"
	"io"
	"testing"

	"warp/pkg/recording"
	"warp/pkg/trace"
	"warp/pkg/trace/formats"
	"warp/pkg/trace/index"
)

// FuzzFormats feeds all parsers with anything. What they make of it can be indexed, and the compact form of that can be read.
func FuzzFormats(f *testing.F) {
	samples := formats.Samples()
	for i, s := range samples {
		f.Add(uint8(i), []byte(s.Text))
	}
	f.Fuzz(func(t *testing.T, n uint8, text []byte) {
		in := recording.Input{Name: "fuzz", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}
		r, err := formats.NewReader(samples[int(n)%len(samples)].Options, in)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var out bytes.Buffer
		summary, err := index.Build(t.Context(), r, trace.Selection{Names: trace.OriginalNames}, &out)
		if err != nil {
			return
		}
		g, err := trace.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		var operations int64
		for k := range g.Blocks() {
			block, err := g.Block(k, nil)
			if err != nil {
				t.Fatal(err)
			}
			operations += int64(len(block))
		}
		var names []string
		for k := range g.NameBlocks() {
			if names, err = g.Names(k, names); err != nil {
				t.Fatal(err)
			}
		}
		if n := int64(len(names)); n != summary.Objects.Numbers() {
			t.Fatalf("%d names, want %d", n, summary.Objects.Numbers())
		}
		if operations != summary.Operations {
			t.Fatalf("%d operations, want %d", operations, summary.Operations)
		}
	})
}
