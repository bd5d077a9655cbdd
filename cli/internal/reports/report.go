package reports

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/cli/internal/process"
	"warp/cli/internal/rules"
	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/report"
	"warp/pkg/runinfo"
	"warp/pkg/s3"
	"warp/pkg/script/convert"
	"warp/pkg/search"
	"warp/pkg/units"
)

// Report is a report, ready to be printed.
type Report struct {
	Snapshot   *aggregate.Snapshot
	Operations int64    // read, whether they are reported or not
	Names      []string // of the recordings
	runinfo.Info
	Live  bool     // the figures are live statistics, since the recording is incomplete
	Extra []string // remarks in addition to those made from the fields

	curves   []*report.LoadCurve
	Watches  *rules.Watches // nil: no rule is about sliding windows
	Expected []report.Expectation
	Rulings  []report.Ruling // on all rules
}

// maxClients is how many clients have a line each without --analyze.v. There is a warning for those that were the limit.
const maxClients = 10

// remarks are what a person should know about the run in addition to its figures; see clientLines for clients.
func (v *Report) remarks() (lines []string) {
	lines = append(lines, v.Notes...)
	for i := range v.Schedules {
		lines = append(lines, v.Schedules[i].String())
	}
	for i := range v.Contents {
		lines = append(lines, v.Contents[i].String())
	}
	for _, m := range v.Marks {
		lines = append(lines, m.String())
	}
	lines = append(lines, v.seedLines()...)
	if v.Head.Embedded {
		lines = append(lines, runinfo.EmbeddedStore)
	}
	if v.Head.Store.Dialect != "" {
		lines = append(lines, "Store: "+v.Head.Store.String())
	}
	if v.Head.Engine != "" {
		engine := "Engine: " + v.Head.Engine
		if p := v.Head.Plan; p != nil && p.Target.Realtime {
			engine += ", at real-time priority"
		}
		lines = append(lines, engine)
	}
	if n := v.Connections.Made; n > 0 {
		lines = append(lines,
			fmt.Sprintf("Connections: %d made while measuring, in %s on average (longest %s), which is part of the latency of their first operation",
				n, units.Duration(v.Connections.Spent/time.Duration(n)), units.Duration(v.Connections.Longest)))
	}
	if text := methods(v.Connections.Methods); text != "" {
		lines = append(lines, "Requests: "+text+", with the preparation, without the clean-up")
	}
	if h := v.Connections.HTTP2; h.Streams > 0 {
		lines = append(lines, fmt.Sprintf("HTTP/2: %d streams over %d connections", h.Streams, h.Connections))
	}
	if r := v.Connections.Redirects; r.Requests > 0 {
		lines = append(lines, fmt.Sprintf("Redirects: %d of %d requests (%s) were redirected (307, 308), %d times in all, "+
			"which took %s on average and is part of their latency",
			r.Requests, v.Connections.Requests, units.Percent(int64(r.Requests), int64(v.Connections.Requests)),
			r.Followed, units.Duration(r.Spent/time.Duration(r.Requests))))
		var kinds []string
		for _, k := range v.Connections.Kinds {
			if k.Redirected > 0 {
				kinds = append(kinds, units.Percent(int64(k.Redirected), int64(k.Requests))+" of "+string(k.Kind))
			}
		}
		if len(kinds) > 0 {
			lines = append(lines, "Redirected by kind of operation: "+strings.Join(kinds, ", "))
		}
	}
	if s := v.Connections.Sessions; s.Created > 0 {
		lines = append(lines, fmt.Sprintf("Sessions with the directory bucket: %d created in addition to the operations, "+
			"in %s on average (longest %s); %d attempts failed",
			s.Created, units.Duration(s.Spent/time.Duration(s.Created)), units.Duration(s.Longest), s.Failed))
	}
	if len(v.Connections.TLS) > 0 {
		lines = append(lines, strings.Join(v.Connections.TLS, "; "))
	}
	return lines
}

// clientLines are the lines about the clients.
func (v *Report) clientLines(verbose bool) []string {
	clients := v.ClientLines()
	if more := len(clients) - maxClients; more > 0 && !verbose {
		clients = append(clients[:maxClients], fmt.Sprintf("%d more clients: --analyze.v shows them", more))
	}
	clients = append(clients, v.Extra...)
	if verbose {
		clients = append(clients, v.ReportLines()...)
	}
	return clients
}

