// Package legacy reads aggregated recordings (.json.zst) of MinIO warp (https://github.com/minio/warp), which hold
// statistics instead of operations.
package legacy

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"warp/internal/unpack"
	"warp/pkg/aggregate"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// maxText is the maximum length of the text in bytes; an hour of a thousand clients fits.
const maxText = 256 << 20

// Recording is an aggregated recording.
type Recording struct {
	// Snapshot has what is exact: requests, errors, and throughput computed from the segments. It has no histograms:
	// the times in the file are in Approx of the groups. Figures of hosts and clients are averages of the whole run,
	// scaled to the length of the window.
	Snapshot    *aggregate.Snapshot
	CommandLine string
	Version     string   // of the program that wrote it
	Warnings    []string // limits of the figures
}

// Read reads an aggregated recording, compressed or not.
//
// It corrects faults of these files: segments begin two seconds later than stated, throughput ends with the last
// segment, and segments are ranked by bytes where bytes are moved.
func Read(r io.Reader) (*Recording, error) {
	text, err := readText(r)
	if err != nil {
		return nil, fmt.Errorf("read aggregated recording: %w", err)
	}
	var f file
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("read aggregated recording: truncated, damaged or not JSON: %w", err)
	}
	if f.V == 0 && len(f.Operations) > 0 {
		return nil, errors.New("read aggregated recording: the file is a report of MinIO warp before 1.1: analyze the .csv.zst of that run")
	}
	if len(f.ByOp) == 0 {
		return nil, errors.New("read aggregated recording: no operations (by_op_type)")
	}
	return f.convert()
}

// readText returns the text of an aggregated recording.
func readText(r io.Reader) ([]byte, error) {
	src, err := unpack.New(r, recording.MaxWindow)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	text, err := io.ReadAll(io.LimitReader(src, maxText+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxText:
		return nil, fmt.Errorf("longer than %d bytes", maxText)
	}
	return text, nil
}

// convert returns the file as a recording.
func (f *file) convert() (*Recording, error) {
	a := &Recording{CommandLine: f.CommandLine, Version: f.Version, Snapshot: &aggregate.Snapshot{Version: aggregate.Version}}
	s := a.Snapshot
	for _, kind := range slices.Sorted(maps.Keys(f.ByOp)) {
		stats := f.ByOp[kind]
		if stats == nil {
			continue
		}
		if l := stats.Throughput.length(); l > 0 {
			if s.Segment != 0 && s.Segment != l {
				return nil, fmt.Errorf("read aggregated recording: segments of %v and of %v (want one length)", s.Segment, l)
			}
			s.Segment = l
		}
		s.Groups = append(s.Groups, stats.group(op.Kind(kind)))
	}
	s.Segment = cmp.Or(s.Segment, time.Second)
	if len(s.Groups) > 1 && f.Total != nil {
		s.Totals = append(s.Totals, f.Total.group(""))
	}
	s.Finish()
	a.Warnings = f.warnings(s)
	return a, nil
}

// warnings describes the limits of the figures.
func (f *file) warnings(s *aggregate.Snapshot) []string {
	w := []string{"this recording has totals, not operations: its percentiles are averages over spans of 10 s, and only approximate"}
	if slices.ContainsFunc(s.Groups, func(g *aggregate.Group) bool { return len(g.Hosts)+len(g.Clients) > 2 }) {
		w = append(w, "figures by host and by client are averages of the whole run, including warm-up")
	}
	for _, g := range s.Groups {
		if g.Errors > 0 {
			w = append(w, g.Name()+": throughput includes failed operations")
		}
	}
	if f.V == 1 {
		for _, g := range s.Groups {
			if g.MaxObjects > 1 {
				w = append(w, fmt.Sprintf("%s: segments of this version of the file count operations instead of objects", g.Name()))
			}
		}
	}
	if !f.Final {
		w = append(w, "the recording was written before the end of the run")
	}
	return w
}
