package aggregate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"warp/internal/testkit"
	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// framed is ops as a recording in a file that states no windows, in frames of that many operations.
func framed(t testing.TB, ops []op.Op, each int) (path string) {
	t.Helper()
	var b bytes.Buffer
	w, err := recording.NewWriter(&b, recording.Header{})
	if err != nil {
		t.Fatal(err)
	}
	for some := range slices.Chunk(ops, each) {
		if err := errors.Join(w.Write(some), w.Flush()); err != nil {
			t.Fatal(err)
		}
	}
	path = filepath.Join(t.TempDir(), "run.csv.zst")
	if err := errors.Join(w.Close(), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// inOneFrame joins the frames of a file into one.
func inOneFrame(t testing.TB, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dec, err1 := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1))
	enc, err2 := zstd.NewWriter(nil)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	text, err := io.ReadAll(dec)
	if err := errors.Join(err, os.WriteFile(path, enc.EncodeAll(text, nil), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// measuredFile counts what is read of a file.
type measuredFile struct {
	*os.File
	read *int64
}

func (f measuredFile) Read(b []byte) (int, error) {
	n, err := f.File.Read(b)
	*f.read += int64(n)
	return n, err
}

func (f measuredFile) ReadAt(b []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(b, at)
	*f.read += int64(n)
	return n, err
}

func measured(path string, read *int64) recording.Input {
	return recording.Input{Name: path, Open: func() (io.ReadCloser, error) {
		f, err := os.Open(path)
		return measuredFile{f, read}, err
	}}
}

// phase is what threads do between two seconds of a run, with kinds in turn.
type phase struct {
	name     string
	from, to float64
	threads  int
	kinds    []op.Kind
}

// play is the operations of phases in the order of their ends, 10 ms each on average.
func play(client string, phases ...phase) (ops []op.Op) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range phases {
		for th := range p.threads {
			for now, n := p.from, 0; now < p.to; n++ {
				o := optest.Get(now, now+0.02*r.Float64())
				o.Client, o.Phase, o.Thread, o.Kind = client, p.name, uint32(th), p.kinds[r.IntN(len(p.kinds))]
				o.Key = fmt.Sprint(p.name, "/", r.Uint64())
				ops, now = append(ops, o), o.End.Sub(optest.Epoch).Seconds()
			}
		}
	}
	slices.SortStableFunc(ops, optest.ByEnd)
	return ops
}

// What is likely from parts of recordings is right where phases follow each other, and takes a small part of the file.
func TestLikelyWindows(t *testing.T) {
	testkit.SkipSerial(t)
	mixed := []op.Kind{op.Get, op.Get, op.Put, op.Stat}
	prepared := phase{op.PhasePrepare, 0, 17, 5, []op.Kind{op.Put}}
	for _, tt := range []struct {
		name  string
		files [][]op.Op
		opts  Options
		one   bool // frame
	}{
		{"one frame", [][]op.Op{play("c", phase{"", 0, 60, 8, mixed})}, Options{}, true},
		{"one frame in each of several files", [][]op.Op{play("c", phase{"", 0, 60, 8, mixed}), play("c", phase{"", 1, 59, 8, mixed})}, Options{}, true},
		{"one phase", [][]op.Op{play("c", phase{"", 0, 60, 8, mixed})}, Options{}, false},
		{"classic", [][]op.Op{play("c", phase{"", 0, 60, 8, mixed})}, Options{Rule: Classic}, false},
		{"one kind of several", [][]op.Op{play("c", phase{"", 0, 60, 8, mixed})}, Options{Op: op.Put, Skip: time.Second}, false},
		{"preparation", [][]op.Op{play("c", prepared, phase{"", 20, 60, 8, mixed})}, Options{}, false},
		{"phases", [][]op.Op{play("c", prepared, phase{"a", 17, 31, 8, mixed}, phase{"b", 31, 45, 3, mixed}, phase{"c", 50, 60, 8, mixed})}, Options{}, false},
		{"several files", [][]op.Op{play("c", prepared, phase{"", 18, 60, 8, mixed}), play("c", prepared, phase{"", 18.2, 60, 8, mixed})}, Options{}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var read, size int64
			var inputs []recording.Input
			for _, ops := range tt.files {
				path := framed(t, ops, 50)
				if tt.one {
					inOneFrame(t, path)
				}
				inputs = append(inputs, measured(path, &read))
				info, err := os.Stat(path)
				if err != nil {
					t.Fatal(err)
				}
				size += info.Size()
			}
			open, _ := chained(inputs)
			want, err := findWindows(tt.opts, open)
			if err != nil {
				t.Fatal(err)
			}
			read, tt.opts.sampleBytes = 0, 10_000
			got := (&chain{inputs: inputs}).likelyWindows(tt.opts)
			if got == nil || !got.equal(want) {
				t.Fatalf("windows %+v\nwant %+v", got, want)
			}
			if read > size/2 && !tt.one {
				t.Errorf("%d of %d bytes were read", read, size)
			}
		})
	}
}

// Where parts mislead or say nothing, the figures still cover all operations.
func TestMisleadingSample(t *testing.T) {
	testkit.SkipSerial(t)
	all := []op.Kind{op.Get, op.Put}
	late := play("c", phase{"", 0, 40, 4, all})
	for i := range late {
		if o := &late[i]; o.Thread == 3 && (o.Start.Before(optest.At(15)) || o.End.After(optest.At(35))) {
			o.Thread = 2
		}
	}
	rare := play("c", phase{"", 0, 40, 4, all})
	rare[len(rare)/2].Kind = op.Delete
	few := play("c", phase{"", 0, 40, 4, all})
	few[3].Kind = op.Delete
	for _, tt := range []struct {
		name   string
		ops    []op.Op
		likely bool
		one    bool // frame
	}{
		{"thread in the middle of one frame", late, true, true},
		{"phases in one frame", play("c", phase{"a", 0, 20, 4, all}, phase{"b", 20, 40, 4, all}), false, true},
		{"one operation of a kind in one frame", few, false, true},
		{"short frame", play("c", phase{"", 0, 1, 4, all}), false, true},
		{"thread in the middle", late, true, false},
		{"kind in the middle", rare, true, false},
		{"one operation of a kind", few, false, false},
		{"phase in the middle", play("c", phase{"", 0, 40, 4, all}, phase{"x", 25, 27, 4, all}), true, false},
		{"phases in parallel", play("c", phase{"a", 0, 40, 4, all}, phase{"b", 0, 40, 4, all}), false, false},
		{"short", play("c", phase{"", 0, 1, 4, all}), false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var read int64
			path := framed(t, tt.ops, 50)
			if tt.one {
				inOneFrame(t, path)
			}
			in := measured(path, &read)
			opts := Options{sampleBytes: 10_000}
			w := (&chain{inputs: []recording.Input{in}}).likelyWindows(opts)
			if (w != nil) != tt.likely {
				t.Errorf("likely windows: %+v", w)
			}
			got, _, err := AnalyzeAll(opts, in)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, analyze(t, Options{}, tt.ops))
		})
	}
}
