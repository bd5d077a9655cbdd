package runinfo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/observe"
	"warp/pkg/recording"
	"warp/pkg/s3"
	"warp/pkg/search"
	"warp/pkg/trace"
	"warp/pkg/units"
)

// Info is what recordings state about themselves, for a report on all of them as one run.
type Info struct {
	Head       Header          // of the first recording, which stands for all
	Plan       json.RawMessage // as it was recorded, whatever this version knows of it
	Runs       []Run           // at least one, unless there is no recording
	Warnings   []string        // besides the snapshot's
	Notes      []string        // what workloads say of their run
	Incomplete []string        // why the run or its recording is incomplete; all of it is in Warnings too

	Self        *SelfStats // of a single recording; nil if it is not known
	Clients     []ClientReport
	Parts       []PartStats
	Connections work.Connections
	Schedules   []bench.ScheduleStats // of open loops
	Contents    []bench.ContentStats
	Replays     []trace.Replayed
	Marks       []Mark          // in order of time
	Searches    []search.Record // of phases that looked for the highest load
	Limits      []observe.Limit // ways clients were the bottleneck; Warnings has their texts
}

// Describe gathers what recordings state about themselves. It leaves out what it cannot understand.
func Describe(inputs []recording.Input, about *aggregate.Inputs, s *aggregate.Snapshot) *Info {
	d := &Info{Runs: RunsOf(inputs, about.Headers)}
	d.Plan = d.Runs[0].Plan
	_ = json.Unmarshal(d.Runs[0].Config, &d.Head)
	d.Warnings = append(d.Warnings, about.Warnings...)
	d.Incomplete = append(d.Incomplete, about.Incomplete...)
	d.noteStores()
	from, to := s.Benchmark()
	for i, text := range about.Ends {
		end := ParseEnd(text)
		d.Clients = append(d.Clients, end.Clients...)
		d.Head.Engine = cmp.Or(d.Head.Engine, end.Engine)
		d.Connections.Add(end.Connections)
		d.Schedules = bench.AddSchedules(d.Schedules, end.Schedules)
		d.Marks = append(d.Marks, end.Marks...)
		d.Contents = bench.AddContents(d.Contents, end.Contents)
		d.Replays = trace.AddReplayed(d.Replays, end.Replays)
		if len(d.Searches) == 0 { // each client has the trials of all
			d.addSearches(end.Searches)
		}
		d.Incomplete = append(d.Incomplete, end.incomplete(inputs[i].Name)...)
		if len(inputs) == 1 {
			d.Warnings, d.Notes = append(d.Warnings, end.Warnings...), append(d.Notes, end.Notes...)
			d.Self, d.Parts = selfStats(end.Client, s), end.Parts
			continue
		}
		d.Warnings = append(d.Warnings, Prefixed(inputs[i].Name, end.Warnings)...)
		d.Notes = append(d.Notes, Prefixed(inputs[i].Name, end.Notes)...)
		d.Parts = append(d.Parts, end.parts(inputs[i].Name, nth(about.Clients, i), from, to)...)
	}
	slices.SortStableFunc(d.Marks, func(a, b Mark) int { return a.At.Compare(b.At) })
	d.WarnIncomplete()
	d.Head.Engine = cmp.Or(d.Head.Engine, Engines(d.Clients))
	d.Warnings = append(d.Warnings, OtherParameters(d.Runs)...)
	findLimits(d, s)
	return d
}

// noteStores states the store of all runs, or names several.
func (i *Info) noteStores() {
	var stores []s3.Description
	of := map[s3.Description][]string{}
	for _, r := range i.Runs {
		if of[r.Store] == nil {
			stores = append(stores, r.Store)
		}
		of[r.Store] = append(of[r.Store], r.Name)
	}
	if i.Head.Store = stores[0]; len(stores) == 1 {
		return
	}
	i.Head.Store = s3.Description{}
	for _, store := range stores {
		i.Notes = append(i.Notes, fmt.Sprintf("Store of %s: %s", units.List(of[store], 4), store.String()))
	}
}

// addSearches keeps searches that can be understood.
func (i *Info) addSearches(list []search.Record) {
	for k := range list {
		if err := list[k].Check(); err != nil {
			i.Warnings = append(i.Warnings, fmt.Sprintf("a search is left out, which is damaged: %v", err))
			continue
		}
		i.Searches = append(i.Searches, list[k])
	}
}

// WarnIncomplete adds a warning for each reason why the run is incomplete, unless there is one.
func (i *Info) WarnIncomplete() {
	for _, text := range i.Incomplete {
		if !slices.ContainsFunc(i.Warnings, func(w string) bool { return strings.Contains(w, text) }) {
			i.Warnings = append(i.Warnings, text)
		}
	}
}

// Prefixed puts the name of a recording before texts about it, where it is missing. Without a recording they stay as they are.
func Prefixed(name string, texts []string) []string {
	if name == "" {
		return texts
	}
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = text
		if !strings.HasPrefix(text, name+":") {
			list[i] = name + ": " + text
		}
	}
	return list
}
