package index

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"warp/pkg/op"
	"warp/pkg/trace"
	"warp/pkg/trace/formats"
)

// copyTraffic copies objects that are there before, that the trace writes before, and such that it does not name.
const copyTraffic = `{"deploymentid":"d","time":"2026-01-01T00:00:00.001Z","api":{"name":"PutObject","bucket":"b","object":"written","statusCode":200,"rx":50,"timeToResponse":"5ns"}}
{"deploymentid":"d","time":"2026-01-01T00:00:00.002Z","api":{"name":"CopyObject","bucket":"b","object":"one","statusCode":200,"timeToResponse":"5ns"},"requestHeader":{"X-Amz-Copy-Source":"b/written"}}
{"deploymentid":"d","time":"2026-01-01T00:00:00.003Z","api":{"name":"CopyObject","bucket":"b","object":"two","statusCode":200,"timeToResponse":"5ns"},"requestHeader":{"X-Amz-Copy-Source":"other/before"}}
{"deploymentid":"d","time":"2026-01-01T00:00:00.004Z","api":{"name":"GetObject","bucket":"other","object":"before","statusCode":200,"tx":70,"timeToResponse":"5ns"}}
{"deploymentid":"d","time":"2026-01-01T00:00:00.005Z","api":{"name":"CopyObjectPart","bucket":"b","object":"three","statusCode":200,"timeToResponse":"5ns"},"requestQuery":{"partNumber":"1"},"requestHeader":{"X-Amz-Copy-Source":"other/large","X-Amz-Copy-Source-Range":"bytes=100-299"}}
{"deploymentid":"d","time":"2026-01-01T00:00:00.006Z","api":{"name":"CopyObject","bucket":"b","object":"one","statusCode":404,"timeToResponse":"5ns"},"requestHeader":{"X-Amz-Copy-Source":"b/never"}}
{"deploymentid":"d","time":"2026-01-01T00:00:00.007Z","api":{"name":"DeleteObject","bucket":"b","object":"written","statusCode":204,"timeToResponse":"5ns"}}
{"deploymentid":"d","time":"2026-01-01T00:00:00.008Z","api":{"name":"CopyObject","bucket":"b","object":"one","statusCode":200,"timeToResponse":"5ns"},"requestHeader":{"X-Amz-Copy-Source":"b/written"}}
{"deploymentid":"d","time":"2026-01-01T00:00:00.009Z","api":{"name":"CopyObject","bucket":"b","object":"four","statusCode":200,"timeToResponse":"5ns"}}
`

// What is copied must be there first, as what is read must, at its size; a size that the trace does not have of a copy follows from what is copied.
func TestSourcesOfCopies(t *testing.T) {
	s, f := describe(t, trace.Selection{}, copyTraffic)
	want := []string{
		"0s PUT 0 50", "1ms COPY 1 50 of 0", "2ms COPY 3 -1 of 2", "3ms GET 2 70 first 70", "4ms COPYPART 5 200 [100+200] part 1 of 4",
		"5ms COPY 1 -1 of 6 missing", "6ms DELETE 0 -1", "7ms COPY 1 50 of 0 missing", "8ms COPY 8 0 of 7",
	}
	if got := operations(t, f); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	// written, one, two, before, three, large, never, four, and what stands for the source of four
	if s.Objects.Count != 9 || s.Objects.First != 3 || s.Objects.FirstBytes != 70+300 || s.Operations != 9 || s.Objects.Prefixes != 0 {
		t.Errorf("%+v", s.Objects)
	}
}

// Whatever part of the objects is selected, what is copied is there: the source of a copy comes with it.
func TestSourcesOfSelections(t *testing.T) {
	for name, selections := range map[string][]trace.Selection{
		"parts":  {{Part: 1, Parts: 3}, {Part: 2, Parts: 3}, {Part: 3, Parts: 3}},
		"shares": {{Share: 0.2}, {Share: 0.5}, {Share: 0.8}},
		"kinds":  {{Kinds: []op.Kind{op.Copy}}},
	} {
		copied := int64(0)
		for _, selection := range selections {
			r, err := formats.NewReader(formats.Options{}, file("sample", copyTraffic))
			if err != nil {
				t.Fatal(err)
			}
			x := newBuilder(selection)
			var out strings.Builder
			s, err := x.perform(t.Context(), r, &out)
			if errors.Is(err, errNotSelected) {
				continue
			}
			if err != nil {
				t.Fatal(name, err)
			}
			f, err := trace.Open(strings.NewReader(out.String()), int64(out.Len()))
			if err != nil {
				t.Fatal(name, err)
			}
			for k := range f.Blocks() {
				list, err := f.Block(k, nil)
				if err != nil {
					t.Fatal(name, err)
				}
				for _, o := range list {
					if o.Kind.Copies() && o.Source < 0 {
						t.Errorf("%s: a copy has no source", name)
					}
				}
			}
			for _, k := range s.Kinds {
				if k.Kind.Copies() {
					copied += k.Operations
				}
			}
			f.Close()
		}
		if name != "shares" && copied < 5 {
			t.Errorf("%s: %d copies", name, copied)
		}
	}
}
