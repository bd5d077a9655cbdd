package report

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/units"
)

// SeriesFormat is a format of time series.
type SeriesFormat string

// Formats of time series.
const (
	TSV       SeriesFormat = ".tsv" // a header and rows, separated by tabs
	CSV       SeriesFormat = ".csv" // likewise, by commas
	JSONLines SeriesFormat = ".jsonl"
)

// SeriesFormatOf returns the format that the extension of a file's name says, TSV without one, and whether there is such a format.
func SeriesFormatOf(path string) (f SeriesFormat, ok bool) {
	switch f = SeriesFormat(strings.ToLower(filepath.Ext(path))); f {
	case "":
		return TSV, true
	case TSV, CSV, JSONLines:
		return f, true
	}
	return "", false
}

// seriesRow is a segment of a kind of operation. Its fields are the columns, in order: first MinIO warp's, then ours, the newest last.
// Percentiles are of operations that started in the segment (by the classic rule: that ended in it); nil: there are too few.
// The last row of a kind, marked as the rest, is for operations outside of all segments, so that rows add up to all operations.
type seriesRow struct {
	Index    int              `json:"index"`
	Op       string           `json:"op"`
	Host     string           `json:"host"` // empty: all of several
	Duration float64          `json:"duration_s"`
	PerOp    float64          `json:"objects_per_op"`
	Bytes    int64            `json:"bytes"`
	Full     int64            `json:"full_ops"`
	Partial  int64            `json:"partial_ops"`
	Started  int64            `json:"ops_started"`
	Ended    int64            `json:"ops_ended"`
	Errors   int64            `json:"errors"`
	MiB      float64          `json:"mb_per_sec"`
	Ops      float64          `json:"ops_ended_per_sec"`
	Objects  float64          `json:"objs_per_sec"`
	Start    time.Time        `json:"start_time"`
	End      time.Time        `json:"end_time"`
	P50      *float64         `json:"latency_p50_ms,omitempty"`
	P99      *float64         `json:"latency_p99_ms,omitempty"`
	Classes  map[string]int64 `json:"errors_by_class,omitempty"`
	P90      *float64         `json:"latency_p90_ms,omitempty"`
	P999     *float64         `json:"latency_p99_9_ms,omitempty"`
	Max      *float64         `json:"latency_max_ms,omitempty"`
	TTFB50   *float64         `json:"ttfb_p50_ms,omitempty"`
	TTFB90   *float64         `json:"ttfb_p90_ms,omitempty"`
	TTFB99   *float64         `json:"ttfb_p99_ms,omitempty"`
	TTFB999  *float64         `json:"ttfb_p99_9_ms,omitempty"`
	TTFBMax  *float64         `json:"ttfb_max_ms,omitempty"`
	Phase    string           `json:"phase,omitempty"`
	Rest     bool             `json:"rest,omitempty"`
}

// Series writes a time series: a row for each segment of each kind of operation, in order of time, and one for the rest of the window.
// The column host names the host if there is only one. With perHost, rows of each host follow if there are several, provided that the
// snapshot has them (aggregate.Options.HostSegments); the times need SegmentTimes. Preparation is omitted.
//
// bytes and objs_per_sec are shares: an operation counts in each segment by the part of its time in it. mb_per_sec is
// MiB/s. In tables errors_by_class is like "503 SlowDown=3;timeout=1", and a figure that does not exist is empty.
func Series(w io.Writer, s *aggregate.Snapshot, format SeriesFormat, perHost bool) error {
	rows := seriesRows(s, perHost)
	var err error
	switch format {
	case JSONLines:
		err = writeLines(w, rows)
	case CSV:
		err = writeTable(w, ',', rows)
	default:
		err = writeTable(w, '\t', rows)
	}
	if err != nil {
		return fmt.Errorf("write time series: %w", err)
	}
	return nil
}

func writeLines(w io.Writer, rows []seriesRow) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for i := range rows {
		if err := enc.Encode(&rows[i]); err != nil {
			return err
		}
	}
	return out.Flush()
}

func writeTable(w io.Writer, comma rune, rows []seriesRow) error {
	out := csv.NewWriter(w)
	out.Comma = comma
	err := out.Write(seriesColumns())
	for i := range rows {
		if err != nil {
			return err
		}
		err = out.Write(rows[i].cells())
	}
	out.Flush()
	return out.Error()
}

// seriesColumns returns the names of the columns.
func seriesColumns() []string {
	row := reflect.TypeFor[seriesRow]()
	names := make([]string, row.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(row.Field(i).Tag.Get("json"), ",")
	}
	return names
}

