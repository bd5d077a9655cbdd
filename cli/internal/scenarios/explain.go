package scenarios

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/cli/internal/rules"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/units"
)

// explain returns what a run of a scenario would do.
func explain(s *Scenario, p *prices, clients int) (string, error) {
	var b strings.Builder
	estimates, err := bench.Estimates(s.compiled)
	if err != nil {
		return "", err
	}
	if p, err = p.at(connect.Dialect(&s.Plan.Target)); err != nil {
		return "", err
	}
	of := func(phase, stream int) *bench.Estimate {
		return &estimates[slices.IndexFunc(estimates, func(e bench.Estimate) bool { return e.Phase == phase && e.Stream == stream && !e.Step })]
	}
	fmt.Fprintf(&b, "%s\n%s", s.name, s.access.lines(s.Plan))
	if first := of(-1, 0); len(first.Requests) > 0 {
		fmt.Fprintf(&b, "  preparation: uploads %s\n    %s\n", units.Size(first.Sent), p.line(first))
	}
	var least time.Duration
	open := false
	for i := range s.Plan.Phases {
		ph := &s.Plan.Phases[i]
		if len(ph.Steps) > 0 && !ph.Measures() {
			b.WriteString(stepLines(ph, i, estimates, p))
			least += ph.Length()
			continue
		}
		for j, st := range ph.Streams() {
			parallel := ""
			if j > 0 {
				parallel = " (in parallel with the one above)"
			}
			fmt.Fprintf(&b, "  %s%s\n    %s\n", streamLine(st, s.Plan.Phases[i].Search), parallel, p.line(of(i, j)))
		}
		if len(ph.Steps) > 0 {
			b.WriteString(stepLines(ph, i, estimates, p))
		}
		least += ph.Length()
		open = open || ph.Length() == 0
	}
	switch {
	case least > 0 && open:
		fmt.Fprintf(&b, "  takes %s, and until other limits are reached", units.Span(least))
	case open:
		b.WriteString("  takes until its limits are reached")
	default:
		fmt.Fprintf(&b, "  takes %s", units.Span(least))
	}
	b.WriteString("; at most " + units.Plural(int64(s.compiled.Connections()), "connection") + " at a time\n")
	for _, rule := range s.Rules {
		ends := ""
		if rule.Abort {
			ends = ", or the run ends"
		}
		fmt.Fprintf(&b, "  expected%s: %s%s\n", rules.InStream(rule.Stream), rule.Text, ends)
	}
	b.WriteString(p.total(estimates, clients))
	return b.String(), nil
}

// stepLines says what the steps of a phase do, and what is known of their requests.
func stepLines(ph *bench.Phase, phase int, estimates []bench.Estimate, p *prices) string {
	only, parallel := bench.Phase{Steps: ph.Steps}, ""
	if ph.Measures() {
		parallel = " (in parallel with the one above)"
	}
	text := "  " + only.Title() + parallel + "\n"
	for k := range ph.Steps {
		for i := range estimates {
			if e := &estimates[i]; e.Phase == phase && e.Stream == k && e.Step {
				name := ""
				if len(ph.Steps) > 1 {
					name = ph.Steps[k].String() + ": "
				}
				text += "    " + name + p.line(e) + "\n"
			}
		}
	}
	return text
}

// searchText says what a search looks for.
func searchText(s *bench.Search) string {
	var list []string
	for _, o := range s.Objectives {
		list = append(list, o.String())
	}
	return fmt.Sprintf("searches for the highest %s with %s, for at most %s", s.Control, strings.Join(list, " and "), units.Span(s.Budget))
}

// streamLine says what a stream does, alone or in a search.
func streamLine(st *bench.Stream, of *bench.Search) string {
	var parts []string
	if st.Set != "" {
		parts = append(parts, "data set "+st.Set)
	}
	switch {
	case st.Portion != nil:
		parts = append(parts, "a rate of "+st.Portion.String()+", at most "+units.Plural(int64(st.Concurrency), "thread"))
	case st.Rate > 0:
		parts = append(parts, units.PerSecond(st.Rate)+" operations/s of each client, at most "+units.Plural(int64(st.Concurrency), "thread"))
	case !st.Schedule.IsZero():
		parts = append(parts, st.Schedule.String()+" operations/s, at most "+units.Plural(int64(st.Concurrency), "thread"))
	case !st.Threads.IsZero():
		parts = append(parts, st.Threads.String()+" threads")
	default:
		parts = append(parts, units.Plural(int64(st.Concurrency), "thread"))
	}
	if !st.Think.IsZero() {
		parts = append(parts, "pauses of "+st.Think.String())
	}
	if st.Arrivals == load.Poisson {
		parts = append(parts, "random arrivals")
	}
	if st.MaxLate > 0 {
		parts = append(parts, "none more than "+units.Span(st.MaxLate)+" late")
	}
	if st.Warmup > 0 {
		parts = append(parts, "warm-up of "+units.Span(st.Warmup))
	}
	if of == nil {
		parts = append(parts, limits(st))
	} else {
		parts = append(parts, searchText(of))
	}
	what := operation(st.Workload, st.Params) + retries(st.Retry)
	for i, t := range st.Tasks {
		if t.After > 0 {
			break
		}
		if i > 0 {
			what += " + "
		}
		what += fmt.Sprintf("%s %s (weight %g)", operation(t.Workload, t.Params), t.Set, cmp.Or(t.Weight, 1)) + retries(t.Retry) +
			following(st.Tasks, i+1)
	}
	return cmp.Or(st.Name, st.Workload) + ": " + what + ", " + strings.Join(parts, ", ")
}

