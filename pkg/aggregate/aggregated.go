package aggregate

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"

	"warp/pkg/op"
)

// maxAggregated is the greatest length of an aggregated recording's text, in bytes; an hour of a thousand clients fits.
const maxAggregated = 256 << 20

// Aggregated is an aggregated recording (.json.zst) of the established tool, which holds statistics instead of operations.
type Aggregated struct {
	// Snapshot has what is exact: requests, errors, and throughput with segments, taken from these. It has no histograms:
	// the times that the file has are in Approx of the groups. Figures of hosts and clients are averages of the whole run,
	// brought to the length of the window.
	Snapshot    *Snapshot
	CommandLine string
	Version     string   // of the program that wrote it
	Warnings    []string // what the file cannot say
}

// ReadAggregated reads an aggregated recording of the established tool, compressed or not.
//
// Faults of these files are put right: segments begin two seconds later than they say, the end of the throughput is the
// end of the last segment, and segments are ranked by bytes where bytes are moved.
func ReadAggregated(r io.Reader) (*Aggregated, error) {
	text, err := aggregatedText(r)
	if err != nil {
		return nil, fmt.Errorf("read aggregated recording: %w", err)
	}
	var f aggregatedFile
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("read aggregated recording: %w", err)
	}
	if f.V == 0 && len(f.Operations) > 0 {
		return nil, errors.New("read aggregated recording: it is a report of a version before 1.1, not a recording: analyze the .csv.zst of that run")
	}
	if len(f.ByOp) == 0 {
		return nil, errors.New("read aggregated recording: it holds no operations (by_op_type)")
	}
	return f.convert()
}

// aggregatedText is the text of an aggregated recording.
func aggregatedText(r io.Reader) ([]byte, error) {
	buf := bufio.NewReader(r)
	magic, _ := buf.Peek(4)
	src := io.Reader(buf)
	if bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		dec, err := zstd.NewReader(buf, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, err
		}
		defer dec.Close()
		src = dec
	}
	text, err := io.ReadAll(io.LimitReader(src, maxAggregated+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxAggregated:
		return nil, fmt.Errorf("it is longer than %d bytes", maxAggregated)
	}
	return text, nil
}

// convert makes a snapshot of the file.
func (f *aggregatedFile) convert() (*Aggregated, error) {
	a := &Aggregated{CommandLine: f.CommandLine, Version: f.Version, Snapshot: &Snapshot{Version: Version}}
	s := a.Snapshot
	for _, kind := range slices.Sorted(maps.Keys(f.ByOp)) {
		stats := f.ByOp[kind]
		if stats == nil {
			continue
		}
		if l := stats.Throughput.length(); l > 0 {
			if s.Segment != 0 && s.Segment != l {
				return nil, fmt.Errorf("read aggregated recording: segments of %v and of %v: they should be of one length", s.Segment, l)
			}
			s.Segment = l
		}
		s.Groups = append(s.Groups, stats.group(op.Kind(kind)))
	}
	s.Segment = cmp.Or(s.Segment, time.Second)
	if len(s.Groups) > 1 && f.Total != nil {
		s.Totals = append(s.Totals, f.Total.group(""))
	}
	s.finish()
	a.Warnings = f.warnings(s)
	return a, nil
}

// warnings says what the figures are not.
func (f *aggregatedFile) warnings(s *Snapshot) []string {
	w := []string{"this recording holds no operations: its percentiles are averages of the percentiles of 10 s spans, so they are approximate and cannot be made exact"}
	if len(s.Groups) > 0 && len(s.Groups[0].Hosts)+len(s.Groups[0].Clients) > 2 {
		w = append(w, "figures by host and by client are averages of the whole run, warm-up included")
	}
	for _, g := range s.Groups {
		if g.Errors > 0 {
			w = append(w, g.name()+": the throughput of such a recording counts failed operations as well")
		}
	}
	if f.V == 1 {
		for _, g := range s.Groups {
			if g.MaxObjects > 1 {
				w = append(w, fmt.Sprintf("%s: segments of this version of the file count operations where they should count objects", g.name()))
			}
		}
	}
	if !f.Final {
		w = append(w, "the recording was written before the run was over")
	}
	return w
}
