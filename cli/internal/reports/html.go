package reports

import (
	"io"

	"warp/cli/internal/files"
	"warp/view/page"
)

// writePage writes the report of a run for browsers.
func (p *Printer) writePage(v *Report) error {
	return p.WriteHTML(func(to io.Writer) error { return page.Write(to, pageOf(v)) })
}

// pageOf returns what a page shows of a run.
func pageOf(v *Report) page.Run {
	run := page.Run{Document: document(v), Remarks: v.remarks(), ClientLines: v.clientLines(true)}
	if v.Self != nil {
		run.Samples = v.Self.Samples
	}
	return run
}

// WriteHTML writes the file of --html.
func (p *Printer) WriteHTML(write func(io.Writer) error) error {
	return files.Write("html", p.Analyze.HTML, p.Out.Overwrite, write)
}
