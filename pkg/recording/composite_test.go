package recording

import (
	"encoding/csv"
	"io"
	"strings"
	"testing"

	"warp/pkg/op"
)

// withWholes is operations where some consist of others, in odd forms.
func withWholes() (ops, read, requests []op.Op) {
	for i, o := range randomOps(7, 1000) {
		want := o
		if i%3 == 0 {
			o.Kind = op.MultipartPut
			want = o
			want.Key, want.Err = oneLine.Replace(o.Key), oneLine.Replace(o.Err)
			if o.Client != oneLine.Replace(o.Client) || o.Endpoint != oneLine.Replace(o.Endpoint) || o.Phase != oneLine.Replace(o.Phase) {
				continue // our own have no line breaks
			}
		} else if o.Kind.IsComposite() || strings.Contains(string(o.Kind)+o.Client+o.Endpoint+o.Key+o.Err+o.Phase, "\r\n") {
			continue
		} else {
			requests = append(requests, o)
		}
		ops, read = append(ops, o), append(read, want)
	}
	return ops, read, requests
}

// Operations that consist of others are read back, and are in comments to everyone else.
func TestWholes(t *testing.T) {
	ops, want, requests := withWholes()
	data := record(t, sampleHeader, 100, ops...)
	got, r := readAll(t, data)
	noWarnings(t, r)
	sameOps(t, got, want)

	c := csv.NewReader(strings.NewReader(decompress(t, data))) // as MinIO warp reads
	c.Comma, c.Comment = '\t', '#'
	names, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range requests {
		row, err := c.Read()
		if err != nil || row[2] == string(op.MultipartPut) || row[0] == "" {
			t.Fatalf("row %d: %q, %v", i, row, err)
		}
		if row[7] != o.Key || len(row) != len(names) {
			t.Fatalf("row %d: key %q, want %q", i, row[7], o.Key)
		}
	}
	if row, err := c.Read(); err != io.EOF {
		t.Errorf("behind the last row: %q, %v", row, err)
	}
}

// A file that is cut in the row of a whole is read up to it.
func TestCutWhole(t *testing.T) {
	o := op.Op{Kind: op.MultipartPut, Client: "c", Start: at(0), End: at(1), Objects: 1, Key: "k"}
	text := decompress(t, record(t, sampleHeader, 0, o, o))
	end := strings.LastIndex(text, "\n"+markWhole)
	got, r := readAll(t, []byte(text[:end+40]))
	if len(got) != 1 || len(r.Incomplete()) == 0 {
		t.Errorf("%d operations, incomplete: %q", len(got), r.Incomplete())
	}
}
