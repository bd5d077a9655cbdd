package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"warp/pkg/op"
	"warp/pkg/units"
)

// hsbenchTests are the modes of hsbench: letters of -m, and names of tests.
var hsbenchTests = map[string]struct{ letter, test string }{
	"BCLR":  {"c", "BUCKET CLEAR"},
	"BDEL":  {"x", "BUCKET DELETE"},
	"BINIT": {"i", "BUCKET INIT"},
	"PUT":   {"p", "OBJECT PUT"},
	"LIST":  {"l", "BUCKET LIST"},
	"GET":   {"g", "OBJECT GET"},
	"DEL":   {"d", "OBJECT DELETE"},
}

// hsbenchLog writes the lines that hsbench prints while it runs.
func hsbenchLog(w io.Writer, r *ToolRun) error {
	rows := hsbenchRows(r)
	if len(rows) == 0 {
		return nil
	}
	var b strings.Builder
	line := func(at time.Time, format string, args ...any) {
		fmt.Fprintf(&b, "%s %s\n", at.In(cmp.Or(r.Location, time.UTC)).Format("2006/01/02 15:04:05"), units.Line(fmt.Sprintf(format, args...)))
	}
	line(rows[0].from, "Hotsauce S3 Benchmark Version 0.1 (written by warp)")
	line(rows[0].from, "Parameters:")
	for _, p := range hsbenchParameters(r, rows) {
		line(rows[0].from, "%s", p)
	}
	begins := true
	for _, i := range rows {
		if begins {
			line(i.from, "Running Loop %d %s TEST", i.Loop, cmp.Or(hsbenchTests[i.Mode].test, "OBJECT "+i.Mode))
		}
		line(i.to, "Loop: %d, Int: %s, Dur(s): %.1f, Mode: %s, Ops: %d, MB/s: %.2f, IO/s: %.0f, "+
			"Lat(ms): [ min: %.1f, avg: %.1f, 99%%: %.1f, max: %.1f ], Slowdowns: %d",
			i.Loop, i.IntervalName, i.Seconds, i.Mode, i.Ops, i.Mbps, i.Iops, i.MinLat, i.AvgLat, i.NinetyNineLat, i.MaxLat, i.Slowdowns)
		begins = i.IntervalName == hsbenchTotal
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// hsbenchParameters returns the parameters of the tool that follow from a run and its plan; without a plan there are none.
func hsbenchParameters(r *ToolRun, rows []hsbenchRow) []string {
	if r.Plan == nil {
		return nil
	}
	var ph ToolPhase // what phases about objects have in common
	for _, e := range r.operations() {
		if p := r.phase(e.Phase); e.Kind != op.CreateBucket && e.Kind != op.DeleteBucket {
			ph.Threads, ph.Objects, ph.Buckets = max(ph.Threads, p.Threads), max(ph.Objects, p.Objects), max(ph.Buckets, p.Buckets)
			ph.Size, ph.Runtime, ph.Prefix = max(ph.Size, p.Size), max(ph.Runtime, p.Runtime), cmp.Or(ph.Prefix, p.Prefix)
		}
	}
	modes, loops := "", 0
	for _, i := range rows {
		loops = max(loops, i.Loop+1)
		if i.IntervalName == hsbenchTotal && i.Loop == 0 {
			modes += hsbenchTests[i.Mode].letter
		}
	}
	list := []string{"url=" + strings.Join(r.Plan.Hosts, ",")}
	objects := ph.Threads > 0
	add := func(known bool, name, value string) {
		if known {
			list = append(list, name+"="+value)
		}
	}
	prefix, numbered := hsbenchBucketPrefix(r.Plan.Bucket)
	add(objects, "object_prefix", ph.Prefix)
	add(numbered, "bucket_prefix", prefix)
	add(true, "region", r.Plan.Region)
	add(true, "modes", modes)
	add(objects, "object_count", hsbenchLimit(ph.Objects))
	add(objects, "bucket_count", strconv.Itoa(max(1, ph.Buckets)))
	add(objects, "duration", hsbenchLimit(uint64(ph.Runtime.Seconds())))
	add(objects, "threads", strconv.Itoa(ph.Threads))
	add(true, "loops", strconv.Itoa(loops))
	add(ph.Size > 0, "size", hsbenchSize(ph.Size))
	add(true, "interval", fmt.Sprintf("%f", r.Interval.Seconds()))
	return list
}

// hsbenchBucketPrefix returns what precedes the number in the name of a bucket; false: it has no number as the tool's have.
func hsbenchBucketPrefix(bucket string) (string, bool) {
	if prefix, ok := strings.CutSuffix(bucket, "{b:012}"); ok {
		return prefix, true
	}
	return strings.CutSuffix(bucket, strings.Repeat("0", 12))
}

// hsbenchLimit formats a limit the way hsbench does, with -1 for no limit.
func hsbenchLimit(n uint64) string {
	if n == 0 {
		return "-1"
	}
	return fmt.Sprint(n)
}

// hsbenchSize returns a size with the largest unit that it is a multiple of.
func hsbenchSize(n int64) string {
	unit := "B"
	for _, larger := range []string{"K", "M", "G", "T", "P", "E"} {
		if n%1024 != 0 {
			break
		}
		n, unit = n/1024, larger
	}
	return fmt.Sprintf("%d%s", n, unit)
}
