package trace

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"warp/pkg/op"
)

// TestForgedCounts opens small files whose footer says that they have more than they hold. A replay takes memory by these counts.
func TestForgedCounts(t *testing.T) {
	for name, forge := range map[string]func(*footer){
		"as it was":           func(*footer) {},
		"many objects":        func(f *footer) { f.Summary.Objects.Count = 1 << 36 },
		"many prefixes":       func(f *footer) { f.Summary.Objects.Prefixes = 1 << 36 },
		"more than are used":  func(f *footer) { f.Summary.Objects.Count = 2*3 + 2 },
		"counts that wrap":    func(f *footer) { f.Summary.Objects.Count, f.Summary.Objects.Prefixes = math.MaxInt64, 2 },
		"a negative count":    func(f *footer) { f.Summary.Objects.Count, f.Summary.Objects.Prefixes = 4, -2 },
		"many read first":     func(f *footer) { f.Summary.Objects.First = 1 << 36 },
		"many operations":     func(f *footer) { f.Summary.Operations = 1 << 36 },
		"negative operations": func(f *footer) { f.Summary.Operations = -1 },
		"a negative span":     func(f *footer) { f.Summary.Span = -1 },
		"blocks of no bytes": func(f *footer) {
			f.Summary.Operations += 4 * PerBlock
			f.BlockEnds = append([]int64{0, 0, 0, 0}, f.BlockEnds...)
		},
		"objects in blocks of no bytes": func(f *footer) {
			f.Summary.Objects.Count += 4 * PerBlock
			f.Summary.Objects.First += 4 * PerBlock
			f.ObjectEnds = append([]int64{0, 0, 0, 0}, f.ObjectEnds...)
		},
		"a long list of blocks": func(f *footer) {
			f.BlockEnds = make([]int64, 8<<20)
			f.Summary.Operations = 8 << 20 * PerBlock
		},
	} {
		b := forged(t, forge)
		f, err := Open(bytes.NewReader(b), int64(len(b)))
		if err == nil {
			f.Close()
		}
		if name == "as it was" && err != nil || name != "as it was" && !errors.Is(err, errDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// forged is a file of three operations on two objects, one read first, with another footer.
func forged(t *testing.T, forge func(*footer)) []byte {
	t.Helper()
	enc, err := newEncoder()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := newWriter(&out, enc)
	for i := range 3 {
		if i == 0 {
			err = w.Object(100)
		}
		if err = errors.Join(err, w.Operation(&Operation{Kind: op.Get, Object: uint64(i % 2), Size: 100, Source: Unknown})); err != nil {
			t.Fatal(err)
		}
	}
	w.endBlock()
	w.footer.Summary = &Summary{Operations: 3, Objects: Objects{Count: 2, First: 1}}
	forge(&w.footer)
	text, err := json.Marshal(&w.footer)
	if err != nil {
		t.Fatal(err)
	}
	at := w.length
	tail := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(at)), uint64(w.put(text)))
	return append(append(out.Bytes(), tail...), fileMagic...)
}
