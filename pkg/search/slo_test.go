package search

import (
	"errors"
	"strings"
	"testing"
	"time"

	"warp/internal/option"
)

func TestParseObjectives(t *testing.T) {
	list, err := ParseObjectives("p99<50ms, get.p99.9 <= 1s", "errors<0.1%", "GET.ttfb.p50<5ms")
	if err != nil || len(list) != 4 {
		t.Fatal(list, err)
	}
	for i, want := range []struct {
		text, kind string
		limit      time.Duration
		firstByte  bool
		allowed    float64
	}{
		{"p99 < 50ms", "", 50 * time.Millisecond, false, 0.01},
		{"GET.p99.9 <= 1s", "GET", time.Second, false, 0.001},
		{"errors < 0.1%", "", 0, false, 0.001},
		{"GET.ttfb.p50 < 5ms", "GET", 5 * time.Millisecond, true, 0.5},
	} {
		if o := list[i]; o.String() != want.text || o.Kind != want.kind || o.Limit != want.limit || o.FirstByte != want.firstByte || o.Allowed != want.allowed {
			t.Errorf("%+v, want %+v", o, want)
		}
	}
	for text, want := range map[string]string{
		"p99>50ms":             "want an upper limit",
		"p99<+10%":             "a change needs a comparison",
		"errors<5":             "want a share of operations, like errors<0.1%",
		"errors<0%":            "want more than 0",
		"errors<100%":          "want less than 100%",
		"avg<5ms":              "avg is no share of operations",
		"max<5ms":              "want a percentile or errors",
		"throughput<100MiB/s":  "throughput is no share of operations",
		"p99<":                 "missing value",
		"p99<50":               "is not a duration",
		"latency<50ms":         "unknown metric",
		"":                     "empty rule",
		"p99<50ms,,errors<1%":  "empty rule",
		"p99<50ms,errors < x%": "does not start with a number",
	} {
		_, err := ParseObjectives(text)
		if known := (*option.Error)(nil); !errors.As(err, &known) || !strings.HasPrefix(err.Error(), "--slo: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestObjective(t *testing.T) {
	list, err := ParseObjectives("p99<50ms", "ttfb.p99<10ms", "errors<1%", "put.p99<50ms", "total.p99<50ms")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ failed, slow, slowFirst, get bool }{
		{true, true, false, true},
		{true, false, true, true},
		{true, false, false, true},
		{true, true, false, false},
		{true, true, false, true},
	} {
		o := list[i]
		if o.Bad(true, 0, 0) != want.failed || o.Bad(false, time.Second, 0) != want.slow || o.Bad(false, 0, time.Second) != want.slowFirst ||
			o.Bad(false, o.Limit, o.Limit) || o.Covers("get") != want.get {
			t.Errorf("%s is wrong about operations", o)
		}
	}
}

func FuzzParseObjectives(f *testing.F) {
	for _, text := range []string{"p99<50ms", "get.p99.9<=1s,errors<0.1%", "errors<1e-300%", "p99<1ns"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseObjectives(text)
		for _, o := range list {
			if err != nil || !(o.Allowed > 0 && o.Allowed < 1) || o.Limit < 0 {
				t.Errorf("%q: %+v", text, o)
			}
		}
	})
}
