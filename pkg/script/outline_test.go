package script_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"warp/pkg/bench"
	"warp/pkg/script"
)

// outline is a plan in short: a line for each phase, then what else the file says.
func outline(r *script.Resolved) string {
	var lines []string
	for i := range r.Plan.Phases {
		ph := &r.Plan.Phases[i]
		var side []string
		if ph.Measures() {
			side = append(side, streamText(&ph.Stream))
		}
		for k := range ph.Parallel {
			side = append(side, streamText(&ph.Parallel[k]))
		}
		for k := range ph.Steps {
			side = append(side, stepText(&ph.Steps[k]))
		}
		if s := ph.Search; s != nil {
			side = append(side, fmt.Sprintf("search %s %s budget=%v trial=%v strict=%v confirm=%v seed=%v", s.Control, s.Objectives, s.Budget, s.Trial, s.Strict, s.Confirm, s.Seed == r.Plan.Seed))
		}
		lines = append(lines, strings.Join(side, " | "))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Plan.Sets)) {
		set := r.Plan.Sets[name]
		lines = append(lines, fmt.Sprintf("set %s %d", name, set.Sizes.Max))
	}
	for _, rule := range r.Rules {
		lines = append(lines, fmt.Sprintf("rule %q %s broken=%s over=%v abort=%v", rule.Stream, rule.Text, rule.Broken.String(), rule.Over, rule.Abort))
	}
	for _, s := range r.Sweeps {
		text := fmt.Sprintf("sweep %q over %v:", s.Stream, s.Over)
		for _, p := range s.Points {
			text += " " + p.Phase
		}
		lines = append(lines, text)
	}
	if r.Plan.KeepData || len(r.Plan.KeepSets) > 0 {
		lines = append(lines, fmt.Sprintf("kept %v %v", r.Plan.KeepData, r.Plan.KeepSets))
	}
	for _, name := range slices.Sorted(maps.Keys(r.OnClients)) {
		lines = append(lines, fmt.Sprintf("clients of %q: %v", name, r.OnClients[name]))
	}
	if r.Share || r.Divided != "" {
		lines = append(lines, fmt.Sprintf("share %v %q", r.Share, r.Divided))
	}
	return strings.Join(lines, "\n")
}

func streamText(s *bench.Stream) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	add("%q", s.Name)
	if s.Workload != "" {
		add("%s(%s)", s.Workload, s.Set)
	}
	for _, t := range s.Tasks {
		text := fmt.Sprintf("%s(%s)", t.Workload, t.Set)
		if t.Name != "" {
			text = t.Name + "=" + text
		}
		if t.Weight > 0 {
			text += fmt.Sprintf("*%v", float64(t.Weight))
		}
		if t.After > 0 {
			text += fmt.Sprintf(" after %d same=%v count=%d", t.After, t.Same, t.Count)
		}
		if t.Retry != nil {
			text += fmt.Sprintf(" retry=%+v", *t.Retry)
		}
		add("%s", text)
	}
	add("threads=%d", s.Concurrency)
	if ramp := s.Threads.String(); ramp != "" {
		add("ramp=%s", ramp)
	}
	if rate := s.Schedule.String(); rate != "" {
		add("rate=%s", rate)
	}
	if s.Portion != nil {
		add("portion=%v of %q", s.Portion.Share, s.Portion.Of)
	}
	if !s.Think.IsZero() {
		add("think=%s", s.Think)
	}
	if s.Arrivals != "" {
		add("arrivals=%s", s.Arrivals)
	}
	if s.Duration > 0 {
		add("%v", s.Duration)
	}
	if s.Warmup > 0 {
		add("warmup=%v", s.Warmup)
	}
	if s.Ops > 0 {
		add("ops=%d", s.Ops)
	}
	if s.Passes > 0 {
		add("passes=%v", s.Passes)
	}
	if s.OK != nil {
		add("ok=%v", s.OK)
	}
	if s.Retry != nil {
		add("retry=%+v", *s.Retry)
	}
	if s.Autoterm != nil {
		add("steady=%+v", *s.Autoterm)
	}
	return strings.Join(parts, " ")
}

func stepText(s *bench.Step) string {
	text := s.String()
	if s.Threads > 0 {
		text += fmt.Sprintf(" threads=%d", s.Threads)
	}
	if s.Sample > 0 {
		text += fmt.Sprintf(" sample=%v", s.Sample)
	}
	if s.ExecEnv != nil {
		text += fmt.Sprintf(" env=%v", s.ExecEnv)
	}
	return text
}

// compare reports a difference.
func compare(t *testing.T, text, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s\n got %s\nwant %s", text, got, want)
	}
}
