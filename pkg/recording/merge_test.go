package recording

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"warp/pkg/op"
)

// inputOf is a recording in memory.
func inputOf(name string, data []byte) Input {
	return Input{name, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
}

// clientOps is n operations of two threads, in an order that is off by some rows.
func clientOps(client string, n, off int, begin time.Duration) []op.Op {
	ops := make([]op.Op, n)
	for i := range ops {
		start := at(int64(begin) + int64(i)*1e6)
		ops[i] = op.Op{Kind: op.Get, Client: client, Thread: uint32(i % 2), Start: start, End: start.Add(1500 * time.Microsecond), Bytes: int64(i), Objects: 1}
	}
	for i := 0; off > 0 && i+off < n; i += off + 1 {
		ops[i], ops[i+off] = ops[i+off], ops[i]
	}
	return ops
}

// tee counts what it gets.
type tee struct{ n int }

func (t *tee) Write(ops []op.Op) error { t.n += len(ops); return nil }
func (t *tee) End(*Merged) any         { return map[string]int{"n": t.n} }

func TestMerge(t *testing.T) {
	const n = 3 * mergeWindow
	inputs := []Input{
		inputOf("a", record(t, Header{Config: json.RawMessage(`{"plan":1}`), CommandLine: "warp get"}, 1000, clientOps("c", n, 700, 0)...)),
		inputOf("b", record(t, Header{}, 0, clientOps("c", n, mergeWindow-1, time.Second)...)),
		inputOf("d", record(t, Header{}, 0, clientOps("d", n, 0, 500*time.Nanosecond)...)),
	}
	var out bytes.Buffer
	var seen tee
	m, err := Merge(context.Background(), &out, Header{CommandLine: "warp merge"}, inputs, &seen)
	if err != nil {
		t.Fatal(err)
	}
	ops, r := readAll(t, out.Bytes())
	noWarnings(t, r)
	if m.Operations != 3*n || len(m.Warnings) > 0 || len(m.Headers) != 3 || string(r.End()) != `{"n":73728}` || seen.n != len(ops) {
		t.Errorf("%+v, end %s, %d seen", m, r.End(), seen.n)
	}
	if want := `{"merged":[{"name":"a","config":{"plan":1},"commandline":"warp get"},{"name":"b"},{"name":"d"}]}`; string(r.Header().Config) != want {
		t.Errorf("configuration %s, want %s", r.Header().Config, want)
	}
	if !slices.IsSortedFunc(ops, func(a, b op.Op) int { return a.End.Compare(b.End) }) {
		t.Error("not in order of end")
	}
	want := slices.Concat(clientOps("c", n, 0, 0), clientOps("c (2)", n, 0, time.Second), clientOps("d", n, 0, 500*time.Nanosecond))
	slices.SortFunc(want, func(a, b op.Op) int { return a.End.Compare(b.End)*2 + strings.Compare(a.Client, b.Client) })
	slices.SortFunc(ops, func(a, b op.Op) int { return a.End.Compare(b.End)*2 + strings.Compare(a.Client, b.Client) })
	sameOps(t, ops, want)
}

// What is further from its place than the window is written all the same.
func TestMergeOfDisorder(t *testing.T) {
	ops := clientOps("c", 3*mergeWindow, 0, 0)
	slices.Reverse(ops)
	var out bytes.Buffer
	if _, err := Merge(context.Background(), &out, Header{}, []Input{inputOf("a", record(t, Header{}, 0, ops...))}, nil); err != nil {
		t.Fatal(err)
	}
	got, _ := readAll(t, out.Bytes())
	slices.SortFunc(got, func(a, b op.Op) int { return a.End.Compare(b.End) })
	slices.Reverse(ops)
	sameOps(t, got, ops)
}

func TestMergeFails(t *testing.T) {
	a := inputOf("a.csv.zst", record(t, Header{}, 0, clientOps("c", 100, 0, 0)...))
	late := inputOf("late.csv.zst", record(t, Header{}, 0, clientOps("c", 100, 0, time.Hour)...))
	fault := errors.New("disk on fire")
	gone := Input{"gone", func() (io.ReadCloser, error) { return nil, fault }}
	for _, tt := range []struct {
		inputs []Input
		is     error
	}{{[]Input{a, late}, ErrNoOverlap}, {[]Input{a, gone}, fault}, {[]Input{a, inputOf("j", []byte("{}"))}, ErrAggregated}} {
		var out bytes.Buffer
		if _, err := Merge(context.Background(), &out, Header{}, tt.inputs, nil); !errors.Is(err, tt.is) || out.Len() > 0 {
			t.Errorf("%v, want %v; %d bytes written", err, tt.is, out.Len())
		}
	}
	if m, err := MergeRun(context.Background(), io.Discard, Header{}, []Input{a, late}, nil); err != nil || len(m.Warnings) > 0 {
		t.Errorf("clients of one run that do not overlap: %+v, %v", m, err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(fault)
	if _, err := Merge(ctx, io.Discard, Header{}, []Input{a}, nil); !errors.Is(err, fault) {
		t.Errorf("canceled: %v", err)
	}
}

func TestClients(t *testing.T) {
	var c Clients
	ask := func(part int, id, want string) {
		t.Helper()
		for range 2 {
			if got := c.Name(part, id); got != want {
				t.Errorf("client %q of part %d is %q, want %q", id, part, got, want)
			}
		}
	}
	ask(0, "a", "a")
	ask(0, "a (2)", "a (2)")
	ask(0, "", "")
	ask(1, "a", "a (3)")
	ask(1, "b", "b")
	ask(2, "a", "a (4)")
	ask(2, "b", "b (3)")
	ask(1, "", " (2)")
	ask(0, "a", "a")
}

func TestSpans(t *testing.T) {
	run := func(phase string, from, to float64) op.Op {
		return op.Op{Phase: phase, Start: at(int64(from * 1e9)), End: at(int64(to * 1e9))}
	}
	tests := []struct {
		name    string
		parts   [][]op.Op
		warns   string
		overlap bool
	}{
		{"one", [][]op.Op{{run("", 0, 1)}}, "", true},
		{"together", [][]op.Op{{run("", 0, 10)}, {run("", 1, 11)}, {run("", 0.5, 9)}}, "", true},
		{"two apart", [][]op.Op{{run("", 0, 10)}, {run("", 0, 4)}, {run("", 5, 10)}}, "", false},
		{"little", [][]op.Op{{run("", 0, 10)}, {run("", 8, 18)}}, "for only 2s, the shortest is 10s long", true},
		{"preparation", [][]op.Op{{run(op.PhasePrepare, 0, 5), run("", 5, 10)}, {run(op.PhasePrepare, 0, 11), run("", 11, 20)}}, "", false},
		{"preparation only", [][]op.Op{{run(op.PhasePrepare, 0, 5)}, {run("", 1, 4)}}, "", true},
		{"nothing to do after preparation", [][]op.Op{{run(op.PhasePrepare, 0, 4)}, {run(op.PhasePrepare, 5, 6), run("", 6, 9)}}, "", true},
		{"another preparation", [][]op.Op{{run(op.PhasePrepare, 10, 11)}, {run(op.PhasePrepare, 6, 7), run("", 7, 9)}}, "", false},
		{"empty", [][]op.Op{{run("", 0, 5)}, {}}, "part 1: holds no operations", true},
		{"broken", [][]op.Op{{run("", 0, 5)}, {run("", 2, 1), {}}}, "part 1: holds no operations", true},
		{"nothing", [][]op.Op{{}}, "part 0: holds no operations", true},
	}
	for _, tt := range tests {
		inputs := make([]Input, len(tt.parts))
		for i := range inputs {
			inputs[i].Name = "part " + string(rune('0'+i))
		}
		s := NewSpans(inputs)
		for i, ops := range tt.parts {
			for _, o := range ops {
				s.Add(i, &o)
			}
		}
		warnings, err := s.Check()
		if text := strings.Join(warnings, "\n"); errors.Is(err, ErrNoOverlap) == tt.overlap || !strings.Contains(text, tt.warns) || (tt.warns == "") != (text == "") {
			t.Errorf("%s: %v, warnings %q", tt.name, err, text)
		}
	}
}

func TestMergeOfTooManyClients(t *testing.T) {
	ops := make([]op.Op, maxMergeClients+1)
	for i := range ops {
		ops[i] = op.Op{Kind: op.Get, Client: strconv.Itoa(i), Start: at(1e9), End: at(2e9)}
	}
	inputs := []Input{inputOf("few", record(t, Header{}, 0, ops[:9]...)), inputOf("many", record(t, Header{}, 0, ops...))}
	_, err := Merge(context.Background(), io.Discard, Header{}, inputs, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "many: more than 131072 clients") {
		t.Errorf("error is %v", err)
	}
}
