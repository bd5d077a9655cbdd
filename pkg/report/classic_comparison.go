package report

import (
	"fmt"

	"warp/pkg/compare"
	"warp/pkg/units"
)

// classicChange prints the changes of a kind of operation as the manual of MinIO warp has them.
func classicChange(r *comparisonReport, k *compare.Kind) {
	r.emit(r.head, classicRule)
	title := "Operation: " + string(k.Name.Kind)
	if k.Total {
		title = "Cluster Total"
	}
	r.line(r.head, title)
	r.line(nil, fmt.Sprintf("Operations: %d -> %d", k.Before.Operations, k.After.Operations))
	r.line(nil, fmt.Sprintf("Duration: %s -> %s", ran(k.Before.Duration), ran(k.After.Duration)))
	r.rateLine("Average", k, "throughput", "objects")
	r.firstByteLine(k)
	if severalSegments(k) {
		r.rateLine("Fastest", k, "fastest", "fastest.objects")
		r.rateLine("50% Median", k, "median", "median.objects")
		r.rateLine("Slowest", k, "slowest", "slowest.objects")
	}
}

// rateLine prints "* Average: +2.10% (+11.7 MiB/s) throughput, +2.10% (+11.7) obj/s".
func (r *comparisonReport) rateLine(name string, k *compare.Kind, bytes, objects string) {
	var items []string
	if c := k.Change(bytes); enough(c) {
		items = append(items, percentChange(c)+" ("+units.Signed(units.MiBs(c.Absolute, 1))+" MiB/s) throughput")
	}
	if c := k.Change(objects); enough(c) {
		items = append(items, percentChange(c)+" ("+units.Signed(units.MiBs(c.Absolute*units.MiB, 1))+") obj/s")
	}
	if len(items) > 0 {
		r.list(nil, "* "+name+": ", items)
	}
}

// firstByteLine prints the changes of times to first byte, if there are any.
func (r *comparisonReport) firstByteLine(k *compare.Kind) {
	var items []string
	for _, m := range []struct{ name, metric string }{
		{"Average", "ttfb"}, {"Median", "ttfb.p50"}, {"Best", "ttfb.min"}, {"Worst", "ttfb.max"},
	} {
		if c := k.Change(m.metric); enough(c) {
			items = append(items, m.name+": "+units.Signed(nanoseconds(c.Absolute))+" ("+percentChange(c)+")")
		}
	}
	if len(items) > 0 {
		r.list(nil, "* First Byte: ", items)
	}
}
