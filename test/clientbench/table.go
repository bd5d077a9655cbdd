package main

import (
	"fmt"
	"text/tabwriter"
)

// print writes the table, and the ratios that matter, all from this run.
func (b *bench) print() {
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "operation\tby\tCPU us/op\tallocs/op\top/s\t")
	for _, r := range b.rows {
		allocs := "-"
		if r.allocs >= 0 {
			allocs = fmt.Sprintf("%.1f", r.allocs)
		}
		fmt.Fprintf(w, "%s\t%s\t%.1f\t%s\t%.0f\t\n", r.what, r.by, r.cpu, allocs, r.rate)
	}
	_ = w.Flush() // as good as the writer below it
	fmt.Fprintln(b.out)
	for _, c := range []struct {
		what, by, otherWhat, otherBy string
		goal                         float64
	}{
		{"GET 4 KiB", "lean", "GET 4 KiB", "wrk", 1.7},
		{"GET 10 MiB", "lean", "GET 10 MiB", "wrk", 0.4},
		{"STAT 4 KiB", "lean", "GET 4 KiB", "lean", 1},
		{"DELETE 4 KiB", "lean", "GET 4 KiB", "lean", 1},
		{"PUT 4 KiB", "lean", "GET 4 KiB", "lean", 2},
		{"PUT 10 MiB", "lean", "PUT 10 MiB", "writev", 1.3},
		{"PUT 10 MiB random", "lean", "PUT 10 MiB", "writev", 1.3},
		{"GET 4 KiB", "sdk", "GET 4 KiB", "lean", 0},
		{"PUT 4 KiB", "sdk", "PUT 4 KiB", "lean", 0},
		{"GET 10 MiB", "sdk", "GET 10 MiB", "lean", 0},
		{"PUT 10 MiB", "sdk", "PUT 10 MiB", "lean", 0},
	} {
		one, other := b.cpu(c.what, c.by), b.cpu(c.otherWhat, c.otherBy)
		if one == 0 || other == 0 {
			continue
		}
		goal := ""
		if c.goal > 0 {
			goal = fmt.Sprintf(" (goal: at most %.1f)", c.goal)
		}
		fmt.Fprintf(b.out, "%s by %s / %s by %s: %.2f%s\n", c.what, c.by, c.otherWhat, c.otherBy, one/other, goal)
	}
	if cpu := b.cpu("GET 10 MiB --verify", "lean"); cpu > 0 {
		fmt.Fprintf(b.out, "GET 10 MiB --verify by lean: %.1f GB/s for each core that it takes (goal: at least 2)\n", large/cpu/1e3)
	}
}

func (b *bench) cpu(what, by string) float64 {
	for _, r := range b.rows {
		if r.what == what && r.by == by {
			return r.cpu
		}
	}
	return 0
}
