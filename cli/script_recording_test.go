package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"warp/cli/internal/files"
	"warp/pkg/op"
	"warp/pkg/recording"
)

func unpackedText(ts *testscript.TestScript, neg bool, args []string) {
	demand(ts, neg, args, 2, "unpack FILE.csv.zst FILE")
	r, err := zstd.NewReader(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	defer r.Close()
	text, err := io.ReadAll(r)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), text, 0o644))
}

// benchmarkOps are the operations of a recording without its preparation, as far as it is written: kind, key and size.
func benchmarkOps(path string) []string { return recordedOps(path, false) }

// recordedOps are the operations of the preparation of a recording, or all others.
func recordedOps(path string, prepare bool) (ops []string) {
	r, err := files.Input(path).Reader()
	if err != nil {
		return nil
	}
	defer r.Close()
	for r.Scan() {
		if o := r.Op(); (o.Phase == op.PhasePrepare) == prepare {
			ops = append(ops, fmt.Sprint(o.Kind, " ", o.Key, " ", o.Bytes))
		}
	}
	return ops
}

func waitRows(ts *testscript.TestScript, neg bool, args []string) {
	waitRecorded(ts, neg, args, false, "waitrows FILE N")
}

func waitPrepared(ts *testscript.TestScript, neg bool, args []string) {
	waitRecorded(ts, neg, args, true, "waitprepared FILE N")
}

func waitRecorded(ts *testscript.TestScript, neg bool, args []string, prepare bool, usage string) {
	demand(ts, neg, args, 2, usage)
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	eventually(ts, args[1]+" operations in "+args[0], func() bool { return len(recordedOps(ts.MkAbs(args[0]), prepare)) >= n })
}

func sameOps(ts *testscript.TestScript, neg bool, args []string) {
	demand(ts, false, args, 3, "[!] sameops FILE FILE N")
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	a, b := benchmarkOps(ts.MkAbs(args[0])), benchmarkOps(ts.MkAbs(args[1]))
	if len(a) < n || len(b) < n {
		ts.Fatalf("there are only %d and %d operations", len(a), len(b))
	}
	if slices.Equal(a[:n], b[:n]) == neg {
		ts.Fatalf("first operations of %s: %q\nof %s: %q", args[0], a[:n], args[1], b[:n])
	}
}

// record writes a recording of ten seconds: four threads of a client, each of whose operations of 1 MiB takes about so
// many milliseconds. HEAD is the JSON at its head.
func record(ts *testscript.TestScript, neg bool, args []string) {
	head := ""
	if len(args) == 6 {
		head, args = args[5], args[:5]
	}
	demand(ts, neg, args, 5, "record FILE KIND MILLISECONDS CLIENT SECOND [HEAD]")
	ms, err := strconv.Atoi(args[2])
	ts.Check(err)
	second, err := strconv.Atoi(args[4])
	ts.Check(err)
	ts.Check(recordClient(ts.MkAbs(args[0]), op.Kind(args[1]), ms, args[3], second, head))
}

// recordClient writes the recording of a client that begins at a second, with operations of a duration in milliseconds.
func recordClient(path string, kind op.Kind, ms int, client string, second int, head string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := recording.NewWriter(f, recording.Header{Config: json.RawMessage(head)})
	if err != nil {
		return err
	}
	seed := fnv.New64()
	seed.Write([]byte(filepath.Base(path)))
	random := rand.New(rand.NewPCG(seed.Sum64(), 0))
	begin := time.Date(2026, 11, 21, 10, 0, second, 0, time.UTC)
	var ops []op.Op
	for thread := range 4 {
		for start := begin; start.Sub(begin) < 10*time.Second; {
			latency := time.Duration((0.8 + 0.4*random.Float64()) * float64(ms) * float64(time.Millisecond))
			ops = append(ops, op.Op{
				Kind: kind, Thread: uint32(thread), Client: client, Objects: 1, Bytes: 1 << 20,
				Endpoint: "http://h:1", Key: fmt.Sprint(thread, "/", start.UnixNano()), Start: start, FirstByte: start.Add(latency / 2), End: start.Add(latency),
			})
			start = start.Add(latency)
		}
	}
	slices.SortFunc(ops, func(a, b op.Op) int { return a.End.Compare(b.End) })
	return errors.Join(w.Write(ops), w.Close())
}
