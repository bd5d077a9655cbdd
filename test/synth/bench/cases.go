//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"warp/pkg/recording"
	"warp/test/synth/model"
)

// benchCase is recordings that are analyzed together.
type benchCase struct {
	name    string
	form    func(model.Run, io.Writer) error
	files   int // which share the operations
	objects int // distinct ones in each file
	flags   []string
}

// usualObjects is how many objects a benchmark reads unless it is told otherwise.
const usualObjects = 2500

// cases are the ways a recording can be hard. All are of mixed operations, four kinds, on four hosts where the
// name does not say how many. Numbers of objects that end in 1 share no factor with the pattern of kinds, so that each
// object is read.
var cases = []benchCase{
	{"stated windows", stated, 1, usualObjects, nil},
	{"found windows", plain, 1, usualObjects, nil},
	{"one host of four", stated, 1, usualObjects, []string{"--analyze.host=10.0.0.1:9000"}},
	{"32 hosts", hosts(32), 1, usualObjects, nil},
	{"segments by host", plain, 1, usualObjects, []string{"--analyze.v"}},
	{"times of segments", plain, 1, usualObjects, []string{"--analyze.out=" + os.DevNull}},
	{"table of operations", stated, 1, usualObjects, []string{"--parquet=" + os.DevNull}},
	{"four files", stated, 4, usualObjects, nil},
	{"MinIO warp", upstream, 1, usualObjects, nil},
	{"tool, four files", upstream, 4, usualObjects, nil},
	{"500,001 objects", stated, 1, 500_001, nil},
	{"tool, 500,001 objects", upstream, 1, 500_001, nil},
	{"2,000,001 objects", stated, 1, 2_000_001, nil},
}

// stated is as warp writes it: its windows are stated at its end.
func stated(r model.Run, w io.Writer) error {
	_, err := r.Record(w, recording.Header{}, true)
	return err
}

// hosts is stated for a run with n hosts.
func hosts(n int) func(model.Run, io.Writer) error {
	return func(r model.Run, w io.Writer) error {
		r.Hosts = n
		return stated(r, w)
	}
}

// plain is without them, as when it was cut off.
func plain(r model.Run, w io.Writer) error {
	_, err := r.Record(w, recording.Header{}, false)
	return err
}

// upstream is as MinIO warp writes it.
func upstream(r model.Run, w io.Writer) error {
	_, err := r.Upstream(w)
	return err
}

// write writes recording number i of a case to path.
func write(path, name, size string, i int) (err error) {
	at := slices.IndexFunc(cases, func(c benchCase) bool { return c.name == name })
	ops, err := strconv.Atoi(size)
	if at < 0 || err != nil {
		return fmt.Errorf("-write: no case %q of %q operations", name, size)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	run := model.Typical(ops, cases[at].objects)
	run.First, run.Seed = i, uint64(i)
	buf := bufio.NewWriterSize(f, 1<<20)
	return errors.Join(cases[at].form(run, buf), buf.Flush())
}