// aboveAll are the warnings of a summary, and first what its few lines must not leave out.
func (v *Report) aboveAll() []string {
	if !v.Head.Embedded {
		return v.Warnings
	}
	return append([]string{runinfo.EmbeddedStore}, v.Warnings...)
}

// Only leaves out all kinds of operations but one; empty: none.
func (v *Report) Only(kind op.Kind) {
	if kind != "" {
		v.Snapshot.Groups = slices.DeleteFunc(v.Snapshot.Groups, func(g *aggregate.Group) bool { return g.Kind != kind })
		v.curves = slices.DeleteFunc(v.curves, func(c *report.LoadCurve) bool { return c.Group.Kind != kind })
		v.Snapshot.Totals = nil // of all kinds
	}
}

// Judge judges what the recording says was expected, unless options leave out a part of what was measured.
func (v *Report) Judge(o aggregate.Options) {
	if o.Op == "" && o.Host == "" && o.Skip == 0 {
		v.Expected = rules.Judge(v.Head.Expect, v.Snapshot, v.Watches)
	}
}

// AddSteps notes how each step of a load did that changes over time.
func (v *Report) AddSteps() {
	var plan bench.Plan
	if json.Unmarshal(v.Plan, &plan) != nil {
		return
	}
	for i := range plan.Phases {
		for _, s := range plan.Phases[i].Streams() {
			shape, unit := s.Schedule, "operations/s"
			if shape.IsZero() {
				shape, unit = s.Threads, "threads"
			}
			if len(v.Clients) > 1 && unit == "threads" {
				unit = "threads of each client"
			}
			began, ended := phaseTime(v.Snapshot, s.Name)
			for _, g := range v.Snapshot.Groups {
				if g.Phase == s.Name && !g.Kind.IsComposite() {
					v.addCurve(report.NewLoadCurve(g, v.Snapshot.Segment, began, load.Steps(shape, ended.Sub(began)), unit))
				}
			}
		}
	}
}

// addCurve adds the steps of a load, unless it has only one, or all are shorter than a segment.
func (v *Report) addCurve(c *report.LoadCurve) {
	if lines := c.Lines(); len(lines) > 0 {
		v.Notes, v.curves = append(v.Notes, lines...), append(v.curves, c)
	}
}

// Entire reports whether the recordings of the report hold operations.
func (v *Report) Entire() bool {
	return !slices.ContainsFunc(v.Snapshot.Groups, func(g *aggregate.Group) bool { return g.Approx != nil })
}

// ToolPlan returns what other tools print of the plan; nil if it is not known.
func (v *Report) ToolPlan() *report.ToolPlan {
	plan := v.Head.Plan
	if plan == nil {
		return nil
	}
	compiled, err := bench.Decode(plan)
	if err != nil { // it is of a later version
		return nil
	}
	t := &report.ToolPlan{Engine: cmp.Or(v.Head.Engine, "lean"), Region: cmp.Or(plan.Target.Region, "us-east-1"), Bucket: plan.Target.Bucket}
	scheme := "http://"
	if plan.Target.TLS {
		scheme = "https://"
	}
	for _, host := range plan.Target.Hosts {
		t.Hosts = append(t.Hosts, scheme+host)
	}
	objects := map[string]uint64{} // by data set
	for i := range plan.Phases {
		for _, s := range plan.Phases[i].Streams() {
			w := convert.WordsOf(compiled, s, max(1, v.Head.Clients))
			objects[s.Set] = max(objects[s.Set], w.Objects)
			t.Phases = append(t.Phases, report.ToolPhase{
				Name:      s.Name,
				Threads:   s.Concurrency * int(max(1, v.Head.Clients)),
				Runtime:   s.Duration,
				Requests:  s.Ops,
				Ranges:    w.Ranges,
				Objects:   objects[s.Set],
				Buckets:   w.Buckets,
				Size:      w.Size,
				PartSize:  w.PartSize,
				Prefix:    w.Prefix,
				Batch:     w.Batch,
				Statement: w.Statement,
				Naming:    w.Naming,
				Seeds:     w.Seeds,
			})
		}
	}
	return t
}

// seedLines states the seeds of names as object-store-bench does: another of its scripts can reuse the objects.
func (v *Report) seedLines() (lines []string) {
	t := v.ToolPlan()
	if t == nil {
		return nil
	}
	for _, ph := range t.Phases {
		for _, seed := range ph.Seeds {
			if line := report.SeedLine(ph.Naming, seed); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// methods lists how many requests of each method were sent; empty if that is not known.
func methods(m s3.Methods) string {
	var parts []string
	for _, n := range []struct {
		count  uint64
		method string
	}{{m.Get, "GET"}, {m.Head, "HEAD"}, {m.Put, "PUT"}, {m.Post, "POST"}, {m.Patch, "PATCH"}, {m.Delete, "DELETE"}, {m.List, "LIST"}} {
		if n.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n.count, n.method))
		}
	}
	return strings.Join(parts, ", ")
}

