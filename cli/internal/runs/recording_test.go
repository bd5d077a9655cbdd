package runs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/cli/internal/files"
	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/process/processtest"
	"warp/cli/internal/progress"
	"warp/internal/clock"
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/runinfo"
)

// works: MinIO warp: recordings `warp-COMMAND-DATE-XXXX.csv.zst`, or `--benchdata`
func TestRecordingNames(t *testing.T) {
	t.Chdir(t.TempDir())
	now := time.Date(2026, 11, 21, 10, 15, 0, 0, time.UTC)
	for name, want := range map[string]string{
		"":             "warp-get-2026-11-21-101500-Xk3f",
		"mine":         "mine",
		"mine.csv.zst": "mine",
		"a.b":          "a.b",
	} {
		base, err := RecordingBase(name, "get", "Xk3f", now)
		if err != nil {
			t.Fatal(err)
		}
		r, err := createRecording(base, false, recording.Header{}, "")
		if err != nil {
			t.Fatal(err)
		}
		if r.path != want+".csv.zst" {
			t.Errorf("%q: path %q", name, r.path)
		}
		if err := r.finish(nil); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(r.path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left of a run without operations: %v", r.path, err)
		}
	}
	if _, err := createRecording("no/dir/x", false, recording.Header{}, ""); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "--benchdata") {
		t.Errorf("error is %v", err)
	}
}

func TestRecordingOfEarlierRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv.zst")
	long := strings.Repeat("of an earlier run ", 1000)
	if err := os.WriteFile(path, []byte(long), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(ops ...op.Op) {
		t.Helper()
		r, err := createRecording(strings.TrimSuffix(path, runinfo.Suffix), true, recording.Header{}, "")
		if err != nil {
			t.Fatal(err)
		}
		defer r.lock.Release()
		if len(ops) > 0 {
			err = r.Write(ops)
		}
		if err := errors.Join(err, r.Flush(), r.Close(), r.finish(&runinfo.End{Warnings: []string{"w"}}), r.finish(nil)); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if text, err := os.ReadFile(path); err != nil || string(text) != long {
		t.Errorf("a run without operations changed the recording: %v", err)
	}
	now := clock.Now()
	run(op.Op{Kind: op.Get, Start: now, End: now.Add(time.Second), Key: "k", Endpoint: "http://h"})
	r, err := files.Input(path).Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for r.Scan() {
	}
	if r.Err() != nil || len(r.Warnings()) > 0 || !strings.HasPrefix(string(r.End()), `{"warnings":["w"],`) {
		t.Errorf("end %s, warnings %q, error %v", r.End(), r.Warnings(), r.Err())
	}
}

// TestRecordingHasItsHeaderFirst: "warp clean" needs the header of a run that is killed before its first operation is written;
// one that ends so leaves no file.
func TestRecordingHasItsHeaderFirst(t *testing.T) {
	r, err := createRecording(filepath.Join(t.TempDir(), "x"), false, recording.Header{Config: []byte(`{"seed":7}`)}, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Begin(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(r.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rd, err := recording.NewReader(f, r.path)
	if err != nil {
		t.Fatal(err)
	}
	defer rd.Close()
	for rd.Scan() {
		t.Errorf("operation %+v", rd.Op())
	}
	if got := string(rd.Header().Config); got != `{"seed":7}` || rd.Err() != nil {
		t.Errorf("the header says %q, error %v", got, rd.Err())
	}
	if err := r.finish(nil); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(r.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is left: %v", err)
	}
}

func TestTally(t *testing.T) {
	var c tally
	c.add([]op.Op{{Phase: op.PhasePrepare, Err: "x"}, {Kind: op.Get}, {Kind: op.Get, Err: "x"}})
	c.add([]op.Op{{Kind: op.Put, Phase: "second"}})
	if c.failed != 1 || c.total != 3 {
		t.Errorf("%+v", c)
	}
}

func TestNothingToReport(t *testing.T) {
	t.Chdir(t.TempDir())
	env, out := processtest.Env()
	rec, err := createRecording("prepared", false, recording.Header{}, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Write([]op.Op{{Kind: op.Put, Phase: op.PhasePrepare}}); err != nil {
		t.Fatal(err)
	}
	watch := progress.New(&env, progress.Options{Form: flags.Plain, Quiet: true})
	defer watch.Close()
	err = New(&env, work.Registry()[0]).report(rec, &runinfo.End{}, nil, watch)
	if err == nil || !strings.Contains(err.Error(), "--duration") || out.Len() > 0 {
		t.Errorf("error %v, report %q", err, out)
	}
}

// TestOneNameForOneRun: the name of a recording is taken from the start, also of one that comes into its place at the end.
func TestOneNameForOneRun(t *testing.T) {
	t.Chdir(t.TempDir())
	rec, err := createRecording("x", false, recording.Header{}, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := createRecording("x", false, recording.Header{}, ""); process.ExitCode(err) != process.ExitUsage {
		t.Errorf("a second run records in the same file: %v", err)
	}
	if err := rec.finish(nil); err != nil {
		t.Error(err)
	}
	file, err := files.Create("benchdata", "recording", "x", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files.Create("benchdata", "recording", "x", false); process.ExitCode(err) != process.ExitUsage {
		t.Errorf("a second run records in the same place: %v", err)
	}
	file.Discard()
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
	if file, err = files.Create("benchdata", "recording", "x", false); err == nil {
		err = file.Commit()
	}
	file.Discard() // nothing is to be discarded
	if _, statErr := os.Stat("x"); errors.Is(statErr, fs.ErrNotExist) || err != nil {
		t.Errorf("finished with %v, then %v", err, statErr)
	}
}

// TestTrailerIsReadFirst: the end of a recording can be read first, which saves a pass.
func TestTrailerIsReadFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv.zst")
	rec, err := createRecording(strings.TrimSuffix(path, runinfo.Suffix), true, recording.Header{}, "")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	if err := rec.Write([]op.Op{{Kind: op.Get, Start: now, End: now.Add(time.Second), Endpoint: "h"}}); err != nil {
		t.Fatal(err)
	}
	if err := rec.finish(&runinfo.End{Warnings: []string{"w"}}); err != nil {
		t.Fatal(err)
	}
	env, _ := processtest.Env()
	src, err := files.Open(&env, true, path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r, err := src.List[0].Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if !strings.Contains(string(r.Trailer()), `"warnings":["w"]`) {
		t.Errorf("end is %s", r.Trailer())
	}
}
