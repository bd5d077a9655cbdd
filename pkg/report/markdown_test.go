package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"strings"
	"testing"

	"warp/internal/testkit"
	"warp/pkg/gate"
)

// verdicts are rules of all kinds, one of them about hostile names.
func verdicts() []Ruling {
	return []Ruling{
		{Source: FailIf, Rule: "GET.p99 > 50ms", Verdict: gate.Held, Found: "GET.p99 = 8.10ms"},
		{Source: Expected, Stream: "a*b", Rule: "GET:<b>|x`.errors = 0", Verdict: gate.Broken, Found: "GET.errors = 1 & more\n\x1b[2J</details>```"},
		{Source: FailIf, Rule: "PUT.p99 > 50ms", Verdict: gate.Unknown, Found: "not known: no PUT operations in this run (found GET)"},
	}
}

func summary() Summary {
	return Summary{Command: "mixed", Rulings: verdicts(), Warnings: []string{"a | b <script>\nsecond line"}, Text: []byte("Report\n```\n</details>\n")}
}

func TestMarkdown(t *testing.T) {
	for name, s := range map[string]Summary{"summary": summary(), "summary-plain": {Command: "get"}} {
		var out bytes.Buffer
		if err := Markdown(&out, s, mixed()); err != nil {
			t.Fatal(err)
		}
		testkit.Golden(t, "testdata/"+name+".md", out.String())
	}
	var out bytes.Buffer
	if err := ComparisonMarkdown(&out, summary(), ComparisonDocument{Comparison: single()}); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/summary-cmp.md", out.String())
}

// TestMarkdownEscapes checks that no text begins an element, a column or a line of its own, outside of the report, which is code.
func TestMarkdownEscapes(t *testing.T) {
	var out bytes.Buffer
	if err := Markdown(&out, summary(), mixed()); err != nil {
		t.Fatal(err)
	}
	page, _, _ := strings.Cut(out.String(), "<details>")
	if strings.ContainsAny(page, "<>\x1b") {
		t.Errorf("markup in %s", page)
	}
	for line := range strings.Lines(page) {
		if n := strings.Count(line, "|") - strings.Count(line, `\|`); strings.Contains(line, "expected") && n != 4 {
			t.Errorf("%d bounds of columns, want 4: %s", n, line)
		}
	}
	if !strings.Contains(out.String(), "\n````text\n") {
		t.Errorf("the fence is in the text: %s", out.String())
	}
}

func TestJUnit(t *testing.T) {
	var out bytes.Buffer
	if err := JUnit(&out, "get", verdicts()); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/rules.xml", out.String())
	var read junitSuites
	if err := xml.Unmarshal(out.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	if read.Tests != 3 || read.Failures != 1 || read.Errors != 1 || read.Suites[0].Cases[2].Error == nil || len(read.Suites) != 1 || read.Suites[0].Cases[1].Failure == nil || read.Suites[0].Cases[0].Failure != nil {
		t.Errorf("%+v", read)
	}
	if err := JUnit(brokenPipe{}, "get", nil); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("error %v", err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("gone") }

// The client's own part has a column where it is known.
func TestMarkdownOwnPart(t *testing.T) {
	for name, want := range map[string]string{"open-loop": "| 13.9ms (p99) |", "list": ""} {
		var out strings.Builder
		if err := Markdown(&out, Summary{Command: "get"}, fixtures()[name]); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); !strings.Contains(text, want) || strings.Contains(text, ownPartHead) != (want != "") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
