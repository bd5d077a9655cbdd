package report

import (
	"math"
	"strconv"

	"warp/pkg/compare"
	"warp/pkg/units"
)

// averageLine prints "* Average: +2.10% (+11.7 MiB/s) throughput, +2.10% (+11.7) obj/s".
func (r *comparisonReport) averageLine(k *compare.Kind) {
	r.rateLine("Average", k, "throughput", "objects")
}

// segmentLines prints the same for the fastest, median and slowest segment, if there are several segments.
func (r *comparisonReport) segmentLines(k *compare.Kind) {
	if !severalSegments(k) {
		return
	}
	r.rateLine("Fastest", k, "fastest", "fastest.objects")
	r.rateLine("50% Median", k, "median", "median.objects")
	r.rateLine("Slowest", k, "slowest", "slowest.objects")
}

// severalSegments reports whether runs have more than one segment; otherwise it is the fastest, median and slowest in
// one.
func severalSegments(k *compare.Kind) bool {
	return k.Before.Segments > k.Before.Runs && k.After.Segments > k.After.Runs
}

func (r *comparisonReport) rateLine(name string, k *compare.Kind, bytes, objects string) {
	var items []string
	if c := k.Change(bytes); enough(c) {
		items = append(items, percentChange(c)+" ("+units.Signed(units.MiBs(c.Absolute, 1))+" MiB/s) throughput"+mark(c))
	}
	if c := k.Change(objects); enough(c) {
		items = append(items, percentChange(c)+" ("+units.Signed(units.MiBs(c.Absolute*units.MiB, 1))+") obj/s"+mark(c))
	}
	if len(items) > 0 {
		r.list(nil, "* "+name+": ", items)
	}
}

// firstByteLine prints the changes of times to first byte; nothing without any.
func (r *comparisonReport) firstByteLine(k *compare.Kind) {
	var items []string
	for _, m := range []struct{ name, metric string }{
		{"Average", "ttfb"}, {"Median", "ttfb.p50"}, {"Best", "ttfb.min"}, {"Worst", "ttfb.max"},
	} {
		if c := k.Change(m.metric); enough(c) {
			items = append(items, m.name+": "+units.Signed(nanoseconds(c.Absolute))+" ("+percentChange(c)+")"+mark(c))
		}
	}
	if len(items) > 0 {
		r.list(nil, "* First Byte: ", items)
	}
}

// enough reports whether there is a change between figures with enough samples.
func enough(c *compare.Change) bool { return c != nil && c.Before.Enough && c.After.Enough }

// mark follows a figure without a claim.
func mark(c *compare.Change) string {
	if c.Significant {
		return ""
	}
	return unclaimed
}

// percentChange returns the relative change: "+2.10%"; "from 0" if there is none.
func percentChange(c *compare.Change) string {
	if c.Relative == nil {
		return "from 0"
	}
	return units.Change(*c.Relative)
}

// level formats a confidence or a threshold: "95%", "99.9%".
func level(v float64) string {
	return strconv.FormatFloat(math.Round(units.Finite(v)*1e6)/1e4, 'f', -1, 64) + "%"
}
