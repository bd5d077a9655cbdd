// Package page writes a report as one HTML file: figures and charts, for a browser without a network.
//
// The file holds the JSON report, as it is printed, and what charts show in addition: counts, rates and percentiles of
// segments and histograms. A script renders both. Modules of the script are in web, one for each concern; vendor is
// what others made.
package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"sync"

	"warp/pkg/aggregate"
	"warp/pkg/observe"
	"warp/pkg/report"
	"warp/pkg/trace"
)

// Run is the input of Write: a run, and what its report says of it.
type Run struct {
	report.Document
	Samples     []observe.Sample // of the client; nil: not known, or several clients
	Remarks     []string         // lines of the text report
	ClientLines []string         // those about clients
}

// Comparison is the input of WriteComparison.
type Comparison struct {
	Documents []report.ComparisonDocument // the first side with each other one
	Sides     []Side
	Remarks   []string
}

// Side is what is compared with others.
type Side struct {
	Name string
	Runs []*aggregate.Snapshot // with the times of segments
}

// Write writes the page of a run.
func Write(w io.Writer, run Run) error {
	d, err := dataOf(run, fileLimits)
	if err != nil {
		return err
	}
	return write(w, "warp "+run.Command, d)
}

// dataOf returns the data of the page of a run.
func dataOf(run Run, l limits) (*data, error) {
	d := &data{Version: dataVersion, Remarks: run.Remarks, ClientLines: run.ClientLines, Client: clientOf(run.Samples)}
	if run.Snapshot != nil {
		d.Charts, d.Omitted = chartsOf(run.Snapshot, l)
		d.Phases = phasesOf(run.Snapshot)
	}
	run.Client = withoutSamples(run.Client)
	var err error
	d.Report, err = encoded(func(to io.Writer) error { return report.JSON(to, run.Document) })
	return d, err
}

// WriteComparison writes the page of a comparison.
func WriteComparison(w io.Writer, c Comparison) error {
	d := data{Version: dataVersion, Remarks: c.Remarks, Sides: sidesOf(c.Sides)}
	var err error
	if d.Comparison, err = encoded(func(to io.Writer) error { return report.ComparisonJSON(to, c.Documents...) }); err != nil {
		return err
	}
	return write(w, "warp cmp", &d)
}

// WriteTrace writes the page of a trace.
func WriteTrace(w io.Writer, s *trace.Summary, warpVersion string) error {
	d := data{Version: dataVersion}
	var err error
	if d.Trace, err = encoded(func(to io.Writer) error { return report.TraceJSON(to, s, warpVersion) }); err != nil {
		return err
	}
	return write(w, "warp trace", &d)
}

// encoded returns the JSON that a report writes. White space goes when it becomes part of the data.
func encoded(write func(io.Writer) error) (json.RawMessage, error) {
	var b bytes.Buffer
	err := write(&b)
	return b.Bytes(), err
}

// write writes the file. No character of the JSON data can end its element, or begin another: the encoder
// escapes <, > and &.
func write(w io.Writer, title string, d *data) error {
	block, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("encode the data of the page: %w", err)
	}
	return writeFrame(w, assets().policy, title, block)
}

func writeFrame(w io.Writer, policy, title string, block []byte) error {
	a := assets()
	_, err := fmt.Fprintf(w, frame, policy, html.EscapeString(title), a.style, block, a.licence, a.library, a.script)
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// frame is the file: policy, title, style, data, licence, library, script.
const frame = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<style>%s</style>
</head>
<body>
<noscript>This report is drawn by a script, which the browser does not run.</noscript>
<main id="page"></main>
<script type="application/json" id="data">%s</script>
<!-- uPlot: %s -->
<script>%s</script>
<script type="module">%s</script>
</body>
</html>
`

// embedded is what every page holds in addition to its data.
type embedded struct{ style, library, licence, script, sources, policy string }

// assets returns it, with a policy that allows nothing else to be loaded or run.
var assets = sync.OnceValue(func() embedded {
	a := embedded{
		style:   vendored("uPlot.min.css") + "\n" + module("style.css"),
		library: vendored("uPlot.iife.min.js"),
		licence: vendored("LICENSE"),
		script:  bundle(),
	}
	a.sources = fmt.Sprintf("default-src 'none'; script-src %s %s; style-src %s; base-uri 'none'",
		digest(a.library), digest(a.script), digest(a.style))
	a.policy = a.sources + "; form-action 'none'"
	return a
})

// digest names an inline script or style in a policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
