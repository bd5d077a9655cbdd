package gate

import (
	"math"
	"strconv"
	"strings"
	"time"

	"warp/pkg/compare"
	"warp/pkg/units"
)

// byteUnits maps the units of byte rates, in upper case, to bytes per second.
var byteUnits = map[string]float64{
	"B/S": 1, "KB/S": 1e3, "MB/S": 1e6, "GB/S": 1e9, "TB/S": 1e12,
	"KIB/S": 1 << 10, "MIB/S": 1 << 20, "GIB/S": 1 << 30, "TIB/S": 1 << 40,
}

// value parses the rest of the rule into r, as its metric requires.
func (p *parser) value(r *Rule) error {
	text := p.text[p.from:p.to]
	r.value = text
	if text == "" {
		return p.fail(p.from, "missing value; %s", unitsHelp(r))
	}
	if text[0] == '+' || text[0] == '-' {
		return p.change(r)
	}
	if r.unit() == compare.Nanoseconds {
		return p.duration(r)
	}
	n, err := p.number(r)
	if err != nil {
		return err
	}
	factor := p.factor(r, strings.ToUpper(strings.TrimSpace(p.text[p.from:p.to])))
	r.Value = n * factor
	switch {
	case factor == 0 && strings.HasSuffix(text, "%"):
		return p.fail(p.from, "a percentage is a change and needs a sign here, like +10%%; %s", unitsHelp(r))
	case factor == 0:
		return p.fail(p.from, "invalid unit %q for %s; %s", units.Truncate(p.text[p.from:p.to], maxShown), r.Metric, unitsHelp(r))
	case math.IsInf(r.Value, 0):
		return p.fail(p.from, "%s is too large", units.Truncate(text, maxShown))
	case r.Percent && r.Value > 1:
		return p.fail(p.from, "%s is more than all operations: the rule can never hold", units.Truncate(text, maxShown))
	}
	return nil
}

// change parses a relative change: a sign, digits and a percent sign.
func (p *parser) change(r *Rule) error {
	negative := p.text[p.from] == '-'
	p.from++
	n, err := p.number(r)
	switch {
	case err != nil:
		return err
	case p.text[p.from:p.to] != "%":
		return p.fail(p.from, "a signed value is a change and needs a percent sign, like +10%%")
	case negative && n > 100:
		return p.fail(p.from, "no change is below -100%%: the rule has no effect")
	}
	r.Relative, r.Value = true, n/100
	if negative {
		r.Value = -r.Value
	}
	return nil
}

// factor returns the multiplier of a unit, given in upper case; 0 if the unit does not fit the metric.
func (p *parser) factor(r *Rule, unit string) float64 {
	switch r.unit() {
	case compare.BytesPerSec:
		return byteUnits[unit]
	case compare.ObjectsPerSec:
		if unit == "" || unit == "/S" || unit == "OBJ/S" {
			return 1
		}
		return 0
	}
	switch unit {
	case "":
		return 1
	case "%":
		r.Percent = true
		return 0.01
	}
	return 0
}

// number parses digits and advances past them.
func (p *parser) number(r *Rule) (float64, error) {
	end := p.from
	for end < p.to && (p.text[end] >= '0' && p.text[end] <= '9' || p.text[end] == '.') {
		end++
	}
	n, err := strconv.ParseFloat(p.text[p.from:end], 64)
	if err != nil {
		return 0, p.fail(p.from, "%q does not start with a number; %s", units.Truncate(p.text[p.from:p.to], maxShown), unitsHelp(r))
	}
	p.from = end
	return n, nil
}

func (p *parser) duration(r *Rule) error {
	text := p.text[p.from:p.to]
	if strings.HasSuffix(text, "%") {
		return p.fail(p.to-1, "a percentage is a change and needs a sign here, like +10%%; %s", unitsHelp(r))
	}
	d, err := time.ParseDuration(strings.ToLower(strings.ReplaceAll(text, " ", "")))
	if err != nil {
		return p.fail(p.from, "%q is not a duration; %s", units.Truncate(text, maxShown), unitsHelp(r))
	}
	r.Value = float64(d)
	return nil
}

func unitsHelp(r *Rule) string {
	switch r.unit() {
	case compare.Nanoseconds:
		return "want a duration in ns, us, ms, s or m, like 50ms, or a change, like +10%"
	case compare.BytesPerSec:
		return "want a rate in B/s, KB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s or TiB/s, like 100MiB/s, or a change, like -5%"
	case compare.ObjectsPerSec:
		return "want objects per second, like 1000/s, or a change, like -5%"
	}
	return "want a number of errors, like 0, or a share, like 0.1%, or a change, like +10%"
}
