package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"warp/pkg/aggregate"
	"warp/pkg/compare"
	"warp/pkg/gate"
	"warp/pkg/units"
)

// Summary is a report in brief, for pull requests and the job summaries of CI.
type Summary struct {
	Command  string
	Rulings  []Ruling
	Warnings []string
	Text     []byte // the report in full, as text
}

// most figures of a summary, since pages of pull requests are short.
const (
	maxSummaryRows     = 40
	maxSummaryWarnings = 20
)

// ownPartHead is the column of the client's own part of latencies.
const ownPartHead = "Client's own part"

// Markdown writes the summary of a run.
func Markdown(w io.Writer, o Summary, s *aggregate.Snapshot) error {
	m := &markdown{}
	m.head(&o)
	rows := [][]string{{"Operation", "Operations", "Errors", "MiB/s", "Objects/s", "p50", "p90", "p99", "p99.9", ownPartHead}}
	several, owned := severalPhases(s), false
	for _, g := range s.Groups {
		if isPreparation(g) {
			continue
		}
		name := string(g.Kind)
		if several {
			name = g.Phase + " " + name
		}
		own := missing
		if sh, ok := aggregate.ShareOf("", g.Latency, &g.Own); ok && g.Own.Known() {
			own, owned = fmt.Sprintf("%s (p%g)", ownText(g, sh.Percentile), sh.Percentile), true
		}
		rows = append(rows, append(append([]string{name}, kindRow(g)...), own))
	}
	if !owned {
		dropColumn(rows, ownPartHead)
	}
	m.table(rows, 1)
	m.foot(&o, s.Warnings)
	return m.write(w)
}

// kindRow returns the figures of a kind of operations.
func kindRow(g *aggregate.Group) []string {
	row := []string{fmt.Sprint(g.Requests), fmt.Sprint(g.Errors), missing, missing}
	if g.Window.Duration() > 0 {
		if g.MovesBytes() {
			row[2] = units.MiBs(g.BytesPerSec(), 2)
		}
		row[3] = units.PerSecond(g.ObjectsPerSec())
	}
	for _, p := range []float64{50, 90, 99, 99.9} {
		row = append(row, summaryPercentile(g.Latency, p))
	}
	return row
}

// ComparisonMarkdown writes the summary of a comparison, or of several with the same recordings before.
func ComparisonMarkdown(w io.Writer, o Summary, docs ...ComparisonDocument) error {
	m := &markdown{}
	m.head(&o)
	for i := range docs {
		if len(docs) > 1 {
			m.line("#### %s\n", cell("After: "+strings.Join(docs[i].After, ", ")))
		}
		m.changes(docs[i].Comparison)
	}
	m.foot(&o, nil)
	return m.write(w)
}

// markdown is a page being written.
type markdown struct{ buf bytes.Buffer }

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(&m.buf, format+"\n", args...) }

// changes writes what changed.
func (m *markdown) changes(c *compare.Comparison) {
	rows := [][]string{{"Operation", "Figure", "Before", "After", "Change", level(c.Confidence) + " interval", "Verdict"}}
	r := &comparisonReport{printer: newPrinter(false, 0), c: c}
	for _, k := range c.Kinds {
		for _, metric := range append(slices.Clone(rateMetrics), timeMetrics...) {
			if name, change := shown(k, metric); change != nil && metric.always && !(k.Total && change.Unit == compare.Nanoseconds) {
				row := r.row(name, change)
				rows = append(rows, append([]string{k.Name.String()}, row.cells...))
			}
		}
	}
	m.table(rows, 2)
}

// head writes the title, with the verdict, and the rules.
func (m *markdown) head(o *Summary) {
	count := map[gate.Verdict]int{}
	for i := range o.Rulings {
		count[o.Rulings[i].Verdict]++
	}
	title := "### warp " + cell(o.Command)
	switch broken, unknown := count[gate.Broken], count[gate.Unknown]; {
	case broken > 0:
		title += fmt.Sprintf(": %d of %s broken", broken, units.Plural(int64(len(o.Rulings)), "rule"))
	case unknown > 0:
		title += fmt.Sprintf(": %d of %s not known", unknown, units.Plural(int64(len(o.Rulings)), "rule"))
	case len(o.Rulings) > 0:
		title += ": " + units.Plural(int64(len(o.Rulings)), "rule") + " kept"
	}
	m.line("%s\n", title)
	if len(o.Rulings) == 0 {
		return
	}
	rows := [][]string{{"Rule", "Result", "Found"}}
	for _, r := range o.Rulings {
		result := map[gate.Verdict]string{gate.Held: "kept", gate.Broken: "**broken**", gate.Unknown: "**not known**"}[r.Verdict]
		rows = append(rows, []string{r.title(), result, r.Found})
	}
	m.table(rows, 3)
}

// table writes rows; columns from the first number on are figures.
func (m *markdown) table(rows [][]string, figures int) {
	if len(rows) == 1 {
		return
	}
	more := len(rows) - 1 - maxSummaryRows
	rows = rows[:min(len(rows), maxSummaryRows+1)]
	for i, row := range rows {
		cells := make([]string, len(row))
		for k, text := range row {
			cells[k] = cell(text)
		}
		m.line("| %s |", strings.Join(cells, " | "))
		if i == 0 {
			for k := range cells {
				if cells[k] = "---"; k >= figures {
					cells[k] = "---:"
				}
			}
			m.line("| %s |", strings.Join(cells, " | "))
		}
	}
	m.line("")
	if more > 0 {
		m.line("%s in the report.\n", furtherItems(more, "line"))
	}
}

// furtherItems says that there are further things of a kind: "1 more line is", "2 more lines are".
func furtherItems(n int, noun string) string {
	if n == 1 {
		return "1 more " + noun + " is"
	}
	return fmt.Sprintf("%d more %ss are", n, noun)
}

// foot writes the warnings, and the report in full.
func (m *markdown) foot(o *Summary, more []string) {
	warnings := slices.Concat(o.Warnings, more)
	for _, text := range warnings[:min(len(warnings), maxSummaryWarnings)] {
		m.line("- Warning: %s", cell(strings.TrimSpace(text)))
	}
	if n := len(warnings) - maxSummaryWarnings; n > 0 {
		m.line("- %s in the report.", furtherItems(n, "warning"))
	}
	if len(warnings) > 0 {
		m.line("")
	}
	fence := "```"
	for bytes.Contains(o.Text, []byte(fence)) {
		fence += "`"
	}
	m.line("<details><summary>Report</summary>\n\n%stext\n%s\n%s\n\n</details>", fence, strings.TrimRight(string(o.Text), "\n"), fence)
}

func (m *markdown) write(w io.Writer) error {
	if _, err := w.Write(m.buf.Bytes()); err != nil {
		return fmt.Errorf("write the summary: %w", err)
	}
	return nil
}

// special are characters that mean something in Markdown or HTML.
var special = strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]",
	`\]`, `\`, `\\`, "@", "&#64;")

// cell escapes a text and puts it on one line. Verdicts are ours, and keep their emphasis.
func cell(text string) string {
	if text == "**broken**" {
		return text
	}
	return special.Replace(units.Line(text))
}