// operation returns the name of a workload; of deletions it also says how many objects a request deletes.
func operation(name string, params json.RawMessage) string {
	info, ok := work.Lookup(name)
	if !ok {
		return name
	}
	w := info.Default()
	if n := w.Traits().MaxDeletes; n == 0 || json.Unmarshal(params, w) != nil {
		return name
	}
	return fmt.Sprintf("%s with %s per request", name, units.Plural(int64(w.Traits().MaxDeletes), "object"))
}

// retries says when an operation is attempted again.
func retries(r *work.Retry) string {
	if r == nil {
		return ""
	}
	var list []string
	for _, status := range r.Statuses() {
		list = append(list, strconv.Itoa(status))
	}
	return fmt.Sprintf(" (again up to %s after %s)", units.Plural(int64(r.Max), "time"), strings.Join(list, ", "))
}

// following says what follows a task in the same turn.
func following(tasks bench.Tasks, number int) (text string) {
	for _, t := range tasks {
		if t.After != number {
			continue
		}
		text += ", then "
		if t.Count > 1 {
			text += fmt.Sprintf("%d times ", t.Count)
		}
		if text += operation(t.Workload, t.Params) + " " + t.Set; t.Same {
			text += " (the same object)"
		}
		text += retries(t.Retry)
	}
	return text
}

// limits says what ends a stream.
func limits(st *bench.Stream) string {
	var list []string
	if st.Duration > 0 {
		text := units.Span(st.Duration)
		switch {
		case st.Rate > 0:
			text += fmt.Sprintf(" (%.0f operations of each client)", st.Rate*st.Duration.Seconds())
		case !st.Schedule.IsZero():
			if sched, err := st.Schedule.Schedule(load.Even, 0); err == nil {
				text += " (" + units.Plural(int64(load.Turns(sched, st.Duration)), "operation") + ")"
			}
		}
		list = append(list, text)
	}
	if st.Ops > 0 {
		list = append(list, units.Plural(int64(st.Ops), "operation"))
	}
	if st.Bytes > 0 {
		list = append(list, units.Size(st.Bytes))
	}
	if st.Passes > 0 {
		text := fmt.Sprintf("%g passes", st.Passes)
		if st.Passes == 1 {
			text = "1 pass"
		}
		list = append(list, text)
	}
	if a := st.Autoterm; a != nil {
		list = append(list, "a stable throughput ("+a.Limits()+")")
	}
	if list == nil {
		return "until Ctrl-C"
	}
	return strings.Join(list, " or ")
}

// recordedOperation is the size of an operation in a recording, about.
const recordedOperation = 40

// line says what an estimate comes to.
func (p *prices) line(e *bench.Estimate) string {
	var parts []string
	requests := uint64(0)
	for _, r := range e.Requests {
		if p.store.Billing().Class(r.Kind) != "" {
			requests += r.Count
		}
	}
	if e.Objects > 0 {
		parts = append(parts, units.Plural(int64(e.Objects), "new object"))
	}
	sent := units.Plural(int64(requests), "request")
	if classes := p.classes(1, *e); classes != "" && p.store.Name() != s3.StoreS3 {
		sent += " (" + classes + ")"
	}
	parts = append(parts, sent)
	if e.Sent > 0 {
		parts = append(parts, units.Size(e.Sent)+" sent")
	}
	if e.Received > 0 {
		parts = append(parts, units.Size(e.Received)+" received")
	}
	parts = append(parts, units.Size(int64(requests)*recordedOperation)+" of recording")
	if !p.unknown {
		parts = append(parts, p.text(p.of(e)))
	}
	if e.Open {
		return "each million turns, at most: " + strings.Join(parts, ", ")
	}
	return "at most: " + strings.Join(parts, ", ")
}

// total says what all that is known comes to.
func (p *prices) total(list []bench.Estimate, clients int) string {
	cost, stored, open := 0.0, int64(0), false
	var known []bench.Estimate
	for i := range list {
		e := &list[i]
		if open = open || e.Open; e.Open {
			continue
		}
		cost, stored, known = cost+p.of(e), stored+e.Stored, append(known, *e)
	}
	text := "  cost: " + p.text(cost*float64(clients))
	if p.unknown {
		text = "  billed: " + cmp.Or(p.classes(clients, known...), "no requests")
	}
	if open {
		text += ", and that of phases which end by time"
	}
	if clients > 1 {
		text += fmt.Sprintf(", for %d clients (lines above are of each)", clients)
	}
	switch {
	case stored > 0 && p.unknown:
		text += "; " + units.Size(stored*int64(clients)) + " stored, while it stays"
	case stored > 0 && p.Storage > 0:
		text += fmt.Sprintf("; %s a month for what is stored, while it stays", p.text(float64(stored)*float64(clients)/gigabyte*p.Storage))
	}
	return text + "\n  prices: " + p.Source + "\n"
}