// cells returns the row as text.
func (r *seriesRow) cells() []string {
	fields := reflect.ValueOf(r).Elem()
	list := make([]string, fields.NumField())
	for i := range list {
		switch v := fields.Field(i).Interface().(type) {
		case bool:
			if v {
				list[i] = "true"
			}
		case string:
			list[i] = tableText(v)
		case float64:
			list[i] = seriesNumber(v)
		case *float64:
			if v != nil {
				list[i] = seriesNumber(*v)
			}
		case time.Time:
			list[i] = v.Format(time.RFC3339Nano)
		case map[string]int64:
			list[i] = tableText(classCounts(v, "%s=%d", ";", maxClasses*10))
		default:
			list[i] = fmt.Sprint(v)
		}
	}
	return list
}

// seriesNumber formats v with at most six decimals.
func seriesNumber(v float64) string {
	s := strconv.FormatFloat(v, 'f', 6, 64)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// seriesRows returns the rows of a time series.
func seriesRows(s *aggregate.Snapshot, perHost bool) (rows []seriesRow) {
	for _, g := range s.Groups {
		if isPreparation(g) {
			continue
		}
		host := ""
		if len(g.Hosts) == 1 {
			host = g.Hosts[0]
		}
		rows = appendSegments(rows, g, host, g.Segments, &g.Rest, s.Segment)
		if !perHost || len(g.ByHost) < 2 {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(g.ByHost)) {
			rows = appendSegments(rows, g, name, g.ByHost[name].Series, g.ByHost[name].Rest, s.Segment)
		}
	}
	return rows
}

// appendSegments appends a row for each segment, and one for the rest unless that is empty; rest may be nil.
func appendSegments(
	rows []seriesRow, g *aggregate.Group, host string, segments []aggregate.Segment, rest *aggregate.Segment, length time.Duration,
) []seriesRow {
	for i := range segments {
		rows = append(rows, seriesRowOf(g, host, &segments[i], i, length))
	}
	if rest != nil && rest.Started+rest.Ended+rest.Errors > 0 {
		rows = append(rows, restOf(g, host, rest, length))
	}
	return rows
}

func seriesRowOf(g *aggregate.Group, host string, seg *aggregate.Segment, i int, length time.Duration) seriesRow {
	objects := float64(g.MaxObjects)
	if mean, _, ok := perOp(g); ok && g.MinObjects != g.MaxObjects {
		objects = mean
	}
	v := segmentRate(seg, length)
	start := segmentStart(g, i, length).UTC()
	return seriesRow{
		Index:    i,
		Op:       string(g.Kind),
		Host:     host,
		Phase:    g.Phase,
		Duration: length.Seconds(),
		Start:    start,
		End:      start.Add(length),
		PerOp:    units.Finite(objects),
		Bytes:    int64(units.Finite(math.Round(seg.Bytes))),
		Full:     seg.Full,
		Partial:  seg.Partial,
		Started:  seg.Started,
		Ended:    seg.Ended,
		Errors:   seg.Errors,
		Classes:  seg.ErrorsByClass,
		MiB:      units.Finite(v.bytes / units.MiB),
		Ops:      units.Finite(v.ops),
		Objects:  units.Finite(v.objects),
		P50:      percentileOf(seg.Latency, 50),
		P90:      percentileOf(seg.Latency, 90),
		P99:      percentileOf(seg.Latency, 99),
		P999:     percentileOf(seg.Latency, 99.9),
		Max:      longestOf(seg.Latency),
		TTFB50:   percentileOf(seg.TTFB, 50),
		TTFB90:   percentileOf(seg.TTFB, 90),
		TTFB99:   percentileOf(seg.TTFB, 99),
		TTFB999:  percentileOf(seg.TTFB, 99.9),
		TTFBMax:  longestOf(seg.TTFB),
	}
}

// restOf returns the row of the rest outside of whole segments. It lasts as long as the operations ran apart from the segments, so that its
// rates are averages over that time.
func restOf(g *aggregate.Group, host string, rest *aggregate.Segment, length time.Duration) seriesRow {
	outside := max(0, g.Last.Sub(g.First)-time.Duration(len(g.Segments))*length)
	row := seriesRowOf(g, host, rest, -1, outside)
	row.Start, row.End, row.Rest = g.First.UTC(), g.Last.UTC(), true
	return row
}

// longestOf returns the longest time in milliseconds; nil if there are none.
func longestOf(h *hist.Histogram) *float64 {
	if h.Count() == 0 {
		return nil
	}
	ms := milliseconds(float64(h.Max()))
	return &ms
}
