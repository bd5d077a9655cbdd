package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"text/tabwriter"
	"time"

	"warp/internal/clock"
)

// rowKey names a measurement.
type rowKey struct {
	operation string // "GET 4 KiB"
	by        string // "lean", "std", "wrk", ...
	tls       bool
	single    bool // over one connection
}

func (k rowKey) String() string {
	s := k.operation
	if k.tls {
		s += " TLS"
	}
	if k.single {
		s += ", one connection"
	}
	return s
}

// row is a measurement.
type row struct {
	cpu     float64 // microseconds of an operation
	rate    float64 // operations per second
	allocs  float64 // of an operation; negative: unknown
	uploads float64 // for the preparation, by operation; cpu includes them
	upload  rowKey  // the measurement of one
}

// cpu returns what an operation costs without its part of the preparation.
func (b *bench) cpu(k rowKey) float64 {
	r := b.rows[k]
	return r.cpu - r.uploads*b.rows[r.upload].cpu
}

// add keeps the round with the lowest CPU time: what else runs on the machine only adds to it.
func (b *bench) add(k rowKey, r row) {
	old, known := b.rows[k]
	if !known {
		b.order = append(b.order, k)
	}
	if !known || r.cpu < old.cpu {
		b.rows[k] = r
	}
}

// measure runs a command to its end. It returns how many operations of a kind, and uploads, the server got meanwhile, and
// how many microseconds of CPU time the command used.
func measure(s *server, kind string, cmd *exec.Cmd) (ops, puts, used float64, elapsed time.Duration, err error) {
	before, err := s.counts()
	if err != nil {
		return
	}
	start := clock.Now()
	var text bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout, cmd.Stderr = &text, &text
	}
	if err = cmd.Run(); err != nil {
		err = fmt.Errorf("%w\n%s", err, &text)
		return
	}
	elapsed = clock.Now().Sub(start)
	after, err := s.counts()
	letter := methods[kind][0]
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return float64(after[letter] - before[letter]), float64(after['P'] - before['P']), float64(cpu.Microseconds()), elapsed, err
}

// goal is a ratio that matters.
type goal struct {
	one, other rowKey
	most       float64 // 0: none
}

func goals() []goal {
	plain := func(operation, by, otherOperation, otherBy string, most float64) goal {
		return goal{rowKey{operation: operation, by: by}, rowKey{operation: otherOperation, by: otherBy}, most}
	}
	list := []goal{
		plain("GET 4 KiB", "lean", "GET 4 KiB", "wrk", 1.35),
		plain("GET 4 KiB", "lean alone", "GET 4 KiB", "wrk", 0),
		plain("GET 10 MiB", "lean", "GET 10 MiB", "wrk", 0.4),
		plain("STAT 4 KiB", "lean", "GET 4 KiB", "lean", 1),
		plain("DELETE 4 KiB", "lean", "GET 4 KiB", "lean", 1),
		plain("PUT 4 KiB", "lean", "GET 4 KiB", "lean", 2),
		plain("PUT 10 MiB", "lean", "PUT 10 MiB", "bare", 1.3),
		plain("PUT 10 MiB random", "lean", "PUT 10 MiB", "bare", 1.3),
		plain("GET 4 KiB", "std", "GET 4 KiB", "lean", 0),
		plain("PUT 4 KiB", "std", "PUT 4 KiB", "lean", 0),
		plain("GET 10 MiB", "std", "GET 10 MiB", "lean", 0),
		plain("PUT 10 MiB", "std", "PUT 10 MiB", "lean", 0),
	}
	for _, o := range []string{"GET 4 KiB", "PUT 4 KiB", "GET 10 MiB", "PUT 10 MiB"} {
		for _, by := range [][2]string{{"lean", "wrk"}, {"lean", "bare"}, {"lean alone", "bare"}, {"std", "lean"}} {
			g := plain(o, by[0], o, by[1], 0)
			if g.one.tls, g.other.tls = true, true; o == "GET 10 MiB" && by[1] == "bare" {
				g.most = 1.15
			}
			list = append(list, g)
		}
	}
	for _, o := range []string{"PUT 4 KiB", "GET 4 KiB", "STAT 4 KiB", "DELETE 4 KiB", "PUT 10 MiB", "GET 10 MiB"} {
		for _, store := range []string{"azure", "gcs", "gcs by XML"} {
			list = append(list, plain(o, "lean, "+store, o, "lean", 1.1))
		}
	}
	for i, by := range []string{"lean alone", "lean"} {
		g := plain("GET 4 KiB", by, "GET 4 KiB", "wrk", []float64{1.35, 1.7}[i])
		g.one.single, g.other.single = true, true
		list = append(list, g)
	}
	return list
}

// print writes the table, and the ratios that matter, all from this run.
func (b *bench) print() {
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "operation\tby\tCPU us/op\tallocs/op\top/s\t")
	for _, k := range b.order {
		r, allocs := b.rows[k], "-"
		if r.allocs >= 0 {
			allocs = fmt.Sprintf("%.1f", r.allocs)
		}
		fmt.Fprintf(w, "%s\t%s\t%.1f\t%s\t%.0f\t\n", k, k.by, b.cpu(k), allocs, r.rate)
	}
	_ = w.Flush() // as good as the writer below it
	fmt.Fprintln(b.out)
	for _, g := range goals() {
		one, other := b.cpu(g.one), b.cpu(g.other)
		if one == 0 || other == 0 {
			continue
		}
		text := ""
		if g.most > 0 {
			text = fmt.Sprintf(" (goal: at most %.2f)", g.most)
		}
		fmt.Fprintf(b.out, "%s by %s / %s by %s: %.2f%s\n", g.one, g.one.by, g.other, g.other.by, one/other, text)
	}
	if cpu := b.cpu(rowKey{operation: "GET 10 MiB --verify", by: "lean"}); cpu > 0 {
		fmt.Fprintf(b.out, "GET 10 MiB --verify by lean: %.1f GB/s for each core that it takes (goal: at least 2)\n", large/cpu/1e3)
	}
}