// document returns a report as JSON has it.
func document(v *Report) report.Document {
	doc := report.Document{
		Expected:    v.Expected,
		Rulings:     v.Rulings,
		Snapshot:    v.Snapshot,
		Warnings:    v.Warnings,
		Limits:      v.Limits,
		Notes:       v.Notes,
		WarpVersion: process.Version(),
		Command:     v.Head.Command,
		Engine:      v.Head.Engine,
		Store:       report.Store(v.Head.Store),
		Embedded:    v.Head.Embedded,
		Baseline:    v.Head.Baseline,
		Plan:        v.Plan,
		Incomplete:  v.Incomplete,
		Clients:     v.AllClients(),
	}
	if v.Head.Environment != (runinfo.Machine{}) {
		doc.Environment = v.Head.Environment
	}
	for i := range v.Schedules {
		doc.Schedules = append(doc.Schedules, scheduleOf(&v.Schedules[i]))
	}
	for i := range v.Contents {
		doc.Contents = append(doc.Contents, contentsOf(&v.Contents[i]))
	}
	for _, m := range v.Marks {
		doc.Marks = append(doc.Marks, report.Mark{At: m.At.UTC(), Text: m.Text})
	}
	if v.Self != nil {
		doc.Client = v.Self
	}
	doc.Replays = v.Replays
	doc.Searches, doc.Sweeps, doc.LoadCurves = v.Searches, v.Head.ValidSweeps(), v.curves
	if v.Connections.Requests > 0 || v.Connections.Made > 0 {
		doc.Connections = &v.Connections
	}
	return doc
}

// WithoutPhases leaves out the figures of phases that are reported elsewhere.
func WithoutPhases(s *aggregate.Snapshot, hidden func(phase string) bool) *aggregate.Snapshot {
	few := *s
	hide := func(g *aggregate.Group) bool { return g.Phase != "" && hidden(g.Phase) }
	few.Groups = slices.DeleteFunc(slices.Clone(s.Groups), hide)
	few.Totals = slices.DeleteFunc(slices.Clone(s.Totals), hide)
	return &few
}

// HidesTrial reports whether a phase is a trial that held no load; with all, any trial.
func HidesTrial(searches []search.Record, phase string, all bool) bool {
	return slices.ContainsFunc(searches, func(rec search.Record) bool {
		i := slices.Index(rec.Phases, phase)
		return i >= 0 && (all || i != rec.HeldTrial())
	})
}

// isPoint reports whether a phase is a point of a sweep.
func isPoint(sweeps []search.Sweep, phase string) bool {
	return slices.ContainsFunc(sweeps, func(s search.Sweep) bool { return s.Has(phase) })
}

// scheduleOf is how a schedule was kept, for JSON.
func scheduleOf(s *bench.ScheduleStats) report.Schedule {
	return report.Schedule{
		Stream:    s.Stream,
		Duration:  s.Duration.Seconds(),
		Planned:   s.PlannedRate(),
		Achieved:  s.AchievedRate(),
		Due:       s.Due,
		Sent:      s.Sent,
		Late:      s.Late,
		Unsent:    s.Unsent,
		UnsentOwn: s.UnsentOwn,
		Own:       latenessOf(&s.Own, s.Sent),
		Busy:      latenessOf(&s.Busy, s.Sent),
		Most:      s.Most,
	}
}

// latenessOf returns the lateness of turns as it is in JSON.
func latenessOf(l *load.Lateness, turns uint64) report.Lateness {
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	return report.Lateness{Turns: l.Turns, Average: ms(l.Total) / float64(max(1, turns)), Most: ms(l.Max)}
}

// contentsOf is what contents are like, for JSON.
func contentsOf(s *bench.ContentStats) report.Contents {
	return report.Contents{
		Set:            s.Set,
		ZstdRatio:      s.ZstdRatio(),
		DuplicateShare: s.DuplicateShare(),
		DuplicateBlock: s.BlockBytes(),
		Bytes:          s.Bytes,
		Objects:        s.Objects,
		Uploaded:       s.Uploaded,
	}
}
