package trace

import (
	"bytes"
	"testing"
)

// FuzzFormats feeds all parsers with anything. What they make of it can be indexed, and the compact form of that can be read.
func FuzzFormats(f *testing.F) {
	for i, s := range samples {
		f.Add(uint8(i), []byte(s.text))
	}
	f.Fuzz(func(t *testing.T, n uint8, text []byte) {
		s := samples[int(n)%len(samples)]
		o := Options{Format: s.format, MaxBad: Limit{Percent: 100}}
		if s.columns != "" {
			o.Columns, _ = ParseColumns(s.columns)
		}
		r, err := NewReader(o, file("fuzz", string(text)))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var out bytes.Buffer
		summary, err := Index(t.Context(), r, Selection{Names: KeptNames}, &out)
		if err != nil {
			return
		}
		g, err := Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
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
		if n := int64(len(namesOf(t, g))); n != summary.Objects.Numbers() {
			t.Fatalf("%d names, want %d", n, summary.Objects.Numbers())
		}
		if operations != summary.Operations {
			t.Fatalf("%d operations, want %d", operations, summary.Operations)
		}
	})
}

// FuzzDetect finds a format in anything.
func FuzzDetect(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s.text))
	}
	f.Fuzz(func(_ *testing.T, head []byte) { detected(head) })
}
