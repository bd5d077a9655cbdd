package report

import (
	"math"
	"strconv"
	"strings"

	"warp/pkg/compare"
	"warp/pkg/units"
)

// averageLine prints "* Average: +2.10% (+11.7 MiB/s) throughput, +2.10% (+11.7) obj/s".
func (r *comparisonReport) averageLine(t *compare.Type) {
	r.rateLine("Average", t, "throughput", "objects")
}

// segmentLines prints the same for the fastest, median and slowest segment, unless one segment is all of them.
func (r *comparisonReport) segmentLines(t *compare.Type) {
	if !severalSegments(t) {
		return
	}
	r.rateLine("Fastest", t, "fastest", "fastest.objects")
	r.rateLine("50% Median", t, "median", "median.objects")
	r.rateLine("Slowest", t, "slowest", "slowest.objects")
}

// severalSegments tells whether runs had more than one segment; else that is the fastest, the median and the slowest.
func severalSegments(t *compare.Type) bool {
	return t.Before.Segments > t.Before.Runs && t.After.Segments > t.After.Runs
}

func (r *comparisonReport) rateLine(name string, t *compare.Type, bytes, objects string) {
	var items []string
	if c := t.Change(bytes); sound(c) {
		items = append(items, percentChange(c)+" ("+signed(units.MiBs(c.Absolute, 1))+" MiB/s) throughput"+mark(c))
	}
	if c := t.Change(objects); sound(c) {
		items = append(items, percentChange(c)+" ("+signed(units.MiBs(c.Absolute*units.MiB, 1))+") obj/s"+mark(c))
	}
	if len(items) > 0 {
		r.list(nil, "* "+name+": ", items)
	}
}

// firstByteLine prints how the times to first byte changed; nothing if there are none.
func (r *comparisonReport) firstByteLine(t *compare.Type) {
	var items []string
	for _, m := range []struct{ name, metric string }{
		{"Average", "ttfb"}, {"Median", "ttfb.p50"}, {"Best", "ttfb.min"}, {"Worst", "ttfb.max"},
	} {
		if c := t.Change(m.metric); sound(c) {
			items = append(items, m.name+": "+signed(nanoseconds(c.Absolute))+" ("+percentChange(c)+")"+mark(c))
		}
	}
	if len(items) > 0 {
		r.list(nil, "* First Byte: ", items)
	}
}

// sound tells whether there is a change, of figures that rest on enough samples.
func sound(c *compare.Change) bool { return c != nil && c.Before.Sound && c.After.Sound }

// mark follows a figure that nothing is claimed of.
func mark(c *compare.Change) string {
	if c.Significant {
		return ""
	}
	return unclaimed
}

// percentChange is the relative change: "+2.10%"; "from 0" if it has none.
func percentChange(c *compare.Change) string {
	if c.Relative == nil {
		return "from 0"
	}
	return percent(*c.Relative)
}

// percent prints a relative change with its sign: "+2.10%", "-0.35%", "+1234%". No change is "+0.00%".
func percent(v float64) string {
	v = 100 * finite(v)
	decimals := 2
	if math.Abs(v) >= 1000 {
		decimals = 0
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if text == "-0.00" {
		text = "0.00"
	}
	return signed(text) + "%"
}

// level prints a confidence or a threshold: "95%", "99.9%".
func level(v float64) string {
	return strconv.FormatFloat(math.Round(finite(v)*1e6)/1e4, 'f', -1, 64) + "%"
}

// signed puts a plus before a figure that has no minus.
func signed(figure string) string {
	if strings.HasPrefix(figure, "-") {
		return figure
	}
	return "+" + figure
}
