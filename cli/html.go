package cli

import (
	"io"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"warp/pkg/compare"
	"warp/pkg/report"
	"warp/view/page"
)

// writePage writes the report of a run for browsers.
func (p *printer) writePage(v *reportView) error {
	return p.writeHTML(func(to io.Writer) error { return page.Write(to, pageOf(v)) })
}

// pageOf returns what a page shows of a run.
func pageOf(v *reportView) page.Run {
	run := page.Run{Document: document(v), Remarks: v.remarks(true)}
	if v.Self != nil {
		run.Samples = v.Self.Samples
	}
	return run
}

// writeComparison writes a comparison for browsers.
func (c *comparison) writeComparison(docs []report.ComparisonDocument, sides []runs) error {
	compared := page.Comparison{Documents: docs}
	for i, name := range namesOfSides(sides) {
		compared.Sides = append(compared.Sides, page.Side{Name: name, Runs: sides[i].snapshots})
	}
	return c.writeHTML(func(to io.Writer) error { return page.WriteComparison(to, compared) })
}

// namesOfSides are short names for what is compared.
func namesOfSides(sides []runs) (list []string) {
	if len(sides) == 2 {
		return []string{"before", "after"}
	}
	for _, s := range sides {
		list = append(list, filepath.Base(s.names[0]))
	}
	if len(unique(list)) < len(list) { // in other directories
		for i, s := range sides {
			list[i] = s.names[0]
		}
	}
	return list
}

// writeHTML writes the file of --html.
func (p *printer) writeHTML(write func(io.Writer) error) error {
	return writeFile("html", p.analyze.html, p.out.overwrite, write)
}

// documentOf returns a comparison as JSON has it.
func documentOf(result *compare.Comparison, before, after runs, warnings []string) report.ComparisonDocument {
	return report.ComparisonDocument{
		WarpVersion: Version(), Before: before.names, After: after.names, Warnings: warnings, Comparison: result,
		Incomplete: append(append([]string(nil), before.incomplete...), after.incomplete...),
	}
}

// htmlFlag names the file of a page.
func htmlFlag(path *string) cli.Flag {
	return &cli.StringFlag{Name: "html", Destination: path, Usage: "`FILE` write the report as one HTML file with charts, which needs no network"}
}
