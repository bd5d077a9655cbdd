package jsonapi

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"testing"
	"unicode/utf8"

	"warp/pkg/s3/ops"
)

// read reads a text by members and elements.
func read(text []byte) (any, error) {
	text = bytes.TrimRight(skipBlank(text), " \t\r\n")
	if len(text) == 0 {
		return nil, errJSON
	}
	var inner error
	note := func(v any, err error) any {
		if err != nil {
			inner = err
		}
		return v
	}
	switch text[0] {
	case '{':
		all := map[string]any{}
		err := members(text, func(name, value []byte) {
			key, err := plain(append(append([]byte{'"'}, name...), '"'))
			note(nil, err)
			all[string(key)] = note(read(value))
		})
		if err == nil {
			err = inner
		}
		return all, err
	case '[':
		all := []any{}
		err := elements(text, func(_, value []byte) { all = append(all, note(read(value))) })
		if err == nil {
			err = inner
		}
		return all, err
	case '"':
		p, err := plain(text)
		return string(p), err
	case 't', 'f':
		return text[0] == 't', nil
	case 'n':
		return nil, nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	return f, err
}

// FuzzScan: what is JSON is read as package json reads it, and nothing else does harm.
func FuzzScan(f *testing.F) {
	for _, text := range []string{
		`{"kind":"storage#object","name":"a/b c","size":"11","nested":{"a":[1,"]",{"b":"}"}]}}`,
		`{"a":"\"\\","b":"\u00e9\\\"","c":[],"d":{},"e":[[]]}`, ` [ 1 , true , null ] `, `{"a" : -1.5e3 }`, `{}`, `[]`, `{"a":}`, `{"a"`, `"`, ``,
		`{"items":[{"name":"l/1","size":"1"}],"prefixes":["l/d/"],"nextPageToken":"CgNsLzI="}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := read(text)
		var want any
		if !utf8.Valid(text) || !json.Valid(text) || json.Unmarshal(text, &want) != nil {
			_ = parsePage(text, &ops.Listing{})
			_, _, _ = readError(text)
			_, _ = readObject(text)
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		if string(a) != string(b) {
			t.Errorf("%q: got %s, want %s", text, a, b)
		}
	})
}

func TestParsePage(t *testing.T) {
	for name, row := range map[string]struct {
		text string
		of   ops.Listing
		want ops.Listing
	}{
		"objects": {
			`{"kind":"storage#objects","items":[{"name":"l\/1","size":"1","generation":"17"},{"name":"l/é","size":"0"}],"nextPageToken":"T="}`,
			ops.Listing{},
			ops.Listing{Entries: []ops.Entry{{Key: "l/1", Size: 1}, {Key: "l/é"}}, Next: "T="},
		},
		"generations": {
			`{"items":[{"name":"a","size":"1","generation":"17"},{"name":"a","size":"1","generation":"18"}]}`,
			ops.Listing{All: true},
			ops.Listing{All: true, Entries: []ops.Entry{{Key: "a", Size: 1, Version: "17"}, {Key: "a", Size: 1, Version: "18"}}},
		},
		"what conditions take": {
			`{"items":[{"name":"a","size":"1","generation":"17"}]}`,
			ops.Listing{ETags: true},
			ops.Listing{ETags: true, Entries: []ops.Entry{{Key: "a", Size: 1, ETag: "17"}}},
		},
		"prefixes":   {`{"prefixes":["a/","b/"]}`, ops.Listing{}, ops.Listing{RolledUp: 2}},
		"empty page": {`{"nextPageToken":"T"}`, ops.Listing{}, ops.Listing{Next: "T"}},
		"start after": {
			`{"items":[{"name":"a"},{"name":"ab"}]}`,
			ops.Listing{StartAfter: "a"},
			ops.Listing{StartAfter: "a", Entries: []ops.Entry{{Key: "ab"}}},
		},
	} {
		if err := parsePage([]byte(row.text), &row.of); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(row.of, row.want) {
			t.Errorf("%s: got %+v, want %+v", name, row.of, row.want)
		}
	}
	for _, text := range []string{`{"items":[{"size":"1"}]}`, `{"items":[{"name":"a","size":"x"}]}`, `{"items":1}`, `{"items":[`, `[]`, ``} {
		if parsePage([]byte(text), &ops.Listing{}) == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestStoredOf(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "bytes=0-0": 1, "bytes=0-262143": 262144} {
		if got, err := storedOf(text, 300_000); err != nil || got != want {
			t.Errorf("%q: got %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"bytes=1-5", "0-5", "bytes=0-", "bytes=0--1", "bytes=0-300000"} {
		if _, err := storedOf(text, 300_000); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}
