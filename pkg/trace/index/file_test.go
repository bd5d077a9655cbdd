package index

import (
	"bytes"
	"io"
	"testing"

	"warp/pkg/recording"
	"warp/pkg/trace"
	"warp/pkg/trace/formats"
)

// BenchmarkName reads names of a million objects in random order.
func BenchmarkName(b *testing.B) {
	const objects = 1_000_000
	r, err := formats.NewReader(formats.Options{}, recording.Input{Name: "generated", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(&generated{operations: objects, objects: objects}), nil
	}})
	if err != nil {
		b.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := Build(b.Context(), r, trace.Selection{Names: trace.OriginalNames}, &out); err != nil {
		b.Fatal(err)
	}
	f, err := trace.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		b.Fatal(err)
	}
	p := trace.NewPlayer(f)
	defer p.Close()
	at := uint64(0)
	for b.Loop() {
		at = (at + 618_033_989) % objects
		if _, err := p.Name(at); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzOpen opens anything as a file in the compact form.
func FuzzOpen(f *testing.F) {
	r, err := formats.NewReader(formats.Options{}, file("sample", history))
	if err != nil {
		f.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := Build(f.Context(), r, trace.Selection{Names: trace.OriginalNames}, &out); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Fuzz(func(_ *testing.T, b []byte) {
		g, err := trace.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		defer g.Close()
		_, _ = sizesOf(g)
		for k := range g.NameBlocks() {
			_, _ = g.Names(k, nil)
		}
		for k := range g.Blocks() {
			_, _ = g.Block(k, nil)
		}
	})
}

func TestDamagedFile(t *testing.T) {
	text, _ := traffic(5000, 100, 9)
	var out bytes.Buffer
	r, err := formats.NewReader(formats.Options{}, file("sample", text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Build(t.Context(), r, trace.Selection{}, &out); err != nil {
		t.Fatal(err)
	}
	whole := out.Bytes()
	for _, n := range []int{0, 8, 24, 32, len(whole) / 2, len(whole) - 1} {
		if _, err := trace.Open(bytes.NewReader(whole[:n]), int64(n)); err == nil {
			t.Errorf("%d of %d bytes are a file", n, len(whole))
		}
	}
	for at := 8; at < len(whole); at += 97 {
		b := bytes.Clone(whole)
		b[at] ^= 0x55
		f, err := trace.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			continue
		}
		bad := false
		if _, err := sizesOf(f); err != nil {
			bad = true
		}
		for k := range f.Blocks() {
			if _, err := f.Block(k, nil); err != nil {
				bad = true
			}
		}
		f.Close()
		if !bad {
			t.Errorf("damage of byte %d of %d does not show", at, len(whole))
		}
	}
}

// A file that is written is no longer than it can be.
func TestMostBytes(t *testing.T) {
	text, _ := traffic(20000, 5000, 3)
	for _, names := range []trace.Names{trace.NoNames, trace.OriginalNames} {
		r, err := formats.NewReader(formats.Options{}, file("sample", text))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		s, err := Build(t.Context(), r, trace.Selection{Names: names}, &out)
		if err != nil {
			t.Fatal(err)
		}
		if most := s.MaxBytes(names == trace.OriginalNames); int64(out.Len()) > most {
			t.Errorf("%d bytes, more than %d", out.Len(), most)
		}
	}
}
