package gate

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Rule
	}{
		{"GET.p99>50ms", Rule{Kind: "GET", Metric: "p99", Op: ">", Value: 50e6}},
		{"get.P99 >= 1.5s", Rule{Kind: "GET", Metric: "p99", Op: ">=", Value: 1.5e9}},
		{"p99.9>50µs", Rule{Metric: "p99.9", Op: ">", Value: 50e3}},
		{"Get.p99.9>50us", Rule{Kind: "GET", Metric: "p99.9", Op: ">", Value: 50e3}},
		{"ttfb.p99>2m", Rule{Metric: "ttfb.p99", Op: ">", Value: 120e9}},
		{"GET.ttfb.p99>7ns", Rule{Kind: "GET", Metric: "ttfb.p99", Op: ">", Value: 7}},
		{"GET.ttfb>1ms", Rule{Kind: "GET", Metric: "ttfb", Op: ">", Value: 1e6}},
		{"TTFB.p50>1ms", Rule{Metric: "ttfb.p50", Op: ">", Value: 1e6}},
		{"PUT.throughput<100MiB/s", Rule{Kind: "PUT", Metric: "throughput", Op: "<", Value: 100 << 20}},
		{"throughput<=1.5gb/s", Rule{Metric: "throughput", Op: "<=", Value: 1.5e9}},
		{"throughput<9 KB/s", Rule{Metric: "throughput", Op: "<", Value: 9000}},
		{"GET.objects<1000/s", Rule{Kind: "GET", Metric: "objects", Op: "<", Value: 1000}},
		{"GET.objects<1000", Rule{Kind: "GET", Metric: "objects", Op: "<", Value: 1000}},
		{"GET.slowest.objects<10obj/s", Rule{Kind: "GET", Metric: "slowest.objects", Op: "<", Value: 10}},
		{"total.objects<1000/s", Rule{Kind: "TOTAL", Metric: "objects", Op: "<", Value: 1000}},
		{"errors>0", Rule{Metric: "errors", Op: ">", Value: 0}},
		{"errors > 0.1%", Rule{Metric: "errors", Op: ">", Value: 0.001, Percent: true}},
		{"PUT.errors>+10%", Rule{Kind: "PUT", Metric: "errors", Op: ">", Value: 0.1, Relative: true}},
		{"GET.p99>+10%", Rule{Kind: "GET", Metric: "p99", Op: ">", Value: 0.1, Relative: true}},
		{"GET.throughput<-5%", Rule{Kind: "GET", Metric: "throughput", Op: "<", Value: -0.05, Relative: true}},
		{"PUT-PART.median<-0%", Rule{Kind: "PUT-PART", Metric: "median", Op: "<", Value: 0, Relative: true}},
	} {
		rules, err := Parse(tt.text)
		if err != nil || len(rules) != 1 {
			t.Errorf("%s: %v, %v", tt.text, rules, err)
			continue
		}
		got := rules[0]
		got.value = ""
		if diff := got.Value - tt.want.Value; diff > 1e-9 || diff < -1e-9 {
			t.Errorf("%s: value %v, want %v", tt.text, got.Value, tt.want.Value)
		}
		got.Value = tt.want.Value
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.text, got, tt.want)
		}
	}
}

func TestParseSeveral(t *testing.T) {
	rules, err := Parse("GET.p99>50ms, errors>0", "PUT.throughput<100MiB/s")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rules {
		got = append(got, r.String())
	}
	if want := "GET.p99 > 50ms|errors > 0|PUT.throughput < 100MiB/s"; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", strings.Join(got, "|"), want)
	}
	if rules, err := Parse(); rules != nil || err != nil {
		t.Errorf("nothing gives %v, %v", rules, err)
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct {
		text, caret string // where the mark must be
		says        string
	}{
		{"", "^", "empty rule"},
		{"  ", "  ^", "empty rule"},
		{"errors>0,", "         ^", "empty rule"},
		{"errors>0,,p99>1s", "         ^", "empty rule"},
		{"GET.p99", "       ^", "missing operator"},
		{"GET.p99=5ms", "       ^", `invalid operator "="`},
		{"GET.p99!=5ms", "       ^", `invalid operator "!="`},
		{">5ms", "^", "missing metric"},
		{"GET.>5ms", "    ^", `unknown metric ""`},
		{"GET.p98>5ms", "    ^", `unknown metric "p98"; want one of errors, throughput`},
		{"GET>5ms", "^", `unknown metric "GET"`},
		{".p99>5ms", "^", "invalid kind of operation"},
		{"GET PUT.p99>5ms", "^", "invalid kind of operation"},
		{"errors>0, GET.p98>5ms", "              ^", `"p98"`},
		{"GET.p99>", "        ^", "missing value; want a duration"},
		{"GET.p99>50", "        ^", "not a duration"},
		{"GET.p99>50MiB/s", "        ^", "not a duration"},
		{"GET.p99>10%", "          ^", "needs a sign"},
		{"GET.p99>+10", "           ^", "needs a percent sign"},
		{"GET.p99>+10ms", "           ^", "needs a percent sign"},
		{"GET.p99>+1e5%", "          ^", "needs a percent sign"},
		{"throughput<-101%", "               ^", "below -100%"},
		{"errors>100.1%", "            ^", "more than all operations"},
		{"GET.p99>+%", "         ^", "does not start with a number"},
		{"GET.p99>+-1%", "         ^", "does not start with a number"},
		{"GET.p99>>1ms", "        ^", "not a duration"},
		{"GET.p99>9999999999h", "        ^", "not a duration"},
		{"throughput<100", "              ^", `invalid unit "" for throughput; want a rate`},
		{"throughput<100ms", "              ^", `invalid unit "ms"`},
		{"throughput<5%", "            ^", "needs a sign"},
		{"throughput<x", "           ^", "does not start with a number"},
		{"throughput<1.2.3B/s", "           ^", "does not start with a number"},
		{"objects<10MiB/s", "          ^", "want objects per second"},
		{"errors>1/s", "        ^", "want a number of errors"},
		{"µ.p98>1s", "  ^", `"p98"`},
	} {
		_, err := Parse(tt.text)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: error %v", tt.text, err)
			continue
		}
		if got := utf8.RuneCountInString(tt.text[:syntax.Offset]); got != len(tt.caret)-1 {
			t.Errorf("mark at character %d, want\n%s\n%s", got, tt.text, tt.caret)
		}
		if !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %q, want %q in it", tt.text, err, tt.says)
		}
	}
	if _, err := Parse("GET.p99>" + strings.Repeat("9", 4000) + "s"); err == nil || len(err.Error()) > 400 {
		t.Errorf("a long text is refused with %v", err)
	}
	if _, err := Parse("errors>" + strings.Repeat("9", 400)); err == nil {
		t.Error("a number too large is accepted")
	}
	if _, err := Parse("throughput>" + strings.Repeat("9", 308) + "TiB/s"); err == nil {
		t.Error("a rate too large is accepted")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"GET.p99>50ms", "GET.p99>+10%, errors>0.1%", "PUT.throughput<100MiB/s", "total.ttfb.p99 <= -5%", "p99.9>=1.5µs", "objects<1e3", "a.b.c.p50>1m30s", ">", "µ<,",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := Parse(text)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(text) {
				t.Fatalf("error %v without a place in %q", err, text)
			}
			return
		}
		for _, r := range rules {
			again, err := Parse(r.String())
			if err != nil || len(again) != 1 || again[0] != r {
				t.Fatalf("%q is %+v, but %q is %+v (%v)", text, r, r.String(), again, err)
			}
		}
	})
}
