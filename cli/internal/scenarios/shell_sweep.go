package scenarios

import (
	"slices"
	"strings"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/search"
)

// convertedLine is a command line of a shell script, as a job.
type convertedLine struct {
	line    int
	command string
	job     *draft.Job // nil: a command line of warp
}

// mergeSweeps merges consecutive runs of one line, as of a loop, into a sweep where possible.
func mergeSweeps(list []*convertedLine) (joined []*convertedLine) {
	var fixed string // of the runs that may be one sweep
	var runs []*convertedLine
	for _, c := range list {
		own := c.fixed()
		if len(runs) > 0 && (own == "" || own != fixed || c.line != runs[0].line) {
			joined, runs = append(joined, asSweep(runs)...), nil
		}
		fixed, runs = own, append(runs, c)
	}
	return append(joined, asSweep(runs)...)
}

// swept returns the parameters of a load that a sweep may vary.
func swept(load *script.Load) map[string]*[]script.Value {
	return map[string]*[]script.Value{"threads": &load.Threads, "rate": &load.Rate}
}

// fixed returns all of a run that a sweep can't vary; empty if it is not a single phase on one data set.
func (c *convertedLine) fixed() string {
	if c.job == nil || len(c.job.File.Phases) != 1 || c.job.File.Phases[0].Run.IsZero() || len(c.job.File.Data) != 1 {
		return ""
	}
	ph := &c.job.File.Phases[0]
	defer func(load script.Load) { ph.Load = load }(ph.Load)
	for _, values := range swept(&ph.Load) {
		if len(*values) == 1 {
			*values = script.Texts("any")
		}
	}
	var b strings.Builder
	for _, f := range c.job.Flags {
		b.WriteString(f.Name + "=" + f.Value + "\n")
	}
	return b.String() + c.job.File.Format()
}

// asSweep returns runs that differ in what a sweep varies as one sweep; other runs as they are.
func asSweep(runs []*convertedLine) []*convertedLine {
	for _, name := range []string{"threads", "rate"} {
		if over, rounds := pointsOf(runs, name); rounds > 0 {
			draft.AddNote(&runs[0].job.File.Head, "%d runs of the script as one sweep.", len(runs))
			runs[0].sweep(name, over, rounds)
			return runs[:1]
		}
	}
	return runs
}

// pointsOf returns the values of a parameter as a sweep states them, and how often the runs go through them; 0 if they don't.
func pointsOf(runs []*convertedLine, name string) (over string, rounds int) {
	if len(runs) < 2 {
		return "", 0
	}
	var values []string
	for _, c := range runs {
		v := *swept(&c.job.File.Phases[0].Load)[name]
		if len(v) != 1 {
			return "", 0
		}
		values = append(values, v[0].Text)
	}
	points := len(values)
	if i := slices.Index(values[1:], values[0]); i >= 0 {
		points = i + 1
	}
	over = name + "=" + strings.Join(values[:points], ",")
	grid, err := search.ParseGrid([]string{over})
	if err != nil || points < 2 || len(values)%points > 0 || len(grid[0].Values) != points {
		return "", 0
	}
	for i, v := range values {
		if grid[0].Values[i%points].Text != v {
			return "", 0
		}
	}
	return over, len(values) / points
}

// sweep makes a sweep of a run.
func (c *convertedLine) sweep(name, over string, rounds int) {
	file := c.job.File
	ph := &file.Phases[0]
	*swept(&ph.Load)[name] = nil
	ph.Load.Sweep = script.Texts(over)
	if rounds > 1 {
		ph.Load.Repeats = script.Textf("%d", rounds)
	}
	if ph.Warmup.IsZero() {
		ph.Warmup = script.Text("0s") // a sweep has one of seconds
	}
	if len(c.job.Outputs) > 0 {
		c.job.Outputs = nil
		draft.AddNote(&file.Head, "Each run of the script writes its result; a sweep has one report of all.")
	}
}
