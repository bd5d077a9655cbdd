package report

import (
	"io"

	"warp/pkg/compare"
)

// ComparisonDocument is what ComparisonJSON writes: what changed, and by what that was found out.
type ComparisonDocument struct {
	WarpVersion string
	Before      []string // recordings
	After       []string
	Warnings    []string            // of the runs that are compared
	Incomplete  []string            // which of them are not whole, and why
	Comparison  *compare.Comparison // must not be nil
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
}

// ComparisonJSON writes doc as one indented JSON object and a line feed. It is an error, and nothing is written, if a figure
// is infinite or not a number.
func ComparisonJSON(w io.Writer, doc ComparisonDocument) error {
	c := *doc.Comparison
	if c.Types == nil {
		c.Types = []*compare.Type{}
	}
	out := comparisonJSON{c.Version, doc.WarpVersion, "cmp", append([]string{}, doc.Before...), append([]string{}, doc.After...), append([]string{}, doc.Warnings...), doc.Incomplete, &c}
	return writeJSON(w, "comparison", out)
}
