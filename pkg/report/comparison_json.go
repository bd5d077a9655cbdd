package report

import (
	"io"

	"warp/pkg/compare"
	"warp/pkg/search"
)

// ComparisonDocument is the input of ComparisonJSON: what changed, and between which recordings.
type ComparisonDocument struct {
	WarpVersion string
	Before      []string // recordings
	After       []string
	Warnings    []string            // of the compared runs
	Incomplete  []string            // which of them are incomplete, and why
	Comparison  *compare.Comparison // must not be nil
	Searches    []search.Change
	Remarks     []string // of a text, before everything else
	Rulings     []Ruling // on the rules of --fail-if
}

// comparisonJSON is the JSON itself, described field by field in docs/reference/json.md. Its version is that of the comparison.
type comparisonJSON struct {
	Version     int      `json:"version"`
	WarpVersion string   `json:"warp_version"`
	Command     string   `json:"command"`
	Before      []string `json:"before"`
	After       []string `json:"after"`
	Warnings    []string `json:"warnings"`
	Incomplete  []string `json:"incomplete,omitempty"`
	*compare.Comparison
	Searches []search.Change `json:"searches,omitempty"`
	Rulings  []Ruling        `json:"rules,omitempty"`
}

// ComparisonJSON writes a comparison as one indented JSON object and a newline, or several as an array of these. It fails, and writes
// nothing, if a figure is infinite or NaN.
func ComparisonJSON(w io.Writer, docs ...ComparisonDocument) error {
	list := make([]comparisonJSON, len(docs))
	for i := range docs {
		list[i] = docs[i].json()
	}
	if len(list) == 1 {
		return writeJSON(w, "comparison", list[0])
	}
	return writeJSON(w, "comparison", list)
}

func (doc *ComparisonDocument) json() comparisonJSON {
	c := *doc.Comparison
	if c.Kinds == nil {
		c.Kinds = []*compare.Kind{}
	}
	return comparisonJSON{
		Version:     c.Version,
		WarpVersion: doc.WarpVersion,
		Command:     "cmp",
		Before:      append([]string{}, doc.Before...),
		After:       append([]string{}, doc.After...),
		Warnings:    append([]string{}, doc.Warnings...),
		Incomplete:  doc.Incomplete,
		Comparison:  &c,
		Searches:    doc.Searches,
		Rulings:     doc.Rulings,
	}
}
