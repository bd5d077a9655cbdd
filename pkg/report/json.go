package report

import (
	"encoding/json"
	"io"

	"warp/pkg/aggregate"
	"warp/pkg/observe"
)

// The types below are the JSON itself, described field by field in docs/reference/json.md. Figures that do not exist (no samples,
// too few samples for a percentile, no open loop) are omitted rather than null or 0.
type (
	documentJSON struct {
		Version     int             `json:"version"`
		WarpVersion string          `json:"warp_version"`
		Command     string          `json:"command"`
		Plan        json.RawMessage `json:"plan,omitempty"`
		Environment any             `json:"environment,omitempty"`
		Engine      string          `json:"engine,omitempty"`
		Store       Store           `json:"store,omitzero"`
		Embedded    bool            `json:"embedded_server,omitempty"`
		Client      any             `json:"client,omitempty"`
		Connections any             `json:"connections,omitempty"`
		Clients     []any           `json:"clients,omitempty"`
		Warnings    []string        `json:"warnings"`
		Limits      []observe.Limit `json:"client_limits,omitempty"`
		Notes       []string        `json:"notes,omitempty"`
		Expected    []Expectation   `json:"expectations,omitempty"`
		Rulings     []Ruling        `json:"rules,omitempty"`
		Schedules   []Schedule      `json:"schedules,omitempty"`
		Contents    []Contents      `json:"contents,omitempty"`
		Replays     []replayJSON    `json:"replays,omitempty"`
		Marks       []Mark          `json:"marks,omitempty"`
		Baseline    int             `json:"baseline,omitempty"`
		Search      *searchJSON     `json:"search,omitempty"`
		Searches    []searchJSON    `json:"searches,omitempty"`
		Sweep       *sweepJSON      `json:"sweep,omitempty"`
		Sweeps      []sweepJSON     `json:"sweeps,omitempty"`
		LoadCurves  []loadCurveJSON `json:"load_curves,omitempty"`
		Incomplete  []string        `json:"incomplete,omitempty"`
		Operations  []operationJSON `json:"operations"`
		Total       *totalJSON      `json:"total,omitempty"`
		Totals      []phaseJSON     `json:"totals,omitempty"`
	}

	totalJSON struct {
		Throughput throughputJSON `json:"throughput"`
		Used       *usedJSON      `json:"objects_used,omitempty"`
	}
)

// JSON writes doc as one indented JSON object and a newline.
func JSON(w io.Writer, doc Document) error {
	out := documentJSON{
		Version:     Version,
		WarpVersion: doc.WarpVersion,
		Command:     doc.Command,
		Plan:        doc.Plan,
		Environment: doc.Environment,
		Engine:      doc.Engine,
		Store:       doc.Store,
		Embedded:    doc.Embedded,
		Baseline:    doc.Baseline,
		Client:      doc.Client,
		Connections: doc.Connections,
		Clients:     doc.Clients,
		Warnings:    append([]string{}, doc.Warnings...),
		Limits:      doc.Limits,
		Notes:       doc.Notes,
		Expected:    doc.Expected,
		Rulings:     doc.Rulings,
		Schedules:   doc.Schedules,
		Contents:    doc.Contents,
		Replays:     replaysJSON(doc.Replays),
		Marks:       doc.Marks,
		Incomplete:  doc.Incomplete,
		Operations:  []operationJSON{},
	}
	for i := range doc.Searches {
		out.Searches = append(out.Searches, searchOf(&doc.Searches[i]))
	}
	if len(out.Searches) == 1 {
		out.Search, out.Searches = &out.Searches[0], nil
	}
	for _, c := range doc.LoadCurves {
		out.LoadCurves = append(out.LoadCurves, loadCurveOf(c))
	}
	if s := doc.Snapshot; s != nil {
		for i := range doc.Sweeps {
			out.Sweeps = append(out.Sweeps, sweepOf(&doc.Sweeps[i], s))
		}
		if len(out.Sweeps) == 1 {
			out.Sweep, out.Sweeps = &out.Sweeps[0], nil
		}
		out.Warnings = append(out.Warnings, s.Warnings...)
		for _, g := range s.Groups {
			out.Operations = append(out.Operations, operationOf(g, s.Segment))
		}
		out.Total = totalThroughput(s)
		if severalPhases(s) {
			for _, g := range s.Totals {
				out.Totals = append(out.Totals, phaseOf(operationOf(g, s.Segment), g.Streams))
			}
		}
	}
	return writeJSON(w, "report", out)
}

// totalThroughput returns the throughput of the only phase other than preparation. There is no total over several
// phases, or over kinds that ran one after the other.
func totalThroughput(s *aggregate.Snapshot) *totalJSON {
	var measured []*aggregate.Group
	for _, g := range s.Groups {
		if !isPreparation(g) && !g.Kind.IsComposite() {
			measured = append(measured, g)
		}
	}
	if len(measured) == 0 {
		return nil
	}
	total := measured[0]
	if len(measured) > 1 {
		total = totalOf(s, total.Phase)
	}
	for _, g := range measured {
		if total == nil || g.Phase != total.Phase {
			return nil
		}
	}
	return &totalJSON{throughputOf(&total.Part, total.Window), usedOf(total.Touched)}
}
