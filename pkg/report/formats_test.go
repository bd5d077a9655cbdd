package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"warp/internal/testkit"
	"warp/pkg/aggregate"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// toolRun is ops as other tools report on them.
func toolRun(t *testing.T, plan *ToolPlan, ops []op.Op) *ToolRun {
	t.Helper()
	var b bytes.Buffer
	w, err := recording.NewWriter(&b, recording.Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(ops), w.Close()); err != nil {
		t.Fatal(err)
	}
	in := recording.Input{Name: "a", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }}
	kinds, interval, err := aggregate.AnalyzeEntire(aggregate.Options{}, in)
	if err != nil {
		t.Fatal(err)
	}
	return &ToolRun{Kinds: kinds, Interval: interval, Plan: plan}
}

// as is the text of a format.
func as(t *testing.T, format string, json bool, r *ToolRun) string {
	t.Helper()
	var b bytes.Buffer
	if err := As(&b, format, json, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// toolOp is an operation of a phase from one second to another.
func toolOp(phase string, kind op.Kind, thread int, start, end float64, size int64) op.Op {
	at := func(s float64) time.Time { return began.Add(time.Duration(math.Round(s * 1e9))) }
	o := op.Op{
		Phase: phase, Kind: kind, Client: "c", Thread: uint32(thread), Start: at(start), End: at(end), Bytes: size, Objects: 1, Status: 200, Endpoint: "http://h", Key: "k",
	}
	if kind == op.Get {
		o.FirstByte = at(start + (end-start)*0.8)
	}
	return o
}

// twoPhases is a run whose phases have operations before, after and during what would be an active window, errors, and a kind too short for one.
func twoPhases() []op.Op {
	random := rand.New(rand.NewPCG(7, 7))
	var ops []op.Op
	for thread := range 4 {
		for at := 0.0; at < 3.2; {
			d := 0.01 + random.ExpFloat64()*0.02
			ops = append(ops, toolOp("put", op.Put, thread, at, at+d, 20_000))
			at += d
		}
	}
	for thread := range 7 {
		for at := float64(thread) * 0.5; at < 6.3-float64(thread)*0.3; {
			d := 0.002 + random.ExpFloat64()*0.03
			o := toolOp("get", op.Get, thread, 10+at, 10+at+d, 20_000)
			if random.IntN(20) == 0 {
				o.Err, o.Status, o.Bytes = "503 SlowDown: Please reduce your request rate.", 503, 0
			}
			ops = append(ops, o)
			at += d
		}
	}
	ops = append(ops, toolOp("get", op.Get, 7, 10.5, 16.9, 20_000)) // hangs
	for i := range 30 {
		ops = append(ops, toolOp("delete", op.Delete, i, 20, 20.01+float64(i)*0.001, 0))
	}
	ops = append(ops, toolOp(op.PhasePrepare, op.Put, 0, -5, -4, 20_000))
	return ops
}

// refPart is what ended within a time, by its operations.
type refPart struct {
	ops, errors int
	bytes       int64
	seconds     []float64 // ascending
	ttfb        []float64
}

// refOf returns what ended after from and until to.
func refOf(ops []op.Op, from, to time.Time) (p refPart) {
	for _, o := range ops {
		switch {
		case !o.End.After(from) || o.End.After(to):
		case o.Failed():
			p.errors++
		default:
			p.ops, p.bytes = p.ops+1, p.bytes+o.Bytes
			p.seconds = append(p.seconds, o.End.Sub(o.Start).Seconds())
			if o.Kind == op.Get {
				p.ttfb = append(p.ttfb, o.FirstByte.Sub(o.Start).Seconds())
			}
		}
	}
	slices.Sort(p.seconds)
	slices.Sort(p.ttfb)
	return p
}

// refRank is a percentile; p 0 is the smallest, 100 the largest.
func refRank(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(max(int(math.Ceil(p/100*float64(len(sorted))-1e-9)), 1), len(sorted))-1]
}

func mean(list []float64) (sum float64) {
	for _, v := range list {
		sum += v / float64(len(list))
	}
	return sum
}

// refPhase returns the operations of a phase, its first start and its last end.
func refPhase(ops []op.Op, phase string) (mine []op.Op, first, last time.Time) {
	for _, o := range ops {
		if o.Phase != phase {
			continue
		}
		mine = append(mine, o)
		if first.IsZero() || o.Start.Before(first) {
			first = o.Start
		}
		if o.End.After(last) {
			last = o.End
		}
	}
	return mine, first, last
}

// figure compares a printed figure, which may be rounded to some decimals, with the true one; percentiles come from histograms.
func figure(t *testing.T, what string, got, want, rounding float64) {
	t.Helper()
	if math.Abs(got-want) > rounding+0.008*math.Abs(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Each figure of the rows of hsbench follows from the operations of the run.
func TestHsbenchFigures(t *testing.T) {
	ops := twoPhases()
	run := toolRun(t, nil, ops)
	run.Kinds = slices.DeleteFunc(run.Kinds, func(e *aggregate.Entire) bool { return e.Phase == op.PhasePrepare })
	var rows []hsbenchRow
	if err := json.Unmarshal([]byte(as(t, "hsbench", true, run)), &rows); err != nil {
		t.Fatal(err)
	}
	totals := map[string]bool{}
	for _, r := range rows {
		phase := map[string]string{"PUT": "put", "GET": "get", "DEL": "delete"}[r.Mode]
		mine, first, last := refPhase(ops, phase)
		from, to := first, last
		if r.IntervalName != "TOTAL" {
			i, _ := strconv.Atoi(r.IntervalName)
			from, to = first.Add(time.Duration(i)*time.Second), first.Add(time.Duration(i+1)*time.Second)
		}
		totals[r.Mode] = totals[r.Mode] || r.IntervalName == "TOTAL"
		want, d, what := refOf(mine, from, to), to.Sub(from).Seconds(), r.Mode+" "+r.IntervalName
		if r.Ops != int64(want.ops) || r.Slowdowns != int64(want.errors) {
			t.Errorf("%s: %d operations and %d slowdowns, want %d and %d", what, r.Ops, r.Slowdowns, want.ops, want.errors)
		}
		figure(t, what, r.Seconds, d, 1e-9)
		figure(t, what, r.Mbps, float64(want.bytes)/(1<<20)/d, 1e-9)
		figure(t, what, r.Iops, float64(want.ops)/d, 1e-9)
		figure(t, what, r.MinLat, refRank(want.seconds, 0)*1000, 1e-6)
		figure(t, what, r.MaxLat, refRank(want.seconds, 100)*1000, 1e-6)
		figure(t, what, r.AvgLat, mean(want.seconds)*1000, 1e-6)
		figure(t, what, r.NinetyNineLat, refRank(want.seconds, 99)*1000, 1e-6)
	}
	if len(totals) != 3 || len(rows) != 3+3+6 {
		t.Errorf("%d rows, totals of %v", len(rows), totals)
	}
}

// Each figure of the tables of object-store-bench follows from the operations of the run: what is cumulative, and what is of the last interval.
func TestOSBFigures(t *testing.T) {
	ops := twoPhases()
	run := toolRun(t, &ToolPlan{Phases: []ToolPhase{{Name: "get", Runtime: 6 * time.Second}}}, ops)
	for phase, wantRows := range map[string]int{"put": 4, "get": 6, "delete": 1} {
		mine, first, last := refPhase(ops, phase)
		text := as(t, "osb", false, run)
		_, text, _ = strings.Cut(text, "Starting script statement: "+phase)
		text, _, _ = strings.Cut(text, "Statement finished: ")
		rows := regexp.MustCompile(`(?m)^ +(FINAL|[0-9.]*s?) +\| +[0-9].*$`).FindAllString(text, -1)
		if len(rows) != wantRows {
			t.Fatalf("%s: %d rows, want %d:\n%s", phase, len(rows), wantRows, text)
		}
		for i, row := range rows {
			cells := strings.FieldsFunc(row, func(r rune) bool { return r == '|' || r == '‖' })
			for k := range cells {
				cells[k] = strings.TrimSpace(cells[k])
			}
			from, to := first.Add(time.Duration(i)*time.Second), first.Add(time.Duration(i+1)*time.Second)
			name := ""
			if phase == "get" {
				name = fmt.Sprintf("%ds", 6-i-1)
			}
			if i == len(rows)-1 {
				to, name = last, "FINAL"
			}
			sum, interval, what := refOf(mine, first, to), refOf(mine, from, to), phase+" "+name
			number := func(i int) float64 {
				v, err := strconv.ParseFloat(cells[i], 64)
				if err != nil {
					t.Errorf("%s: column %d: %v", what, i, err)
				}
				return v
			}
			if cells[0] != name || int(number(1)) != sum.ops || int(number(20)) != interval.ops+interval.errors {
				t.Errorf("%s: %s: count %s, requests %s, want %d and %d", what, cells[0], cells[1], cells[20], sum.ops, interval.ops+interval.errors)
			}
			for k, p := range []float64{-1, 100, 99.9, 99, 98, 95, 90, 50} {
				duration, ttfb := refRank(sum.seconds, p), refRank(sum.ttfb, p)
				if p < 0 {
					duration, ttfb = mean(sum.seconds), mean(sum.ttfb)
				}
				figure(t, what, number(2+k), duration*1000, 0.005)
				figure(t, what, number(10+k), ttfb*1000, 0.005)
			}
			size := fmt.Sprintf("%.1fkB", float64(interval.bytes)/1024)
			switch {
			case interval.bytes >= 1<<20:
				size = fmt.Sprintf("%.1fMB", float64(interval.bytes)/(1<<20))
			case interval.bytes == 0:
				size = "0B"
			}
			if errs := cells[21]; cells[19] != size || sum.errors > 0 && errs != fmt.Sprintf("503:%d", sum.errors) || sum.errors == 0 && errs != "" {
				t.Errorf("%s: %s, errors %q, want %s and %d", what, cells[19], errs, size, sum.errors)
			}
			if want := underWay(mine, from, to); int(number(18)) != want {
				t.Errorf("%s: %s in flight, want %d", what, cells[18], want)
			}
		}
	}
}

// underWay is the greatest number of operations in flight at once from one time up to another.
func underWay(ops []op.Op, from, to time.Time) (most int) {
	times := []time.Time{from}
	for _, o := range ops {
		if o.Start.After(from) && o.Start.Before(to) {
			times = append(times, o.Start)
		}
	}
	for _, at := range times {
		n := 0
		for _, o := range ops {
			if !o.Start.After(at) && o.End.After(at) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// Each figure of the result blocks of s3bench follows from the operations of the run; what it has no block for is named.
func TestS3benchFigures(t *testing.T) {
	ops := twoPhases()
	run := toolRun(t, nil, ops)
	run.Kinds = slices.DeleteFunc(run.Kinds, func(e *aggregate.Entire) bool { return e.Phase == op.PhasePrepare })
	text := as(t, "s3bench", false, run)
	if !strings.HasPrefix(text, "Running Write test...\nRunning Read test...\nResults Summary for Write Operation(s)\n") {
		t.Errorf("the report begins with %q", strings.SplitN(text, "\n", 4)[:3])
	}
	for phase, name := range map[string]string{"put": "Write", "get": "Read"} {
		mine, first, last := refPhase(ops, phase)
		want, d := refOf(mine, first, last), last.Sub(first).Seconds()
		_, block, _ := strings.Cut(text, "Results Summary for "+name+" Operation(s)\n")
		for _, c := range []struct {
			label          string
			want, rounding float64
		}{
			{"Total Transferred", float64(want.bytes) / (1 << 20), 0.0005},
			{"Total Throughput", float64(want.bytes) / (1 << 20) / d, 0.005},
			{"Ops/sec", float64(want.ops) / d, 0.005},
			{"Total Duration", d, 0.0005},
			{"Number of Errors", float64(want.errors), 0},
			{name + " times Max", refRank(want.seconds, 100), 0.00005},
			{name + " times 99th %ile", refRank(want.seconds, 99), 0.00005},
			{name + " times 90th %ile", refRank(want.seconds, 90), 0.00005},
			{name + " times 75th %ile", refRank(want.seconds, 75), 0.00005},
			{name + " times 50th %ile", refRank(want.seconds, 50), 0.00005},
			{name + " times 25th %ile", refRank(want.seconds, 25), 0.00005},
			{name + " times Min", refRank(want.seconds, 0), 0.00005},
		} {
			m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(c.label) + `: +([0-9.]+)`).FindStringSubmatch(block)
			if m == nil {
				t.Errorf("%s has no %s", name, c.label)
				continue
			}
			got, _ := strconv.ParseFloat(m[1], 64)
			figure(t, name+" "+c.label, got, c.want, c.rounding)
		}
	}
	if left := LeftOut("s3bench", run); !slices.Equal(left, []string{"DELETE"}) {
		t.Errorf("left out: %v", left)
	}
}

// Each request has a line, in the order of their ends, if it is asked for; the throughput of the last one is that of the test. Requests that
// are too many are said to be missing.
func TestS3benchRequests(t *testing.T) {
	ops := []op.Op{
		toolOp("write", op.Put, 0, 0, 2, 1<<20), toolOp("write", op.Put, 1, 0, 1, 1<<20), toolOp("read", op.Get, 0, 5, 6, 1<<20), toolOp("read", op.Get, 1, 5, 7, 0),
	}
	ops[3].Err = "404 NoSuchKey: \x1b[2J"
	run := toolRun(t, nil, ops)
	run.Verbose = true
	for i := range ops {
		run.Add(&ops[i])
	}
	text := as(t, "s3bench", false, run)
	want := "Running Write test...\nWrite 1/2: k: 1048576 bytes in 1.0000 s, average 1.00 MB/s\nWrite 2/2: k: 1048576 bytes in 2.0000 s, average 1.00 MB/s\n" +
		"Running Read test...\nRead 1/2: k: 1048576 bytes in 1.0000 s, average 1.00 MB/s\nRead 2/2: k: 404 NoSuchKey:  [2J in 2.0000 s, average 0.50 MB/s\n"
	if !strings.HasPrefix(text, want) {
		t.Errorf("%s\nwant %s", text, want)
	}
	for range maxRequests {
		run.Add(&ops[0])
	}
	if text := as(t, "s3bench", false, run); !strings.Contains(text, "\n4 requests of all tests are not printed") {
		t.Error("requests are missing, and nothing says so")
	}
}

// A transfer in parts is one operation, ranges have their name, and kinds with other labels are one.
func TestToolOperations(t *testing.T) {
	var ops []op.Op
	for i := range 6 {
		at := float64(i)
		ops = append(ops, toolOp("write", op.CreateUpload, 0, at, at+0.1, 0), toolOp("write", op.PutPart, 0, at+0.1, at+0.4, 6<<20), toolOp("write", op.PutPart, 1, at+0.1, at+0.5, 6<<20),
			toolOp("write", op.CompleteUpload, 0, at+0.5, at+0.6, 0), toolOp("write", op.MultipartPut, 0, at, at+0.6, 12<<20),
			toolOp("ranges", op.Get, 0, 10+at, 10.2+at, 1024), toolOp("ranges", op.Get.Attempts(), 0, 10+at, 10.2+at, 1024))
	}
	run := toolRun(t, &ToolPlan{Hosts: []string{"http://h"}, Phases: []ToolPhase{{Name: "ranges", Ranges: true}}}, ops)
	text := as(t, "s3bench", false, run)
	for _, want := range []string{
		"Running Write test...\nRunning Ranged-Read test...\n", "Summary for Write Operation(s)\nTotal Transferred: 72.000 MB\n", "\nWrite times 25th %ile: 0.6", "\nRanged-Read times Min:       0.2000 s\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "Results Summary"); n != 2 || LeftOut("s3bench", run) != nil {
		t.Errorf("%d blocks, left out %v", n, LeftOut("s3bench", run))
	}
	if rows := hsbenchRows(run); len(rows) != 5+1+5+1 || rows[5].Mode != "PUT" || rows[5].Ops != 6 {
		t.Errorf("rows of hsbench: %+v", rows)
	}
}

// Rows of hsbench have the number of their loop, if the phases of a run are repeated.
func TestLoops(t *testing.T) {
	var kinds []*aggregate.Entire
	for i, phase := range []string{"PUT-1", "GET-1", "PUT-2", "GET-2", "PUT-10", "GET", "LIST-3"} {
		e := &aggregate.Entire{Phase: phase, Kind: "GET", First: began.Add(time.Duration(i) * time.Second)}
		if phase[0] == 'P' {
			e.Kind = "PUT"
		}
		kinds = append(kinds, e)
	}
	for i, want := range []int{0, 0, 1, 1, 2, 2, 0} {
		if got := loopOf(kinds[i], kinds); got != want {
			t.Errorf("%s belongs to loop %d, want %d", kinds[i].Phase, got, want)
		}
	}
}

// seed is what the manual of a tool prints of a run.
func seed(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/seeds/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// hsbenchLine is a row as the manual of hsbench prints it.
var hsbenchLine = regexp.MustCompile(`Int: (\w+), Dur\(s\): ([0-9.]+), Mode: (\w+), Ops: (\d+), MB/s: ([0-9.]+), IO/s: (\d+), Lat\(ms\): \[ min: ([0-9.]+), avg: ([0-9.]+), 99%: ([0-9.]+), max: ([0-9.]+) \]`)

// modeOps are operations of a mode that give the rows of the manual: numbers per interval, the length, and the latencies. What is not in the manual
// is chosen so that these are right.
func modeOps(phase string, kind op.Kind, rows [][]string, begin float64) (ops []op.Op) {
	number := func(text string) float64 { v, _ := strconv.ParseFloat(text, 64); return v }
	total := rows[len(rows)-1]
	n, length := int(number(total[4])), number(total[4])/number(total[6])
	size := int64(4096)
	if kind != op.Put && kind != op.Get {
		size = 0
	}
	block := func(row []string, n int, from, to float64) {
		low, avg, p99, high := number(row[7])/1000, number(row[8])/1000, number(row[9])/1000, number(row[10])/1000
		slow := n - int(math.Ceil(0.99*float64(n)))
		filler := (avg*float64(n) - low - high - float64(slow)*p99) / float64(n-2-slow)
		for i := range n {
			d := min(max(filler, low), p99)
			switch {
			case i == 0:
				d = low
			case i == n-1:
				d = high
			case i <= slow:
				d = p99
			}
			end := to - float64(n-1-i)*(to-from)/float64(n)*0.8
			if len(rows) == 1 {
				end = to
			}
			if len(ops) == 0 {
				end = begin + d
			}
			ops = append(ops, toolOp(phase, kind, i%10, end-d, end, size))
		}
	}
	for i, row := range rows[:len(rows)-1] {
		count := int(number(row[4]))
		n -= count
		block(row, count, begin+float64(i), begin+float64(i+1))
	}
	block(total, n, begin+float64(len(rows)-1)+max(0, length-float64(len(rows)-1))*0.1, begin+length)
	return ops
}

// The run of hsbench's manual has the rows of the manual, figure by figure, but for what only its own operations could say: percentiles of the
// whole run, and MB/s of deletions, which are 0 here. Its GET took 37 ms more than until the end of its last operation.
func TestHsbenchSeed(t *testing.T) {
	byMode := map[string][][]string{}
	var order []string
	lines := hsbenchLine.FindAllStringSubmatch(seed(t, "hsbench.txt"), -1)
	for _, m := range lines {
		if byMode[m[3]] == nil {
			order = append(order, m[3])
		}
		byMode[m[3]] = append(byMode[m[3]], m)
	}
	kinds := map[string]op.Kind{"BINIT": op.CreateBucket, "PUT": op.Put, "GET": op.Get, "DEL": op.Delete, "BDEL": op.DeleteBucket}
	var ops []op.Op
	for i, mode := range order {
		ops = append(ops, modeOps(mode, kinds[mode], byMode[mode], float64(20*i))...)
	}
	plan := &ToolPlan{Bucket: "hotsauce_bench{b:012}", Region: "us-east-1", Hosts: []string{"http://127.0.0.1:7480"}}
	for _, name := range order {
		plan.Phases = append(plan.Phases, ToolPhase{Name: name, Threads: 10, Buckets: 10, Size: 4096, Runtime: 10 * time.Second})
	}
	run := toolRun(t, plan, ops)
	hsbenchLogSeed(t, as(t, "hsbench-log", false, run))
	rows := hsbenchRows(run)
	if len(rows) != len(lines) || len(rows) < 30 {
		t.Fatalf("%d rows, want %d", len(rows), len(lines))
	}
	for i, m := range lines {
		r := rows[i]
		mbps := fmt.Sprintf("%.2f", r.Mbps)
		if r.Mode == "GET" && r.IntervalName == "TOTAL" {
			r.Iops *= 10.0016 / 10.0376
			mbps = fmt.Sprintf("%.2f", r.Mbps*10.0016/10.0376)
		}
		if r.Mode == "DEL" && r.Mbps == 0 {
			mbps = m[5]
		}
		got := []string{r.IntervalName, fmt.Sprintf("%.1f", r.Seconds), r.Mode, fmt.Sprint(r.Ops), mbps, fmt.Sprintf("%.0f", r.Iops), fmt.Sprintf("%.1f", r.MinLat), fmt.Sprintf("%.1f", r.MaxLat)}
		want := []string{m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[10]}
		if !slices.Equal(got, want) {
			t.Errorf("row %v, want %v", got, want)
		}
		if avg, _ := strconv.ParseFloat(m[8], 64); math.Abs(r.AvgLat-avg) > 0.11 {
			t.Errorf("%v: average %.3f, want %s", want, r.AvgLat, m[8])
		}
		if p99, _ := strconv.ParseFloat(m[9], 64); r.IntervalName != "TOTAL" && math.Abs(r.NinetyNineLat-p99) > 0.05 {
			t.Errorf("%v: 99%% %.3f, want %s", want, r.NinetyNineLat, m[9])
		}
	}
	testkit.Golden(t, "testdata/seed.hsbench", as(t, "hsbench", false, run))
}

// hsbenchLogSeed checks the lines of the manual's run: their form, their order, and what they are about. What is only in the manual is the
// version, what was asked for in addition to what was run, and tests that did nothing.
func hsbenchLogSeed(t *testing.T, text string) {
	t.Helper()
	clock := regexp.MustCompile(`^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d `)
	figures := regexp.MustCompile(`[0-9.]+`)
	var got, want []string
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if !clock.MatchString(line) {
			t.Errorf("%q has no time", line)
		}
		got = append(got, clock.ReplaceAllString(line, ""))
	}
	want = append(want, "Hotsauce S3 Benchmark Version 0.1 (written by warp)", "Parameters:", "url=http://127.0.0.1:7480", "object_prefix=",
		"bucket_prefix=hotsauce_bench", "region=us-east-1", "modes=ipgdx", "object_count=-1", "bucket_count=10", "duration=10", "threads=10",
		"loops=1", "size=4K", "interval=1.000000")
	tests := map[string]string{"BINIT": "BUCKET INIT", "PUT": "OBJECT PUT", "GET": "OBJECT GET", "DEL": "OBJECT DELETE", "BDEL": "BUCKET DELETE"}
	mode := ""
	for _, line := range strings.Split(strings.TrimRight(seed(t, "hsbench.txt"), "\n"), "\n") {
		if m := hsbenchLine.FindStringSubmatch(line); m[3] != mode {
			mode = m[3]
			want = append(want, "Running Loop 0 "+tests[mode]+" TEST")
		}
		want = append(want, line)
	}
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(got), len(want), text)
	}
	for i := range got {
		if strings.HasPrefix(want[i], "Loop: ") {
			decimals := func(s string) string {
				return figures.ReplaceAllStringFunc(s, func(n string) string {
					_, rest, _ := strings.Cut(n, ".")
					return fmt.Sprintf("<%d decimals>", len(rest))
				})
			}
			got[i], want[i] = decimals(got[i]), decimals(want[i])
		}
		if got[i] != want[i] {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
}

// The run of s3bench's manual has its blocks, but for roundings of percentiles.
func TestS3benchSeed(t *testing.T) {
	var ops []op.Op
	test := func(phase string, kind op.Kind, begin, length float64, ranks map[int]float64) {
		values := make([]float64, 1000)
		last := 0
		for _, rank := range []int{1, 250, 500, 750, 900, 999, 1000} {
			for ; last < rank; last++ {
				values[last] = ranks[rank]
			}
		}
		for i, d := range values {
			end := begin + length
			if i == 0 {
				end = begin + d
			}
			ops = append(ops, toolOp(phase, kind, i, end-d, end, 100<<20))
		}
	}
	test("write", op.Put, 0, 23.53815, map[int]float64{1: 0.3677, 250: 0.9137, 500: 1.8921, 750: 2.2856, 900: 2.5406, 999: 2.7422, 1000: 2.9262})
	test("read", op.Get, 30, 9.47482, map[int]float64{1: 0.1365, 250: 0.4691, 500: 0.7914, 750: 0.9415, 900: 1.0935, 999: 1.5404, 1000: 1.8492})
	plan := &ToolPlan{Bucket: "selab-cb9-c3"}
	for i := range 8 {
		plan.Hosts = append(plan.Hosts, fmt.Sprintf("http://172.200.3.%d", i+1))
	}
	plan.Phases = []ToolPhase{{Name: "write", Threads: 80, Requests: 1000, Objects: 1000, Size: 100 << 20, Prefix: "selab-cb9-c3_loadgen_test/", Batch: 1000}}
	got := strings.Split(strings.TrimRight(as(t, "s3bench", false, toolRun(t, plan, ops)), "\n"), "\n")
	want := strings.Split(strings.TrimRight(seed(t, "s3bench.txt"), "\n"), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for i := range got {
		label, _, percentile := strings.Cut(want[i], "%ile: ")
		if !percentile {
			if got[i] != want[i] {
				t.Errorf("%q, want %q", got[i], want[i])
			}
			continue
		}
		var g, w float64
		if n, err := fmt.Sscanf(strings.TrimPrefix(got[i], label), "%%ile: %f s", &g); n != 1 {
			t.Errorf("%q, want %q: %v", got[i], want[i], err)
		}
		_, _ = fmt.Sscanf(strings.TrimPrefix(want[i], label), "%%ile: %f s", &w)
		testkit.Near(t, want[i], g, w, 0.001)
	}
}

// The run of object-store-bench's manual has its lines: all columns have the same width, and those other than times the same figures.
func TestOSBSeed(t *testing.T) {
	var ops []op.Op
	for i := range 100 {
		at := float64(i/5) * 0.045
		ops = append(ops, toolOp("put", op.Put, i%5, at, at+0.04459, 2<<20), toolOp("delete", op.Delete, i, 100, 100.02+float64(i)*0.0001, 0))
	}
	for i := range 601 {
		ops = append(ops, toolOp("get", op.Get, i, 10+float64(i)*0.1, 10+float64(i)*0.1+0.00226, 2<<20))
	}
	naming := "5c958dcc14655febb1c649508f8c43036ed482d2ddbe50f212ac70a8dea29630"
	plan := &ToolPlan{Phases: []ToolPhase{
		{Name: "put", Statement: "PUT 100 OBJECTS MAX 5 CONCURRENT OF SIZE 2 MB", Naming: "CONSTANT PREFIX", Seeds: []string{naming}},
		{Name: "get", Statement: "GET 5 OBJECTS AT RATE 10 PER SECOND RUNTIME 1 MINUTE", Runtime: time.Minute},
		{Name: "delete", Statement: "DELETE"},
	}}
	text := as(t, "osb", false, toolRun(t, plan, ops))
	testkit.Golden(t, "testdata/seed.osb", text)
	_, text, _ = strings.Cut(text, "Starting script")
	got := strings.Split("Starting script"+text, "\n")
	next := 0
	for _, want := range strings.Split(strings.TrimRight(seed(t, "osb.txt"), "\n"), "\n") {
		if want == "... " { // rows that the manual leaves out
			for !strings.HasPrefix(got[next], "      2s |") {
				next++
			}
			continue
		}
		if !sameColumns(got[next], want) {
			t.Errorf("%q, want %q", got[next], want)
		}
		next++
	}
	for _, line := range got[next:] {
		if line != "" {
			t.Errorf("one more line: %q", line)
		}
	}
}

// sameColumns reports whether two lines are equal but for the figures of times, whose columns must be equally wide.
func sameColumns(got, want string) bool {
	split := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return r == '|' || r == '‖' })
	}
	a, b := split(got), split(want)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		times := strings.Contains(b[i], ".") && !strings.Contains(b[i], "B")
		if !times && a[i] != b[i] || utf8.RuneCountInString(a[i]) != utf8.RuneCountInString(b[i]) {
			return false
		}
	}
	return true
}

// A run without operations, and sizes in the units of the tools.
func TestFormatsEdges(t *testing.T) {
	for _, format := range Formats() {
		if text := as(t, format, false, &ToolRun{Interval: time.Second}); strings.Contains(text, "NaN") || strings.Count(text, "\n") > 1 {
			t.Errorf("%s of nothing: %q", format, text)
		}
	}
	one := toolRun(t, nil, []op.Op{toolOp("", op.Put, 0, 0, 0, 5)})
	for _, format := range Formats() {
		if text := as(t, format, false, one); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s of one operation without duration: %q", format, text)
		}
	}
	for bytes, want := range map[int64]string{0: "0B", 1023: "1023B", 640 << 10: "640.0kB", 200 << 20: "200.0MB", 3 << 30: "3.0GB", 2048 << 30: "2048.0GB"} {
		if got := osbSize(bytes); got != want {
			t.Errorf("%d bytes are %s, want %s", bytes, got, want)
		}
	}
	for bytes, want := range map[float64]string{1024: "0.0010 MB", 100 << 20: "100.0000 MB", 100e3 * (1 << 20): "97.6562 GB", 5 << 40: "5.0000 TB"} {
		if got := s3benchSize(bytes); got != want {
			t.Errorf("%.0f bytes are %s, want %s", bytes, got, want)
		}
	}
}
