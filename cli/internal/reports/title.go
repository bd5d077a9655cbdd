package reports

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"warp/cli/internal/files"
	"warp/cli/internal/process"
	"warp/pkg/aggregate"
	"warp/pkg/gate"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/report"
	"warp/pkg/runinfo"
	"warp/pkg/units"
)

// title says what the report is about, as far as the recordings say it.
func (v *Report) title() *report.Title {
	from, to := v.Snapshot.Benchmark()
	t := &report.Title{Command: v.command(), Start: from, Length: to.Sub(from), Version: shortVersion(v.Head.Version)}
	t.Hosts = hostsOf(v.Snapshot)
	plan := v.Head.Plan
	if plan != nil {
		if len(plan.Target.Hosts) > 0 {
			t.Hosts = plan.Target.Hosts
		}
		t.Bucket = plan.Target.Bucket
		if n := plan.Target.Buckets; n > 1 {
			t.Bucket += fmt.Sprintf(" and %d more", n-1)
		}
	}
	if v.Head.Embedded {
		t.Hosts = []string{"an embedded server"}
	}
	t.Shape = v.shape()
	return t
}

// command returns the command that made the recording.
func (v *Report) command() string {
	name := v.Head.Command
	for _, with := range []string{"search", "sweep"} { // of an operation
		name = strings.Replace(name, with+"-", with+" ", 1)
	}
	if !slices.Contains([]string{"", "analyze", "merge"}, name) { // which do not make runs
		return "warp " + name
	}
	if len(v.Runs) == 0 {
		return "a run"
	}
	if words := strings.Fields(v.Runs[0].CommandLine); len(words) > 1 { // of MinIO warp
		return "warp " + words[1]
	}
	if n := len(v.Runs); n > 1 {
		return units.Plural(int64(n), "recording")
	}
	return cmp.Or(filepath.Base(v.Runs[0].Name), "a run")
}

// pseudoVersion is a version that Go makes of a commit.
var pseudoVersion = regexp.MustCompile(`^v[0-9.]+-(?:[\w.]+\.)?\d{14}-([0-9a-f]{7})[0-9a-f]{5}`)

// shortVersion returns a version without what says it twice: of a version made of a commit, the commit.
func shortVersion(v string) string {
	if m := pseudoVersion.FindStringSubmatch(v); m != nil {
		dirty := ""
		if strings.Contains(v, "+") {
			dirty = "+changes"
		}
		return m[1] + dirty
	}
	return v
}

// textWarnings returns the warnings of a text report, first those about the run. A run as short as it was asked to be
// needs no warning of that; nor does a run on the embedded server, which measured this machine anyway, that the client was the limit.
func (v *Report) textWarnings() (list []string) {
	short, figures := v.plannedShort(), v.Snapshot.Warnings
	if len(v.Searches) > 0 { // which judge their trials themselves
		few := WithoutPhases(v.Snapshot, func(phase string) bool { return HidesTrial(v.Searches, phase, false) })
		few.Finish()
		figures = few.Warnings
	}
	for _, w := range slices.Concat(v.Warnings, figures) {
		if v.Head.Embedded && strings.Contains(w, observe.Prefix) || short && strings.HasSuffix(w, aggregate.TooShort) {
			continue
		}
		list = append(list, w)
	}
	return list
}

// shortRun is a duration whose active window is too short for stable figures.
const shortRun = 5 * time.Second

// plannedShort reports whether all measured phases had a short duration in the plan.
func (v *Report) plannedShort() bool {
	if v.Head.Plan == nil || v.Live || len(v.Incomplete) > 0 {
		return false
	}
	for i := range v.Head.Plan.Phases {
		for _, s := range v.Head.Plan.Phases[i].Streams() {
			if v.Head.Plan.Phases[i].Search == nil && (s.Duration <= 0 || s.Duration > shortRun) {
				return false
			}
		}
	}
	return true
}

// textRemarks returns the remarks of a text report, whose verdict says which store was measured.
func (v *Report) textRemarks() []string {
	list := slices.DeleteFunc(v.remarks(), func(text string) bool { return text == runinfo.EmbeddedStore })
	for _, w := range v.Warnings {
		if v.Head.Embedded && strings.Contains(w, observe.Prefix) {
			list = append(list, w)
		}
	}
	return list
}

