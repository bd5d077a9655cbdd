package report

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/units"
)

// csvColumns are the columns of CSV, in order: those of MinIO warp, then ours.
var csvColumns = []string{
	"index", "op", "host", "duration_s", "objects_per_op", "bytes", "full_ops", "partial_ops", "ops_started", "ops_ended",
	"errors", "mb_per_sec", "ops_ended_per_sec", "objs_per_sec", "start_time", "end_time", "latency_p50_ms", "latency_p99_ms",
	"errors_by_class",
}

// CSV writes a tab-separated table: a header, and a row for each segment of each kind of operation, in order of time.
// The column host names the host if there is only one. With perHost, rows of each host follow if there are several,
// provided that the snapshot has them (aggregate.Options.HostSegments); the latencies need SegmentTimes. Preparation is
// omitted: no column could distinguish its rows.
//
// bytes and objs_per_sec are shares: an operation counts in each segment by the part of its time in it. mb_per_sec is
// MiB/s, errors_by_class is like "503 SlowDown=3;timeout=1", latencies are of operations that ended in the segment; a percentile with too few samples is empty.
func CSV(w io.Writer, s *aggregate.Snapshot, perHost bool) error {
	out := bufio.NewWriter(w)
	row := func(fields []string) { fmt.Fprintln(out, strings.Join(fields, "\t")) }
	row(csvColumns)
	for _, g := range s.Groups {
		if isPreparation(g) {
			continue
		}
		host := ""
		if len(g.Hosts) == 1 {
			host = g.Hosts[0]
		}
		for i := range g.Segments {
			row(csvRow(g, host, &g.Segments[i], i, s.Segment))
		}
		if !perHost || len(g.ByHost) < 2 {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(g.ByHost)) {
			series := g.ByHost[name].Series
			for i := range series {
				row(csvRow(g, name, &series[i], i, s.Segment))
			}
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write segments as CSV: %w", err)
	}
	return nil
}

func csvRow(g *aggregate.Group, host string, seg *aggregate.Segment, i int, length time.Duration) []string {
	objects := float64(g.MaxObjects)
	if mean, _, ok := perOp(g); ok && g.MinObjects != g.MaxObjects {
		objects = mean
	}
	v := segmentRate(seg, length)
	start := segmentStart(g, i, length).UTC()
	return []string{
		strconv.Itoa(i),
		units.Line(string(g.Kind)),
		units.Line(host),
		csvNumber(length.Seconds()),
		csvNumber(objects),
		strconv.FormatFloat(units.Finite(math.Round(seg.Bytes)), 'f', 0, 64),
		strconv.FormatInt(seg.Full, 10),
		strconv.FormatInt(seg.Partial, 10),
		strconv.FormatInt(seg.Started, 10),
		strconv.FormatInt(seg.Ended, 10),
		strconv.FormatInt(seg.Errors, 10),
		csvNumber(v.bytes / units.MiB),
		csvNumber(v.ops),
		csvNumber(v.objects),
		start.Format(time.RFC3339Nano),
		start.Add(length).Format(time.RFC3339Nano),
		csvPercentile(seg.Latency, 50),
		csvPercentile(seg.Latency, 99),
		units.Line(classCounts(seg.ErrorsByClass, "%s=%d", ";", maxClasses*10)),
	}
}

// csvNumber formats v with at most six decimals.
func csvNumber(v float64) string {
	s := strconv.FormatFloat(units.Finite(v), 'f', 6, 64)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

func csvPercentile(h *hist.Histogram, p float64) string {
	v, enough := h.Percentile(p)
	if !enough {
		return ""
	}
	return csvNumber(milliseconds(float64(v)))
}
