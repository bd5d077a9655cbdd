package cli

import (
	"io"

	"warp/view/page"
)

// writePage writes the report of a run for browsers.
func (p *printer) writePage(v *reportView) error {
	return p.writeHTML(func(to io.Writer) error { return page.Write(to, pageOf(v)) })
}

// pageOf returns what a page shows of a run.
func pageOf(v *reportView) page.Run {
	run := page.Run{Document: document(v), Remarks: v.remarks(), ClientLines: v.clientLines(true)}
	if v.Self != nil {
		run.Samples = v.Self.Samples
	}
	return run
}

// writeHTML writes the file of --html.
func (p *printer) writeHTML(write func(io.Writer) error) error {
	return writeFile("html", p.analyze.html, p.out.overwrite, write)
}