// shape describes the only phase: objects, sizes, threads or rate; of several phases their number.
func (v *Report) shape() (list []string) {
	tool := v.ToolPlan()
	varied := len(v.Searches)+len(v.Head.Sweeps) > 0 // their tables have the loads
	switch {
	case tool == nil || varied && len(tool.Phases) > 1:
	case len(tool.Phases) == 1:
		ph := &tool.Phases[0]
		if ph.Objects > 0 {
			list = append(list, units.Plural(int64(ph.Objects), "object"))
		}
		if sizes := sizesOf(v.Snapshot); sizes != "" {
			list = append(list, sizes)
		}
		switch rate := v.Head.Plan.Phases[0].Rate; {
		case varied:
		case rate > 0:
			list = append(list, fmt.Sprintf("%g op/s", rate))
		default:
			list = append(list, units.Plural(int64(ph.Threads), "thread"))
		}
	case len(tool.Phases) > 1:
		list = append(list, fmt.Sprintf("%d phases", len(tool.Phases)))
	}
	if v.Head.Clients > 1 {
		list = append(list, fmt.Sprintf("%d clients", v.Head.Clients))
	}
	return list
}

// sizesOf returns the size of the objects that were transferred, or the smallest and the largest.
func sizesOf(s *aggregate.Snapshot) string {
	smallest, largest := int64(-1), int64(-1)
	whole := slices.ContainsFunc(s.Groups, func(g *aggregate.Group) bool { return g.Kind.IsComposite() && g.MovesBytes() })
	for _, g := range s.Groups {
		if !g.MovesBytes() || g.Phase == op.PhasePrepare || whole && !g.Kind.IsComposite() { // a part is no object
			continue
		}
		if smallest < 0 || g.MinSize < smallest {
			smallest = g.MinSize
		}
		largest = max(largest, g.MaxSize)
	}
	switch {
	case largest < 0:
		return ""
	case smallest == largest:
		return units.Size(largest)
	}
	return units.Size(smallest) + " to " + units.Size(largest)
}

// hostsOf returns the hosts of all operations, in order of their names.
func hostsOf(s *aggregate.Snapshot) (hosts []string) {
	for _, g := range s.Groups {
		hosts = append(hosts, g.Hosts...)
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// verdict says in a line what the run as a whole is worth. It is not a warning.
func (v *Report) verdict() string {
	var parts []string
	var failed, total int64
	for _, g := range v.Snapshot.Groups {
		if g.Phase != op.PhasePrepare && !g.Kind.IsComposite() {
			failed, total = failed+g.Errors, total+g.Requests
		}
	}
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d operations failed (%s)", failed, total, units.Percent(failed, total)))
	}
	if n, all := v.unmet(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s not met", n, units.Plural(int64(all), "rule")))
	}
	switch {
	case v.Head.Embedded:
		parts = append(parts, runinfo.EmbeddedStore)
	case len(v.Limits) > 0:
		parts = append(parts, "The client was the limit, not the store")
	case v.Self != nil || len(v.Parts) > 0 || len(v.Clients) > 0:
		parts = append(parts, "The client was not the limit")
	}
	return strings.Join(parts, ". ")
}

// unmet returns the number of rules that were broken, or whose verdict is not known, and the number of rules, without the limit of errors.
func (v *Report) unmet() (n, all int) {
	for i := range v.Rulings {
		if v.Rulings[i].Source == report.MaxErrors {
			continue
		}
		all++
		if v.Rulings[i].Verdict != gate.Held {
			n++
		}
	}
	return n, all
}

// next returns the command that shows more of the report; empty if no recording is known.
func (v *Report) next(form report.Form) string {
	if v.Live || len(v.Names) == 0 || slices.Contains(v.Names, files.StandardInput) {
		return ""
	}
	args := []string{"warp", "analyze"}
	if form == report.Brief {
		args = append(args, "--report=full")
	} else {
		args = append(args, "--html=report.html")
	}
	for _, name := range v.Names {
		args = append(args, process.ShellFile(name))
	}
	return process.ShellCommand(args...)
}
