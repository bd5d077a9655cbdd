package aggregate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// byClient is ops by client, each as a recording whose client is "c"; and all of them with the names that
// they get when they are put together.
func byClient(t *testing.T, ops []op.Op) (inputs []recording.Input, all []op.Op) {
	t.Helper()
	var order []string
	parts := map[string][]op.Op{}
	for _, o := range ops {
		if parts[o.Client] == nil {
			order = append(order, o.Client)
		}
		parts[o.Client] = append(parts[o.Client], o)
	}
	for i, client := range order {
		part := parts[client]
		for j := range part {
			part[j].Client = "c"
		}
		inputs = append(inputs, fileOf(t, fmt.Sprint("part", i, ".csv.zst"), recorded(t, part, struct{}{})))
		for _, o := range part {
			if i > 0 {
				o.Client = fmt.Sprintf("c (%d)", i+1)
			}
			all = append(all, o)
		}
	}
	return inputs, all
}

// Several recordings give what one of all their clients gives, and so does their merged recording.
func TestAnalyzeAllIsAnalyzeOfTheMerged(t *testing.T) {
	for _, name := range sortedStreams() {
		inputs, all := byClient(t, optest.Streams()[name].Make())
		for _, opts := range []Options{{}, {Op: op.Get, HostSegments: true, SegmentTimes: true}} {
			want := analyze(t, opts, all)
			got, about, err := AnalyzeAll(opts, inputs...)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, want)
			if len(about.Headers) != len(inputs) || len(about.Ends) != len(inputs) || len(about.Warnings) > 0 {
				t.Errorf("%+v", about)
			}
			var file bytes.Buffer
			if _, err := recording.Merge(context.Background(), &file, recording.Header{}, inputs, NewBounds(Options{})); err != nil {
				t.Fatal(err)
			}
			opens := 0
			merged, _, err := AnalyzeAll(opts, counted(fileOf(t, "merged.csv.zst", file.Bytes()), &opens))
			if err != nil {
				t.Fatal(err)
			}
			same(t, merged, want)
			if opens != 2 {
				t.Errorf("%s: the merged recording was opened %d times, so it does not state its windows", name, opens)
			}
		}
	}
}

func TestAnalyzeAllCountsTheOverlap(t *testing.T) {
	run := func(from, to float64) []op.Op {
		var ops []op.Op
		for i := 0; from+float64(i)*0.01 < to; i++ {
			ops = append(ops, optest.Get(from+float64(i)*0.01, from+float64(i+1)*0.01))
		}
		return ops
	}
	a, b, c := recorded(t, run(0, 10), 0), recorded(t, run(7, 20), 0), recorded(t, run(30, 31), 0)
	s, about, err := AnalyzeAll(Options{}, fileOf(t, "a", a), fileOf(t, "b", b))
	if err != nil {
		t.Fatal(err)
	}
	g := s.Groups[0]
	if !g.Window.Start.Equal(optest.At(7.01)) || !g.Window.End.Equal(optest.At(10)) || g.Window.Loose || len(g.Clients) != 2 || g.Requests != 2300 {
		t.Errorf("window %v to %v, %d clients, %d requests", g.Window.Start, g.Window.End, len(g.Clients), g.Requests)
	}
	if len(about.Warnings) != 1 || !strings.Contains(about.Warnings[0], "only 3s") {
		t.Errorf("warnings %q", about.Warnings)
	}
	if _, _, err := AnalyzeAll(Options{}, fileOf(t, "a", a), fileOf(t, "c", c)); !errors.Is(err, recording.ErrNoOverlap) || !strings.Contains(err.Error(), "c starts 20s after the end of a") {
		t.Errorf("no overlap: %v", err)
	}
}

func TestAnalyzeAllTellsWhatIsNoRecording(t *testing.T) {
	fault := errors.New("disk on fire")
	good := fileOf(t, "good", recorded(t, optest.Steady(1, time.Millisecond, time.Second, nil), 0))
	for _, tt := range []struct {
		in   recording.Input
		is   error
		text string
	}{
		{recording.Input{Name: "bad", Open: func() (io.ReadCloser, error) { return nil, fault }}, fault, "disk on fire"}, // Open says which file
		{fileOf(t, "bad", []byte("{}")), recording.ErrAggregated, "recording bad"},
	} {
		for _, inputs := range [][]recording.Input{{tt.in}, {good, tt.in}} {
			if _, _, err := AnalyzeAll(Options{}, inputs...); !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%d inputs: %v", len(inputs), err)
			}
		}
	}
}
