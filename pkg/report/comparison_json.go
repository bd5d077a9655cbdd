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
}

// comparisonJSON is the JSON itself, described field by field in docs/json.md. Its version is that of the comparison.
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
}

// ComparisonJSON writes doc as one indented JSON object and a newline. It fails, and writes nothing, if a figure is
// infinite or NaN.
func ComparisonJSON(w io.Writer, doc ComparisonDocument) error {
	c := *doc.Comparison
	if c.Kinds == nil {
		c.Kinds = []*compare.Kind{}
	}
	out := comparisonJSON{c.Version, doc.WarpVersion, "cmp", append([]string{}, doc.Before...), append([]string{}, doc.After...), append([]string{}, doc.Warnings...), doc.Incomplete, &c, doc.Searches}
	return writeJSON(w, "comparison", out)
}
