package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/trace"
	"warp/pkg/trace/formats"
)

// file is an input that holds a text.
func file(name, text string) recording.Input {
	return recording.Input{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// sizesOf returns the sizes of the objects that must be there first.
func sizesOf(f *trace.File) (list []int64, err error) {
	for k := 0; err == nil && int64(len(list)) < f.Objects.First; k++ {
		list, err = f.Sizes(k, list)
	}
	return list, err
}

// describe indexes a text, and opens the compact form.
func describe(t *testing.T, selection trace.Selection, text string) (*trace.Summary, *trace.File) {
	t.Helper()
	r, err := formats.NewReader(formats.Options{}, file("sample", text))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s, err := Build(t.Context(), r, selection, &out)
	if err != nil {
		t.Fatal(err)
	}
	f, err := trace.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return s, f
}

// operations returns all operations of a file as text, with the objects in the order of their first use.
func operations(t *testing.T, f *trace.File) (list []string) {
	t.Helper()
	names := map[uint64]int{}
	nameOf := func(object uint64) int {
		if _, ok := names[object]; !ok {
			names[object] = len(names)
		}
		return names[object]
	}
	sizes, err := sizesOf(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(sizes) != int(f.Objects.First) {
		t.Errorf("%d objects, want %d", len(sizes), f.Objects.First)
	}
	for k := range f.Blocks() {
		block, err := f.Block(k, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range block {
			if o.Source >= 0 {
				nameOf(uint64(o.Source))
			}
			nameOf(o.Object)
			text := fmt.Sprintf("%v %s %d %d", o.At, o.Kind, names[o.Object], o.Size)
			if o.Length > 0 {
				text += fmt.Sprintf(" [%d+%d]", o.Offset, o.Length)
			}
			if o.Part > 0 {
				text += fmt.Sprintf(" part %d", o.Part)
			}
			if o.Source >= 0 {
				text += fmt.Sprintf(" of %d", nameOf(uint64(o.Source)))
			}
			if o.Listed != 0 {
				text += fmt.Sprintf(" listed %d", o.Listed)
			}
			if o.Missing {
				text += " missing"
			}
			if o.Object < uint64(len(sizes)) && sizes[o.Object] >= 0 {
				text += fmt.Sprintf(" first %d", sizes[o.Object])
				sizes[o.Object] = trace.Unknown // used
			}
			list = append(list, text)
		}
	}
	return list
}

// A trace where each object stands for one thing that can happen to it.
const history = `1000 REST.GET.OBJECT read-twice 100
2000 REST.GET.OBJECT read-twice 100 10 19
1500 REST.PUT.OBJECT written 50
1600 REST.GET.OBJECT written 50
1700 REST.DELETE.OBJECT written
1800 REST.GET.OBJECT written
1100 REST.GET.OBJECT then-written 10
1200 REST.GET.OBJECT then-written 20
1300 REST.PUT.OBJECT then-written 30
2100 REST.POST.UPLOADS parts
2200 REST.PUT.PART parts 5
2300 REST.PUT.PART parts 6
2400 REST.POST.UPLOAD parts
2500 REST.PUT.PART unfinished 7
2600 REST.HEAD.OBJECT looked
2700 REST.GET.ACL looked
`

func TestIndex(t *testing.T) {
	s, f := describe(t, trace.Selection{}, history)
	want := []string{
		"0s GET 0 100 first 100", "100ms GET 1 10 first 20", "200ms GET 1 20", "300ms PUT 1 30", "500ms PUT 2 50", "600ms GET 2 50",
		"700ms DELETE 2 -1", "800ms GET 2 50 missing", "1s GET 0 100 [10+10]", "1.1s CREATEUPLOAD 3 -1", "1.2s PUTPART 3 5", "1.3s PUTPART 3 6", "1.4s COMPLETEUPLOAD 3 11",
		"1.5s PUTPART 4 7", "1.6s STAT 5 -1 first 0",
	}
	if got := operations(t, f); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	o := s.Objects
	if o.Count != 6 || o.Read != 4 || o.Written != 3 || o.Once != 2 || o.First != 3 || o.FirstBytes != 120 || o.Bytes != 100+50+30+11 {
		t.Errorf("objects: %+v", o)
	}
	if s.Operations != 15 || s.Span != 1600*time.Millisecond || s.PartsLeft != 1 || s.Missing != 1 || s.Skipped["REST.GET.ACL"] != 1 {
		t.Errorf("%+v", s)
	}
	if o.Top1 != 4.0/15 || o.Hottest != 4.0/15 || o.Top10 != 4.0/15 {
		t.Errorf("skew: %+v", o)
	}
	if len(s.Kinds) != 7 || s.Kinds[0].Kind != op.Get || s.Kinds[0].Operations != 6 || s.Kinds[0].Bytes != 100+10+20+50+50+10 || s.Kinds[0].Ranges != 1 {
		t.Errorf("kinds: %+v", s.Kinds)
	}
	if f.Operations != s.Operations || f.Span != s.Span {
		t.Errorf("the file says %d operations in %v", f.Operations, f.Span)
	}
}

func TestSelections(t *testing.T) {
	for name, c := range map[string]struct {
		selection trace.Selection
		want      []string
	}{
		"kinds": {trace.Selection{Kinds: []op.Kind{op.Put, op.CompleteUpload}}, []string{"0s PUT 0 30", "200ms PUT 1 50", "1.1s COMPLETEUPLOAD 2 11"}},
		// What was written before is read first.
		"times":  {trace.Selection{From: 550 * time.Millisecond, To: 900 * time.Millisecond}, []string{"0s GET 0 50 first 50", "100ms DELETE 0 -1", "200ms GET 0 50 missing"}},
		"pauses": {trace.Selection{Kinds: []op.Kind{op.Put, op.CompleteUpload}, CompressIdle: 250 * time.Millisecond}, []string{"0s PUT 0 30", "200ms PUT 1 50", "450ms COMPLETEUPLOAD 2 11"}},
	} {
		if _, f := describe(t, c.selection, history); !slices.Equal(operations(t, f), c.want) {
			t.Errorf("%s: got %q, want %q", name, operations(t, f), c.want)
		}
	}
	r, err := formats.NewReader(formats.Options{}, file("sample", history))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Build(t.Context(), r, trace.Selection{Kinds: []op.Kind{op.Copy}}, nil); err == nil || !strings.Contains(err.Error(), "no operation of the trace is selected") {
		t.Error(err)
	}
}

// traffic is a random trace: lines in random order, and by what they are described.
func traffic(n, objects int, seed uint64) (text string, count map[string]int) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	count = map[string]int{}
	var lines []string
	for range n {
		key := fmt.Sprintf("o%d", min(rnd.IntN(objects), rnd.IntN(objects)))
		count[key]++
		kind := []string{"GET", "PUT", "HEAD", "DELETE"}[rnd.IntN(4)]
		lines = append(lines, fmt.Sprintf("%d REST.%s.OBJECT %s %d\n", rnd.IntN(10*n), kind, key, 100+len(key)))
	}
	return strings.Join(lines, ""), count
}

// Whether all is sorted in memory, in files, or in files that are merged several times, is the same.
func TestSortedInFiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	const n = 5000
	text, count := traffic(n, 400, 7)
	var first []byte
	for _, memory := range []int{sortMemory, 700, 10} {
		r, err := formats.NewReader(formats.Options{}, file("sample", text))
		if err != nil {
			t.Fatal(err)
		}
		x := newBuilder(trace.Selection{})
		x.byObject.memory, x.byTime.memory = memory, memory
		var out bytes.Buffer
		s, err := x.perform(t.Context(), r, &out)
		if err != nil {
			t.Fatal(err)
		}
		if s.Objects.Count != int64(len(count)) || s.Operations != n || (s.TemporaryFiles > 0) != (memory < n) {
			t.Errorf("in memory %d: %d objects, %d operations, %d files", memory, s.Objects.Count, s.Operations, s.TemporaryFiles)
		}
		body := out.Bytes()[:bytes.LastIndex(out.Bytes(), []byte("\x28\xb5\x2f\xfd"))] // without the summary
		if first == nil {
			first = body
		}
		if !bytes.Equal(body, first) {
			t.Errorf("in memory %d: the file differs", memory)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); len(left) > 0 {
		t.Errorf("files are left: %q", left)
	}
}

// A part of the objects has all of their operations, and about that part of all.
func TestShareOfObjects(t *testing.T) {
	text, count := traffic(20_000, 2000, 3)
	s, f := describe(t, trace.Selection{Share: 0.25}, text)
	if part := float64(s.Objects.Count) / float64(len(count)); part < 0.2 || part > 0.3 {
		t.Errorf("%.2f of the objects", part)
	}
	used := map[uint64]int{}
	for k := range f.Blocks() {
		block, err := f.Block(k, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range block {
			used[o.Object]++
		}
	}
	var all, sampled []int
	for _, n := range count {
		all = append(all, n)
	}
	for _, n := range used {
		sampled = append(sampled, n)
	}
	slices.Sort(all)
	slices.Sort(sampled)
	for _, n := range sampled {
		if _, found := slices.BinarySearch(all, n); !found {
			t.Errorf("an object has %d operations, which none has", n)
		}
	}
}

// Parts of the objects have each operation once, in the order for each object, at its time in the whole trace.
func TestParts(t *testing.T) {
	text, _ := traffic(3000, 200, 11)
	base := trace.Selection{Kinds: []op.Kind{op.Get, op.Put, op.Delete}, From: 5 * time.Second, To: 25 * time.Second, Share: 0.5, SkipMissing: true}
	whole, f := describe(t, base, text)
	want := timesOf(t, f)
	var got []string
	var objects, first int64
	for part := range 3 {
		s := base
		s.Part, s.Parts = part+1, 3
		summary, f := describe(t, s, text)
		if !summary.Begin.Equal(whole.Begin) || (summary.Span-whole.Span).Abs() > time.Microsecond {
			t.Errorf("part %d: %v and %v, want %v and %v", part+1, summary.Begin, summary.Span, whole.Begin, whole.Span)
		}
		objects, first = objects+summary.Objects.Count, first+summary.Objects.First
		got = append(got, timesOf(t, f)...)
	}
	if objects != whole.Objects.Count || first != whole.Objects.First {
		t.Errorf("%d objects, %d there first; want %d and %d", objects, first, whole.Objects.Count, whole.Objects.First)
	}
	slices.Sort(got)
	slices.Sort(want)
	if len(want) < 500 || !slices.Equal(got, want) {
		t.Errorf("%d operations, want %d", len(got), len(want))
	}
}

// timesOf returns what the operations of a file are, and when, without the nanoseconds that put them after each other.
func timesOf(t *testing.T, f *trace.File) (list []string) {
	t.Helper()
	for k := range f.Blocks() {
		block, err := f.Block(k, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range block {
			list = append(list, fmt.Sprintln(o.At.Truncate(time.Microsecond), o.Kind, o.Size, o.Missing))
		}
	}
	return list
}

// A description of a compact file is that of what it was made of, and what is written of it is the same again.
func TestCompactAgain(t *testing.T) {
	text, _ := traffic(10_000, 300, 5)
	s, f := describe(t, trace.Selection{}, text)
	var out bytes.Buffer
	r, err := formats.NewReader(formats.Options{}, file("sample", text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Build(t.Context(), r, trace.Selection{}, &out); err != nil {
		t.Fatal(err)
	}
	again, g := describe(t, trace.Selection{}, out.String())
	if again.Operations != s.Operations || again.Objects != s.Objects || !again.Begin.Equal(s.Begin) || again.Span != s.Span || !slices.Equal(again.Kinds, s.Kinds) {
		t.Errorf("got  %+v\nwant %+v", again, s)
	}
	if !slices.Equal(operations(t, f), operations(t, g)) {
		t.Error("the operations differ")
	}
	if each := float64(out.Len()) / 10_000; each > 20 {
		t.Errorf("%.1f bytes for each operation", each)
	}
}

func TestRequestsInFlight(t *testing.T) {
	var text strings.Builder
	text.WriteString("idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror\tstart\tfirst_byte\tlast_byte\tend\tduration_ns\tcat\n")
	for i := range 20 { // two clients, a request of each every second, of 3 s and of 1.5 s
		for c, ms := range []int{3000, 1500} {
			start := time.Unix(int64(i), 0).UTC()
			fmt.Fprintf(&text, "0\t%d\tGET\tc\t1\t10\th\tk\t\t%s\t\t\t%s\t0\t0\n", c, start.Format(time.RFC3339Nano), start.Add(time.Duration(ms)*time.Millisecond).Format(time.RFC3339Nano))
		}
	}
	s, _ := describe(t, trace.Selection{}, text.String())
	if s.AtOnce != 5 || s.Clients.Count != 2 || s.Clients.AtOnce.Max != 3 || s.Clients.AtOnce.Min != 2 || s.WithLatency != 40 {
		t.Errorf("at once %d, clients %+v, %d with a latency", s.AtOnce, s.Clients, s.WithLatency)
	}
	if want := 20 * 4.5 / 19; s.MeanAtOnce < want-0.001 || s.MeanAtOnce > want+0.001 {
		t.Errorf("%v at once in the mean, want %v", s.MeanAtOnce, want)
	}
}

// emptyLines is a file without an operation or an end; reading is cancelled midway.
type emptyLines struct {
	reads  int
	cancel func()
}

func (e *emptyLines) Read(b []byte) (int, error) {
	if e.reads++; e.reads == 20 {
		e.cancel()
	}
	n := copy(b, "1000 REST.GET.OBJECT k1 100\n")
	if e.reads > 1 {
		n = 0
	}
	for i := range b[n:] {
		b[n+i] = '\n'
	}
	return len(b), nil
}

func (*emptyLines) Close() error { return nil }

// TestIndexIsInterruptedBetweenEvents: an interrupt counts where a file has no operations for gigabytes.
func TestIndexIsInterruptedBetweenEvents(t *testing.T) {
	cause := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	in := &emptyLines{cancel: func() { cancel(cause) }}
	r, err := formats.NewReader(formats.Options{}, recording.Input{Name: "endless", Open: func() (io.ReadCloser, error) { return in, nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := Build(ctx, r, trace.Selection{}, nil); !errors.Is(err, cause) {
		t.Error(err)
	}
}

func TestIndexIsInterrupted(t *testing.T) {
	cause := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	r, err := formats.NewReader(formats.Options{}, file("sample", history))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := Build(ctx, r, trace.Selection{}, nil); !errors.Is(err, cause) {
		t.Error(err)
	}
}
