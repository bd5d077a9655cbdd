package fio

import (
	"math"
	"strconv"
	"strings"
	"time"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// values reads the options of a job.
type values struct {
	*draft.Draft
	section
}

// text returns an option, or its default.
func (v *values) text(name string) string {
	if w, ok := v.values[name]; ok {
		return w.Text
	}
	return draft.Default(options, name)
}

// at returns the place of an option, or of the job.
func (v *values) at(name string) script.Pos {
	if w, ok := v.values[name]; ok {
		return w.At
	}
	return v.section.at
}

// on reports whether a switch is on.
func (v *values) on(name string) bool { return !draft.IsOff(v.text(name)) }

// complain adds an error about a value.
func (v *values) complain(name, want string) {
	text := v.text(name)
	if m := variable.FindStringSubmatch(text); m != nil {
		v.Addf(v.at(name), "%s=%s: the variable is not set (want --var %s=VALUE)", name, text, m[1])
		return
	}
	v.Addf(v.at(name), "%s: invalid value %q (want %s)", name, text, want)
}

// whole returns a whole number; units are powers of 1024.
func (v *values) whole(name string) int64 {
	text := v.text(name)
	if text == "" {
		return 0
	}
	n, ok := v.parseSize(text)
	if !ok {
		v.complain(name, "a number, as in 4096, 4k or 1m")
	}
	return n
}

// thousands are the prefixes of units.
const thousands = "kmgtp"

// parseSize returns a number with its unit: k and kb are 1024, ki and kib 1000, unless kb_base is 1000.
func (v *values) parseSize(text string) (n int64, ok bool) {
	unit := strings.ToLower(strings.TrimLeft(text, "0123456789"))
	digits := text[:len(text)-len(unit)]
	if n, err := strconv.ParseInt(text, 0, 62); err == nil && strings.HasPrefix(strings.ToLower(text), "0x") {
		return n, true
	}
	x, err := strconv.ParseInt(digits, 10, 62)
	if err != nil {
		return 0, false
	}
	unit, _ = strings.CutSuffix(unit, "b")
	prefix, decimal := strings.CutSuffix(unit, "i")
	power := strings.Index(thousands, prefix) + 1
	switch {
	case prefix == "" && !decimal:
		return x, true
	case power == 0 || len(prefix) != 1:
		return 0, false
	}
	base := int64(1024)
	if decimal != (v.text("kb_base") == "1000") {
		base = 1000
	}
	for range power {
		if x > math.MaxInt64/base {
			return 0, false
		}
		x *= base
	}
	return x, true
}

// timeUnits are the units of times; the longer name before the shorter one that ends it.
var timeUnits = []struct {
	name string
	unit time.Duration
}{
	{"us", time.Microsecond},
	{"usec", time.Microsecond},
	{"ms", time.Millisecond},
	{"msec", time.Millisecond},
	{"s", time.Second},
	{"sec", time.Second},
	{"m", time.Minute},
	{"min", time.Minute},
	{"h", time.Hour},
	{"d", 24 * time.Hour},
}

// duration returns a time; one without unit is in the given one.
func (v *values) duration(name string, unit time.Duration) time.Duration {
	text := v.text(name)
	if text == "" {
		return 0
	}
	suffix := strings.ToLower(strings.TrimLeft(text, "0123456789"))
	n, err := strconv.ParseInt(text[:len(text)-len(suffix)], 10, 62)
	known := suffix == ""
	for _, u := range timeUnits {
		if u.name == suffix {
			unit, known = u.unit, true
		}
	}
	if err != nil || !known || n > math.MaxInt64/int64(unit) {
		v.complain(name, "a time, as in 30, 30s or 5m")
		return 0
	}
	return time.Duration(n) * unit
}

// percent returns a number from 0 to 100.
func (v *values) percent(name string) float64 {
	x, err := strconv.ParseFloat(v.text(name), 64)
	if v.text(name) != "" && (err != nil || !(x >= 0 && x <= 100)) {
		v.complain(name, "0 to 100")
		return 0
	}
	return x
}

// part returns a value for reads, writes or trims of a list read,write,trim; a missing one is the one before it.
func part(text string, n int) string {
	list := strings.Split(text, ",")
	return strings.TrimSpace(list[min(n, len(list)-1)])
}
