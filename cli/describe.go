package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"warp/pkg/aggregate"
	"warp/pkg/distributed"
	"warp/pkg/recording"
)

// describe takes over what recordings say about themselves; of several, the first one stands for what they were. What
// cannot be understood is left out: it stands in comments.
func (v *reportView) describe(inputs []recording.Input, about *aggregate.Inputs) {
	v.runs = runsOf(inputs, about.Headers)
	v.plan = v.runs[0].plan
	_ = json.Unmarshal(v.runs[0].config, &v.config)
	v.warnings = append(v.warnings, about.Warnings...)
	v.incomplete = append(v.incomplete, about.Incomplete...)
	from, to := v.snapshot.Benchmark()
	for i, text := range about.Ends {
		end := endOf(text)
		v.clients = append(v.clients, end.Clients...)
		v.config.Engine = cmp.Or(v.config.Engine, end.Engine)
		v.links = sumOf(v.links, end.Connections)
		v.incomplete = append(v.incomplete, end.cut(inputs[i].Name)...)
		if len(inputs) == 1 {
			v.warnings = append(v.warnings, end.Warnings...)
			v.client, v.parts = observed(end.Client, v.snapshot), end.Parts
			continue
		}
		v.warnings = append(v.warnings, prefixed(inputs[i].Name, end.Warnings)...)
		v.parts = append(v.parts, end.parts(inputs[i].Name, from, to)...)
	}
	v.warnIncomplete()
	v.config.Engine = cmp.Or(v.config.Engine, enginesOf(v.clients))
	v.warnings = append(v.warnings, otherParameters(v.runs)...)
	v.warnings = append(v.warnings, v.client.warnings()...)
	for i := range v.parts {
		v.warnings = append(v.warnings, v.parts[i].warnings()...)
	}
}

// warnIncomplete warns of what is not whole, unless that was done.
func (v *reportView) warnIncomplete() {
	for _, text := range v.incomplete {
		if !slices.ContainsFunc(v.warnings, func(w string) bool { return strings.Contains(w, text) }) {
			v.warnings = append(v.warnings, text)
		}
	}
}

// endOf is what a recording says at its end; nothing if that cannot be understood.
func endOf(text json.RawMessage) (end runEnd) {
	if json.Unmarshal(text, &end) != nil {
		return runEnd{}
	}
	return end
}

// prefixed puts the name of a recording before what is said of it, unless it stands there.
func prefixed(name string, texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = text
		if !strings.HasPrefix(text, name+":") {
			list[i] = name + ": " + text
		}
	}
	return list
}

// enginesOf is what sent the requests of several clients: one name if they agree, else how many had which.
func enginesOf(clients []distributed.ClientReport) string {
	count := map[string]int{}
	for i := range clients {
		if name := clients[i].Engine; name != "" {
			count[name]++
		}
	}
	names := slices.Sorted(maps.Keys(count))
	if len(names) == 1 {
		return names[0]
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d clients)", name, count[name])
	}
	return strings.Join(names, ", ")
}
