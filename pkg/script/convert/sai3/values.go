package sai3

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/units"
)

// lookup returns a value below keys; one that is not there has no place.
func lookup(e draft.Entry, keys ...string) draft.Entry {
	for _, key := range keys {
		e = e.Values[key]
	}
	return e
}

// whole returns a whole number, which may have separators.
func (b *bench) whole(e draft.Entry, name string, missing int64) int64 {
	if e.Text == "" {
		return missing
	}
	n, err := strconv.ParseInt(strings.NewReplacer(",", "", "_", "").Replace(e.Text), 10, 62)
	if err != nil || n < 0 || n > 1<<50 {
		b.Addf(e.At, "%s: invalid value %q (want a number)", name, e.Text)
		return missing
	}
	return n
}

// number returns a number.
func (b *bench) number(e draft.Entry, name string, missing float64) float64 {
	if e.Text == "" {
		return missing
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(e.Text, "_", ""), 64)
	if err != nil || !(x >= 0 && x <= 1<<62) {
		b.Addf(e.At, "%s: invalid value %q (want a number)", name, e.Text)
		return missing
	}
	return x
}

// duration returns a time, as in 5m or 30s; a number is seconds.
func (b *bench) duration(e draft.Entry, name string, missing time.Duration) time.Duration {
	if e.Text == "" {
		return missing
	}
	if n, err := strconv.ParseInt(e.Text, 10, 32); err == nil && n >= 0 {
		return time.Duration(n) * time.Second
	}
	d, err := time.ParseDuration(strings.ReplaceAll(e.Text, " ", ""))
	if err != nil || d < 0 {
		b.Addf(e.At, "%s: invalid value %q (want a duration, as in 5m)", name, e.Text)
		return missing
	}
	return d
}

// bytes returns a size: a number, or one with a unit. K and KB are 1000, KiB is 1024.
func (b *bench) bytes(e draft.Entry, name string, missing int64) int64 {
	text := strings.ReplaceAll(strings.ReplaceAll(e.Text, "_", ""), ",", "")
	if text == "" {
		return missing
	}
	number := strings.TrimRight(text, "BKMGTPEbkmgtpei ")
	unit := strings.ToUpper(strings.TrimSpace(text[len(number):]))
	unit = strings.TrimSuffix(unit, "B")
	base := 1000.0
	if strings.HasSuffix(unit, "I") {
		unit, base = strings.TrimSuffix(unit, "I"), 1024
	}
	x, err := strconv.ParseFloat(number, 64)
	power := strings.Index("KMGTPE", unit)
	if err != nil || x < 0 || power < 0 || len(unit) > 1 {
		b.Addf(e.At, "%s: invalid value %q (want a size, as in 4096, 64KB or 1MiB)", name, e.Text)
		return missing
	}
	if unit != "" {
		x *= math.Pow(base, float64(power+1))
	}
	if x > 5<<40 {
		b.Addf(e.At, "%s: %s is too large", name, e.Text)
		return missing
	}
	return int64(x)
}

// sizes returns the sizes of objects of a workload or of a preparation; empty if none are stated.
func (b *bench) sizes(e draft.Entry, name string) string {
	for _, key := range []string{"size_spec", "size_distribution"} {
		spec, ok := e.Values[key]
		switch {
		case !ok:
		case spec.Values == nil:
			return units.ExactSize(b.bytes(spec, name+"."+key, 0))
		default:
			return b.distribution(spec, name+"."+key)
		}
	}
	if size, ok := e.Values["object_size"]; ok {
		return units.ExactSize(b.bytes(size, name+".object_size", 0))
	}
	return ""
}

// distribution returns sizes that differ.
func (b *bench) distribution(e draft.Entry, name string) string {
	size := func(key string, missing int64) int64 { return b.bytes(e.Values[key], name+"."+key, missing) }
	kind := e.Values["type"]
	switch kind.Text {
	case "fixed", "constant":
		return units.ExactSize(size("size", size("value", 1<<20)))
	case "uniform":
		return uniform(size("min", 1<<10), size("max", 1<<20))
	case "lognormal":
	default:
		b.Addf(kind.At, "%s.type: invalid value %q (want uniform or lognormal)", name, kind.Text)
		return ""
	}
	mean, deviation := float64(size("mean", 1<<20)), float64(size("std_dev", 512<<10))
	if mean <= 0 {
		b.Addf(e.Values["mean"].At, "%s.mean: invalid value %q (want a size)", name, e.Values["mean"].Text)
		return ""
	}
	spread := math.Log1p(deviation * deviation / mean / mean)
	text := fmt.Sprintf("lognormal(median=%d,sigma=%s", max(1, int64(mean/math.Exp(spread/2))), draft.Decimal(math.Sqrt(spread)))
	for _, bound := range []string{"min", "max"} {
		if n := size(bound, 0); n > 0 {
			text += fmt.Sprintf(",%s=%s", bound, units.ExactSize(n))
		}
	}
	return text + ")"
}

// uniform returns sizes between two, or the one.
func uniform(low, high int64) string {
	if low >= high {
		return units.ExactSize(low)
	}
	return fmt.Sprintf("uniform(%s,%s)", units.ExactSize(low), units.ExactSize(high))
}

// contents sets what objects hold. A factor of 2 is a half.
func (b *bench) contents(set *script.DataSet, e draft.Entry, name string) {
	share := func(key string) (percent string) {
		if f := b.number(e.Values[key], name+"."+key, 1); f > 1 {
			return draft.Decimal(min(99, math.Round(100-100/f))) + "%"
		}
		return ""
	}
	if e.Values["fill"].Text == "zero" {
		set.Content.Kind = script.Text("zero")
		return
	}
	set.Content.Duplicate = optional(share("dedup_factor"))
	set.Content.Compressible = optional(share("compress_factor"))
}

func optional(text string) script.Value {
	if text == "" {
		return script.Value{}
	}
	return script.Text(text)
}
