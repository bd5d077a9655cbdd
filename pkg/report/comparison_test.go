package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"warp/internal/testkit"
	"warp/pkg/aggregate"
	"warp/pkg/compare"
	"warp/pkg/units"
)

// comparisonText prints c, which must not fail.
func comparisonText(t *testing.T, c *compare.Comparison, o TextOptions) string {
	t.Helper()
	var out bytes.Buffer
	if err := Comparison(&out, c, nil, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestComparison(t *testing.T) {
	for name, c := range comparisons() {
		t.Run(name, func(t *testing.T) {
			testkit.Golden(t, "testdata/cmp-"+name+".txt", comparisonText(t, c, TextOptions{}))
		})
	}
}

func TestComparisonVerboseShowsAllParameters(t *testing.T) {
	c := params()
	for i := range 2 * maxParams {
		c.Params = append(c.Params, compare.Difference{Path: fmt.Sprintf("x.%d", i), Before: "1", After: "2"})
	}
	short := comparisonText(t, c, TextOptions{})
	if !strings.Contains(short, " * 23 more\n") || strings.Contains(short, "seed: 7") {
		t.Errorf("not shortened:\n%s", short)
	}
	verbose := comparisonText(t, c, TextOptions{Verbose: true})
	if !strings.Contains(verbose, " * x.39: 1 -> 2\n") || !strings.Contains(verbose, " * seed: 7 -> 8\n") {
		t.Errorf("parameters are missing:\n%s", verbose)
	}
}

func TestComparisonFitsIntoTheTerminal(t *testing.T) {
	for _, width := range []int{60, 80, 100} {
		for name, c := range comparisons() {
			for line := range strings.Lines(comparisonText(t, c, TextOptions{Width: width})) {
				line = strings.TrimSuffix(line, "\n")
				if n := utf8.RuneCountInString(line); n > width && name != "params" { // its values are one word each
					t.Errorf("%s: %d characters: %s", name, n, line)
				}
				if strings.TrimRight(line, " ") != line {
					t.Errorf("%s: blanks at the end of %q", name, line)
				}
			}
		}
	}
}

// The table stays one in 80 columns; in fewer it becomes lines.
func TestComparisonNarrow(t *testing.T) {
	testkit.Golden(t, "testdata/cmp-single.80.txt", comparisonText(t, single(), TextOptions{Width: 80}))
	testkit.Golden(t, "testdata/cmp-single.60.txt", comparisonText(t, single(), TextOptions{Width: 60}))
}

func TestComparisonColorAddsOnlyEscapes(t *testing.T) {
	t.Setenv("NO_COLOR", "1") // the caller has decided already
	for name, c := range comparisons() {
		plain := comparisonText(t, c, TextOptions{Warnings: []string{"too short"}})
		colored := comparisonText(t, c, TextOptions{Warnings: []string{"too short"}, Color: true})
		if strings.ContainsRune(plain, 0x1b) {
			t.Errorf("%s: escapes without Color", name)
		}
		if got := escape.ReplaceAllString(colored, ""); got != plain {
			t.Errorf("%s: colour changes the text:\n%s", name, got)
		}
		// Colour says nothing that a word does not say.
		for line := range strings.Lines(colored) {
			if strings.HasPrefix(line, "\x1b[32m") && !strings.Contains(line, "improved") ||
				strings.HasPrefix(line, "\x1b[31m") && !strings.Contains(line, "regressed") && !strings.Contains(line, "Errors") {
				t.Errorf("%s: colour without a word: %q", name, line)
			}
		}
	}
	colored := comparisonText(t, single(), TextOptions{Color: true})
	for _, want := range []string{"\x1b[32mThroughput", "\x1b[31mThroughput", "\x1b[31mErrors: 0 -> 12"} {
		if !strings.Contains(colored, want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestEverySignificantChangeIsClaimed: rows of tables claim what is significant, and nothing else.
func TestEverySignificantChangeIsClaimed(t *testing.T) {
	claim := regexp.MustCompile(`(?m)^(Throughput|Objects|Fastest|Median|Slowest|Latency|First|Response|Client).* (improved|regressed)$`)
	for name, c := range comparisons() {
		significant := 0
		for _, k := range c.Kinds {
			metrics := rateMetrics
			if !k.Total {
				metrics = slices.Concat(rateMetrics, timeMetrics)
			}
			for _, m := range metrics {
				if _, ch := shown(k, m); ch != nil && ch.Significant {
					significant++
				}
			}
		}
		text := comparisonText(t, c, TextOptions{Verbose: true})
		if claims := len(claim.FindAllString(text, -1)); claims != significant {
			t.Errorf("%s: %d claims, want %d:\n%s", name, claims, significant, text)
		}
	}
}

// TestClassicComparison: the blocks of the manual of MinIO warp, line by line.
func TestClassicComparison(t *testing.T) {
	text := comparisonText(t, single(), TextOptions{Form: Classic})
	rates := `[+-][0-9.]+% \([+-][0-9.]+ MiB/s\) throughput, [+-][0-9.]+% \([+-][0-9.]+\) obj/s`
	change := `[+-][0-9.]+[nµm]?s \([+-][0-9.]+%\)`
	forms := []string{
		`-------------------`, `Operation: GET`, `Operations: \d+ -> \d+`, `Duration: \w+ -> \w+`, `\* Average: ` + rates,
		`\* First Byte: Average: ` + change + `, Median: ` + change + `, Best: ` + change + `, Worst: ` + change,
		`\* Fastest: ` + rates, `\* 50% Median: ` + rates, `\* Slowest: ` + rates,
	}
	_, block, _ := strings.Cut(text, "Operation: GET\n")
	lines := strings.Split("-------------------\nOperation: GET\n"+block, "\n")
	for i, form := range forms {
		if !regexp.MustCompile("^" + form + "$").MatchString(lines[i]) {
			t.Errorf("line %d is %q, want %s", i+1, lines[i], form)
		}
	}
	testkit.Golden(t, "testdata/classic.cmp.txt", text)
}

func TestComparisonOfIdenticalRunsClaimsNothing(t *testing.T) {
	c, err := compare.Compare([]*aggregate.Snapshot{twoHosts()}, []*aggregate.Snapshot{twoHosts()}, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]*compare.Comparison{"hand-made": identical(), "measured": c} {
		body, _, _ := strings.Cut(comparisonText(t, c, TextOptions{}), "Note:")
		_, body, _ = strings.Cut(body, rule)
		if strings.Contains(body, "improved") || strings.Contains(body, "regressed") {
			t.Errorf("%s: a claim in:\n%s", name, body)
		}
		for line := range strings.Lines(body) {
			isFigure := strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "Latency") || strings.HasPrefix(line, "Throughput")
			if isFigure && (!strings.Contains(line, "+0.00%") || !strings.Contains(line, "~")) {
				t.Errorf("%s: %q does not say ~ and +0.00%%", name, line)
			}
		}
	}
}

func TestComparisonShowsNoImpossibleFigure(t *testing.T) {
	odd := regexp.MustCompile(`NaN|Inf|%!|-0\.00?%|<nil>|  \+?0s`)
	for name, c := range comparisons() {
		for line := range strings.Lines(comparisonText(t, c, TextOptions{Verbose: true})) {
			if m := odd.FindString(line); m != "" {
				t.Errorf("%s: %q in %q", name, m, line)
			}
		}
	}
}

func TestPercentOfChange(t *testing.T) {
	for v, want := range map[float64]string{
		0: "+0.00%", 0.021: "+2.10%", -0.1002: "-10.02%", -0.00001: "+0.00%", 0.00005: "+0.01%", -1: "-100.00%",
		9.99: "+999.00%", 12.345: "+1234%", math.NaN(): "+0.00%", math.Inf(1): "+0.00%",
	} {
		if got := units.Change(v); got != want {
			t.Errorf("units.Change(%g) = %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{0.95: "95%", 0.999: "99.9%", 0.03: "3%", 0.07: "7%"} {
		if got := level(v); got != want {
			t.Errorf("level(%g) = %q, want %q", v, got, want)
		}
	}
}

func TestComparisonJSON(t *testing.T) {
	for name, c := range comparisons() {
		t.Run(name, func(t *testing.T) {
			doc := ComparisonDocument{WarpVersion: "1.0.0", Warnings: []string{"before: too short"}, Comparison: c}
			var out bytes.Buffer
			if err := ComparisonJSON(&out, doc); err != nil {
				t.Fatal(err)
			}
			var back map[string]any
			if err := json.Unmarshal(out.Bytes(), &back); err != nil {
				t.Fatal(err)
			}
			if back["version"] != 1.0 || back["types"] == nil || back["warnings"] == nil {
				t.Errorf("version %v, types %v, warnings %v", back["version"], back["types"], back["warnings"])
			}
			if name == "single" || name == "sets" || name == "params" || name == "nothing" {
				testkit.Golden(t, "testdata/cmp-"+name+".json", out.String())
			}
		})
	}
}

func TestComparisonJSONRefusesWhatIsNoNumber(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		c := single()
		c.Kinds[0].Changes[0].Absolute = v
		var out bytes.Buffer
		if err := ComparisonJSON(&out, ComparisonDocument{Comparison: c}); err == nil || out.Len() > 0 {
			t.Errorf("%g: error %v, %d bytes written", v, err, out.Len())
		}
	}
}

func TestComparisonWriteErrorsAreReturned(t *testing.T) {
	for name, err := range map[string]error{
		"text": Comparison(brokenWriter{}, single(), nil, TextOptions{}),
		"JSON": ComparisonJSON(brokenWriter{}, ComparisonDocument{Comparison: single()}),
	} {
		if err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}
