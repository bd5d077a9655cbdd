package aggregate

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// recorded is ops as a recording; end is what it says at its end.
func recorded(t testing.TB, ops []op.Op, end any) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := recording.NewWriter(&b, recording.Header{CommandLine: "warp get"})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(ops), w.SetEnd(end), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fileOf is a recording in a file.
func fileOf(t testing.TB, name string, data []byte) recording.Input {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return recording.Input{Name: name, Open: func() (io.ReadCloser, error) { return os.Open(path) }}
}

// counted is in with the number of times that it was opened.
func counted(in recording.Input, n *int) recording.Input {
	return recording.Input{Name: in.Name, Open: func() (io.ReadCloser, error) { *n++; return in.Open() }}
}

// sortedStreams are the names of streams in order; if there is little time, only of the one that has most.
func sortedStreams() []string {
	if testing.Short() {
		return []string{"mixed, failures, hosts, clients"}
	}
	return slices.Sorted(maps.Keys(optest.Streams()))
}

// Whether a recording states its windows, or wrong ones, or none, and however it is read: the figures are the same.
func TestAnalyzeDoesNotDependOnTheEnding(t *testing.T) {
	for _, name := range sortedStreams() {
		ops := optest.Streams()[name].Make()
		bounds := NewBounds(Options{})
		_ = bounds.Write(ops)
		wrong, classic := NewBounds(Options{}), NewBounds(Options{Rule: Classic})
		_, _ = wrong.Write(ops[:len(ops)/2]), classic.Write(ops)
		endings := map[string]struct {
			end   any
			opens int // once for the ending, once for parts where that is not used, and for each pass
		}{
			"none":      {struct{}{}, 4},
			"right":     {bounds.End(nil), 2},
			"wrong":     {wrong.End(nil), 3},
			"classic":   {classic.End(nil), 4},
			"no object": {[]int{1}, 4},
			"endless":   {Trailer{&Windows{Totals: make([]GroupWindow, maxStated+1)}}, 4},
		}
		files := map[string]recording.Input{}
		for end, tt := range endings {
			files[end] = fileOf(t, "run.csv.zst", recorded(t, ops, tt.end))
		}
		for _, opts := range []Options{{}, {Skip: 100 * time.Millisecond, HostSegments: true, SegmentTimes: true}, {HostSegments: true}, {Op: "get"}, {Host: "host1:9000"}} {
			want := analyze(t, opts, ops)
			for end, tt := range endings {
				opens := 0
				got, about, err := AnalyzeAll(opts, counted(files[end], &opens))
				if err != nil {
					t.Fatal(err)
				}
				same(t, got, want)
				if wrongIsRight := end == "wrong" && wrong.Windows().filtered(opts.Op, opts.Skip).equal(bounds.Windows().filtered(opts.Op, opts.Skip)); opens != tt.opens && !wrongIsRight {
					t.Errorf("%s, %+v, windows %s: opened %d times, want %d", name, opts, end, opens, tt.opens)
				}
				if len(about.Headers) != 1 || about.Headers[0].CommandLine != "warp get" || len(about.Warnings) > 0 || !json.Valid(about.Ends[0]) {
					t.Errorf("%+v", about)
				}
			}
		}
	}
}

// The quick pass that several recordings need does not look at all columns: a row that it takes and the other does not must
// not count for the windows.
func TestAnalyzeOfBadRows(t *testing.T) {
	ops := optest.Streams()["get"].Make()
	dec := strings.Join([]string{"idx", "thread", "op", "bytes", "error", "start", "end"}, "\t") + "\n"
	row := func(o *op.Op, size string) {
		dec += strings.Join([]string{"0", string(rune('0' + o.Thread)), "GET", size, o.Err, o.Start.Format(time.RFC3339Nano), o.End.Format(time.RFC3339Nano)}, "\t") + "\n"
	}
	for i := range ops {
		ops[i].Client, ops[i].Endpoint, ops[i].Key, ops[i].FirstByte = "", "", "", time.Time{}
		row(&ops[i], "4096")
	}
	good := dec
	bad := optest.With(ops[0], func(o *op.Op) { o.Thread, o.Start, o.End = 9, optest.At(0.5), optest.At(0.6) }) // would end the window
	row(&bad, "many")
	opens := 0
	got, about, err := AnalyzeAll(Options{}, counted(fileOf(t, "run.csv", []byte(dec)), &opens), counted(fileOf(t, "other.csv", []byte(good)), &opens))
	if err != nil {
		t.Fatal(err)
	}
	others := slices.Clone(ops)
	for i := range others {
		others[i].Client = " (2)"
	}
	same(t, got, analyze(t, Options{}, append(ops, others...)))
	if opens != 2*4+1 || len(about.Warnings) != 1 {
		t.Errorf("opened %d times, warnings %q", opens, about.Warnings)
	}
}

// Windows that were found first, and are other ones each time, end in an error.
func TestAnalyzeOfRecordingThatGrows(t *testing.T) {
	ops := optest.Steady(2, time.Millisecond, time.Second, nil)
	n := 10
	_, err := Analyze(Options{}, func() (op.Source, func() error, error) {
		n += 10
		return &sliceSource{ops: ops[:n]}, func() error { return nil }, nil
	})
	if !errors.Is(err, errUnsteady) {
		t.Errorf("error %v", err)
	}
}
