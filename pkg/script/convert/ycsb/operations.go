package ycsb

import (
	"fmt"
	"math"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// access returns the pattern of requests.
func (y *converter) access() string {
	percent := func(name string, scale float64) string { return draft.Decimal(scale * y.number(name)) }
	switch dist := y.text("requestdistribution"); dist {
	case "uniform":
		return "uniform"
	case "zipfian":
		return "ycsb-zipf"
	case "latest":
		return "latest(0.99)"
	case "sequential":
		return "seq"
	case "exponential":
		return fmt.Sprintf("exponential(%s%%,%s%%)", percent("exponential.frac", 100), percent("exponential.percentile", 1))
	case "hotspot":
		return fmt.Sprintf("hot(%s%%,%s%%)", percent("hotspotdatafraction", 100), percent("hotspotopnfraction", 100))
	default:
		y.fail("requestdistribution", "cannot be converted (want uniform, zipfian, latest, hotspot, sequential or exponential)")
		return ""
	}
}

// growing reports whether the requests may be for objects that the run has uploaded.
func (y *converter) growing() bool {
	switch y.text("requestdistribution") {
	case "zipfian", "latest", "exponential":
		return true
	}
	return false
}

// operations returns the weighted operations. The S3 binding reads an object before it updates it.
func (y *converter) operations(set string) (ops []script.Do) {
	get := draft.Op("get", set, "access", y.access())
	if y.on("dataintegrity") {
		get.Params = append(get.Params, script.NewParam("verify", "true"))
	}
	update, modify := get, get
	update.Then = []script.Do{draft.Op("put", "same")}
	modify.Then = []script.Do{draft.Op("get", "same"), draft.Op("put", "same")}
	modify.Then[0].Name = script.Text("readmodifywrite-update")
	for _, o := range []struct {
		name string
		op   script.Do
	}{{"read", get}, {"update", update}, {"insert", draft.Op("put", set)}, {"scan", y.scan(set)}, {"readmodifywrite", modify}} {
		share := y.number(o.name + "proportion")
		if share == 0 {
			continue
		}
		o.op.Weight = y.value(o.name+"proportion", draft.Decimal(100*share))
		o.op.Name = script.Text(o.name)
		for i := range o.op.Then {
			if then := &o.op.Then[i]; then.Name.IsZero() {
				then.Name = o.op.Name
			}
		}
		ops = append(ops, o.op)
	}
	if len(ops) == 1 {
		ops[0].Weight, ops[0].Name = script.Value{}, script.Value{}
		for i := range ops[0].Then {
			ops[0].Then[i].Name = script.Value{}
		}
	}
	return ops
}

// maxScan is the largest maxscanlength.
const maxScan = 1_000_000

// scan returns the operation of a scan: the S3 binding lists the whole bucket, and reads from the record on up to the place in the
// listing that is the length of the scan.
func (y *converter) scan(set string) script.Do {
	o := draft.Op("list", set, "max-keys", "1000")
	if y.number("scanproportion") == 0 {
		return o
	}
	lowest, highest := y.whole("minscanlength"), y.whole("maxscanlength")
	switch dist := y.text("scanlengthdistribution"); {
	case dist != "uniform" && dist != "zipfian":
		y.fail("scanlengthdistribution", "(want uniform or zipfian)")
		return o
	case highest > maxScan || lowest > highest:
		y.fail("maxscanlength", "(want at least minscanlength, and at most %d)", maxScan)
		return o
	}
	mean := y.scanned(lowest, highest, float64(max(1, y.inserted())))
	n := uint64(math.Round(mean))
	draft.AddNote(&o.Head, "Approximated: as the S3 binding does, a scan lists the whole bucket, then reads the objects from its record on, "+
		"as long as their place in the listing is below the length of the scan: %s on average, here always %d.", draft.Decimal(mean), n)
	if n > 0 {
		read := draft.Op("get", set, "access", "uniform")
		read.Count = draft.Number(n)
		o.Then = []script.Do{read}
	}
	return o
}

// scanned returns how many objects a scan reads on average: a record is at each place of the listing with the same probability.
func (y *converter) scanned(lowest, highest uint64, records float64) (mean float64) {
	weights := 0.0
	for n := lowest; n <= highest; n++ {
		weight, length := 1.0, min(float64(n), records)
		if y.text("scanlengthdistribution") == "zipfian" {
			weight = math.Pow(float64(n-lowest+1), -theta)
		}
		mean += weight * length * (length + 1) / 2 / records
		weights += weight
	}
	return mean / weights
}
