package runinfo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/pkg/bench"
	"warp/pkg/compare"
	"warp/pkg/units"
)

// Flags of parts of plans whose names differ from those in a plan by more than the characters between words.
var (
	dataFlags   = map[string]string{"generator": "obj.content", "sizes": "obj.size"}
	targetFlags = map[string]string{
		"hosts": "host", "no_keepalive": "disable-keepalive", "expect": "expect-continue", "no_preflight": "preflight",
	}
	streamFlags = map[string]string{
		"concurrency": "concurrent", "threads": "concurrent", "duration_ns": "duration", "warmup_ns": "warmup", "max_late_ns": "max-late",
		"schedule": "rate",
	}
	paramFlags = map[string]string{
		"part_size": "part.size", "part_concurrent": "part.concurrent", "objs_per": "objs.per", "pause_ns": "contend-pause",
	}
)

// Parameters whose values are sizes, or lengths of time in nanoseconds.
var (
	sizeFlags = []string{"part.size", "range-size", "bytes"}
	timeFlags = []string{"dial-timeout", "timeout", "idle-timeout", "backoff"}
)

// flagOf returns the flag that sets a part of a plan, and where in the plan it is; the flag is empty if no flag does.
func flagOf(path string, plan *bench.Plan) (where, flag string) {
	parts := strings.Split(path, ".")
	named := func(names map[string]string, name string) string {
		if flag := names[name]; flag != "" {
			return flag
		}
		return strings.ReplaceAll(name, "_", "-")
	}
	switch first := parts[0]; {
	case first == "warp" || first == "environment" || first == "store" || len(parts) == 1 && first == "engine":
		return "", ""
	case len(parts) == 1:
		return "", named(nil, first)
	case first == "data":
		return "", named(dataFlags, parts[1])
	case first == "target" && !slices.Contains([]string{"headers", "uploads", "tcp", "tls_options", "names"}, parts[1]):
		return "", named(targetFlags, parts[1])
	case first == "sets" && len(parts) > 2:
		return "data set " + parts[1], named(dataFlags, parts[2])
	case first != "phases" || len(parts) < 3:
		return "", ""
	}
	if i, err := strconv.Atoi(parts[1]); err == nil && len(plan.Phases) > 1 && i < len(plan.Phases) {
		where = plan.Phases[i].Name
	}
	switch name := parts[2]; {
	case name == "params" && len(parts) > 4 && parts[3] == "other_distribs":
		return where, parts[4] + "-distrib"
	case name == "params" && len(parts) > 3:
		return where, named(paramFlags, parts[3])
	case slices.Contains([]string{"beside", "steps", "search", "tasks", "retry", "name", "workload", "data_set", "clients"}, name):
		return where, ""
	default:
		return where, named(streamFlags, name)
	}
}

// Unlike returns the benchmarks of two runs if they are not of the same, so that their figures are not comparable.
func Unlike(before, after Run) (b, a string, unlike bool) {
	var x, y Header
	if json.Unmarshal(before.Config, &x) != nil || json.Unmarshal(after.Config, &y) != nil || x.Plan == nil || y.Plan == nil {
		return "", "", false
	}
	if len(x.Plan.Phases) != 1 || len(y.Plan.Phases) != 1 {
		return "", "", false
	}
	b, a = x.Plan.Phases[0].Workload, y.Plan.Phases[0].Workload
	return b, a, b != a
}

// withFlags gives differences the names of flags, and marks parameters of benchmarks that differ altogether.
func withFlags(list []compare.Difference, before, after Run) {
	var b, a bench.Plan
	if json.Unmarshal(before.Plan, &b) != nil || json.Unmarshal(after.Plan, &a) != nil {
		return
	}
	_, _, unlike := Unlike(before, after)
	for i := range list {
		d := &list[i]
		d.Idle = unlike && (d.Path == "phases.0.workload" || strings.HasPrefix(d.Path, "phases.0.params.")) ||
			before.Store.Dialect != after.Store.Dialect && strings.HasPrefix(d.Path, "store.") // --store says it
		where, flag := flagOf(d.Path, &b)
		if flag == "" {
			continue
		}
		d.Name, d.Was, d.Is = "--"+flag, flagValue(flag, d.Before), flagValue(flag, d.After)
		if where != "" {
			d.Name = where + ": " + flag
		}
		if flag == "obj.size" {
			d.Was, d.Is = sizesAt(&b, d.Path), sizesAt(&a, d.Path)
		}
	}
}

// sizesAt returns the sizes of the data set that a path is about.
func sizesAt(p *bench.Plan, path string) string {
	data := p.Data
	if parts := strings.Split(path, "."); parts[0] == "sets" {
		data = p.Sets[parts[1]]
	}
	return data.Sizes.String()
}

// flagValue returns a value of a plan as flags have it.
func flagValue(flag, v string) string {
	n, err := strconv.ParseInt(v, 10, 64)
	switch {
	case err != nil:
		return v
	case slices.Contains(sizeFlags, flag):
		return units.Size(n)
	case slices.Contains(timeFlags, flag) || slices.Contains([]string{"duration", "warmup", "max-late", "contend-pause"}, flag):
		return units.Span(time.Duration(n))
	}
	return fmt.Sprint(n)
}
