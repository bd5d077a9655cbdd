package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/op"
	"warp/pkg/units"
)

// hsbenchRow is a row of hsbench, under its own names in JSON.
type hsbenchRow struct {
	Loop          int
	IntervalName  string
	Seconds       float64
	Mode          string
	Ops           int64
	Mbps          float64
	Iops          float64
	MinLat        float64
	AvgLat        float64
	NinetyNineLat float64
	MaxLat        float64
	Slowdowns     int64

	from, to time.Time // of its operations
}

// hsbenchHead is the first line of its CSV, as that tool spells it.
var hsbenchHead = []string{
	"Loop", "Inteval", "Duration(s)", "Mode", "Ops", "MB/s", "IO/s",
	"Min Latency (ms)", "Avg Latency(ms)", "99% Latency(ms)", "Max Latency(ms)", "Slowdowns",
}

// hsbenchTotal is the name of the row of all operations of a kind.
const hsbenchTotal = "TOTAL"

// hsbenchRows returns a row for each complete interval of each kind, and one for all of its operations.
func hsbenchRows(r *ToolRun) []hsbenchRow {
	rows := []hsbenchRow{}
	kinds := r.operations()
	for _, e := range kinds {
		row := func(name string, from, to time.Time, i *aggregate.Interval) {
			h, seconds := i.Service, to.Sub(from).Seconds()
			line := hsbenchRow{
				Loop:         loopOf(e, kinds),
				IntervalName: name,
				Seconds:      seconds,
				Mode:         hsbenchMode(e),
				Ops:          i.Ops,
				Mbps:         units.Finite(float64(i.Bytes) / units.MiB / seconds),
				Iops:         units.Finite(float64(i.Ops) / seconds),
				Slowdowns:    i.Errors,
				from:         from,
				to:           to,
			}
			if h.Count() > 0 {
				line.MinLat, line.AvgLat, line.MaxLat = milliseconds(float64(h.Min())), milliseconds(h.Mean()), milliseconds(float64(h.Max()))
				line.NinetyNineLat = milliseconds(rankOf(h, 99))
			}
			rows = append(rows, line)
		}
		for i := range len(e.Intervals) - 1 {
			from := e.First.Add(time.Duration(i) * r.Interval)
			row(strconv.Itoa(i), from, from.Add(r.Interval), &e.Intervals[i])
		}
		row(hsbenchTotal, e.First, e.Last, &e.Total)
	}
	return rows
}

// loopOf returns the number of the loop, from 0, that a phase belongs to: its place in time among phases whose names differ only in
// the number at the end, as in a repeat of a scenario.
func loopOf(e *aggregate.Entire, kinds []*aggregate.Entire) (loop int) {
	for _, o := range kinds {
		if o.Kind == e.Kind && o.Phase != e.Phase && repeated(o.Phase) == repeated(e.Phase) && o.First.Before(e.First) {
			loop++
		}
	}
	return loop
}

// repeated returns the name of a phase without the number of its pass.
func repeated(phase string) string {
	base := strings.TrimRight(phase, "0123456789")
	if name, ok := strings.CutSuffix(base, "-"); ok && base != phase {
		return name
	}
	return phase
}

// hsbenchMode returns the name of a kind of operation. Deletions in a phase of that name clear buckets.
func hsbenchMode(e *aggregate.Entire) string {
	switch e.Kind {
	case op.Delete:
		if strings.HasPrefix(e.Phase, "BCLR") {
			return "BCLR"
		}
		return "DEL"
	case op.CreateBucket:
		return "BINIT"
	case op.DeleteBucket:
		return "BDEL"
	}
	return string(whole(e.Kind))
}

func hsbenchCSV(w io.Writer, rows []hsbenchRow) error {
	out := csv.NewWriter(w)
	_ = out.Write(hsbenchHead) // Flush keeps the error
	two := func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
	for _, r := range rows {
		_ = out.Write([]string{
			strconv.Itoa(r.Loop), tableText(r.IntervalName), two(r.Seconds), tableText(r.Mode),
			strconv.FormatInt(r.Ops, 10), two(r.Mbps), two(r.Iops),
			two(r.MinLat), two(r.AvgLat), two(r.NinetyNineLat), two(r.MaxLat), strconv.FormatInt(r.Slowdowns, 10),
		})
	}
	out.Flush()
	return out.Error()
}
