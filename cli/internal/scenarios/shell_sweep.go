package scenarios

import (
	"slices"
	"strings"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/search"
)

// converted is a command line of a shell script.
type converted struct {
	line    int
	command string
	job     *draft.Job // nil: a command line of warp
}

// joinSweeps joins consecutive runs of one line, as of a loop, where a sweep can make them.
func joinSweeps(list []*converted) (joined []*converted) {
	for len(list) > 0 {
		n, rest := 1, list[0].rest()
		for n < len(list) && rest != "" && list[n].line == list[0].line && list[n].rest() == rest {
			n++
		}
		runs := list[:n]
		if n > 1 && (toSweep(runs, "threads") || toSweep(runs, "rate")) {
			runs = runs[:1]
		}
		joined, list = append(joined, runs...), list[n:]
	}
	return joined
}

// load returns the value of a load's parameter that a sweep may vary; nil: it has none, or several.
func (c *converted) load(name string) *[]script.Value {
	load := &c.job.File.Phases[0].Load
	values := map[string]*[]script.Value{"threads": &load.Threads, "rate": &load.Rate}[name]
	if len(*values) != 1 {
		return nil
	}
	return values
}

// rest returns all of a run that a sweep can't vary; empty: it is not a single phase on one data set.
func (c *converted) rest() string {
	if c.job == nil || len(c.job.File.Phases) != 1 || c.job.File.Phases[0].Run.IsZero() || len(c.job.File.Data) != 1 {
		return ""
	}
	ph := &c.job.File.Phases[0]
	defer func(load script.Load) { ph.Load = load }(ph.Load)
	for _, values := range []*[]script.Value{&ph.Load.Threads, &ph.Load.Rate} {
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

// toSweep makes the first of several runs a sweep of all, if they are its points, round by round.
func toSweep(runs []*converted, name string) bool {
	var values []string
	for _, c := range runs {
		v := c.load(name)
		if v == nil {
			return false
		}
		values = append(values, (*v)[0].Text)
	}
	points := len(values)
	if i := slices.Index(values[1:], values[0]); i >= 0 {
		points = i + 1
	}
	over := name + "=" + strings.Join(values[:points], ",")
	grid, err := search.ParseGrid([]string{over})
	if err != nil || points < 2 || len(values)%points > 0 || len(grid[0].Values) != points {
		return false
	}
	for i, v := range values {
		if grid[0].Values[i%points].Text != v {
			return false
		}
	}
	job := runs[0].job
	ph := &job.File.Phases[0]
	*runs[0].load(name) = nil
	ph.Load.Sweep = script.Texts(over)
	if rounds := len(values) / points; rounds > 1 {
		ph.Load.Repeats = script.Textf("%d", rounds)
	}
	if ph.Warmup.IsZero() {
		ph.Warmup = script.Text("0s") // a sweep has one of seconds
	}
	draft.AddNote(&job.File.Head, "%d runs of the script as one sweep.", len(runs))
	if len(job.Outputs) > 0 {
		job.Outputs = nil
		draft.AddNote(&job.File.Head, "Each run of the script writes its result; a sweep has one report of all.")
	}
	return true
}
