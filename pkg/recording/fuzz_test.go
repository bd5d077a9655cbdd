package recording

import (
	"bytes"
	"testing"

	"warp/pkg/op"
)

// FuzzReader: whatever it is given, Reader neither panics nor hangs, keeps to its limits, and what it reads can be
// written and read again.
func FuzzReader(f *testing.F) {
	f.Add([]byte(tabHeader + goodRow(0) + "# warp get\n"))
	f.Add([]byte(tabHeader + "\"" + goodRow(1) + tabRow("1", `"half`, "\"two\nlines\"", "2026-11-21T03:56:21+01:00", "x")))
	f.Add([]byte("idx,thread,op,bytes,file,error,start,end,duration_ms\r\n0,1,PUT,2,k,,2019-11-07T10:00:00.5+01:00,2019-11-07T10:00:01Z,1\r\n"))
	f.Add([]byte("\ufeff# warp-recording: 1\n# config: {}\n\n# end: {\n" + tabHeader))
	f.Add([]byte("{}"))
	whole := record(f, sampleHeader, 1, sampleOps()...)
	f.Add(whole)
	f.Add(whole[:len(whole)-20])
	f.Add([]byte(decompress(f, whole)))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(bytes.NewReader(data), "fuzz")
		if err != nil {
			return
		}
		defer r.Close()
		var ops []op.Op
		for r.Scan() {
			ops = append(ops, *r.Op())
		}
		if len(r.Warnings()) > 2*(maxNotes+1) {
			t.Errorf("%d warnings", len(r.Warnings()))
		}
		if len(ops) == 0 {
			return
		}
		again, r2 := readAll(t, record(t, Header{}, 2, ops...))
		noWarnings(t, r2)
		sameOps(t, again, ops)
	})
}

// FuzzRoundTrip: any text comes back as it was, in every column that holds text.
func FuzzRoundTrip(f *testing.F) {
	for _, s := range oddTexts {
		f.Add(s, s, s)
	}
	f.Fuzz(func(t *testing.T, kind, key, err string) {
		if max(len(kind), len(key), len(err)) > maxText {
			return
		}
		o := op.Op{Kind: op.Kind(kind), Phase: key, Client: err, Endpoint: key, Key: key, Err: err, Start: at(0), End: at(1)}
		got, r := readAll(t, record(t, Header{}, 0, o, o))
		noWarnings(t, r)
		sameOps(t, got, []op.Op{o, o})
	})
}
