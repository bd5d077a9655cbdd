// Package gate implements --fail-if: rules that fail a run, or a comparison of runs, when they hold.
//
//	GET.p99>50ms  PUT.throughput<100MiB/s  errors>0.1%      of a run
//	GET.p99>+10%  GET.throughput<-5%                        of a comparison
//
// A rule is [KIND.]metric, one of > >= < <=, and a value; commas separate rules. Case does not matter. KIND is a kind of operation
// (without a label, each of that kind), or total for all of them together; without it a rule applies to each kind, and one violation is
// enough. Operations of the preparation are ignored.
//
// Metrics are the metrics of package compare ("throughput", "objects", "p99", "ttfb.p50", ...) and "errors", the number of
// failed operations or, with %, their share. A value with a sign and % is a relative change.
//
// The verdict on a rule is held, broken, or unknown: what it is about was not measured, or too rarely. A rule about a figure that a kind of
// operation does not have, such as bytes per second of deletions, is a mistake.
package gate

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"warp/pkg/compare"
	"warp/pkg/units"
)

// Errors is the only metric that is not in compare.Metrics.
const Errors = "errors"

// Rule is a condition that must not hold.
type Rule struct {
	Kind     string  // upper case; Total for all kinds together; empty for each kind
	Metric   string  // Errors, or the name of a compare.Metric
	Op       string  // ">", ">=", "<" or "<="
	Value    float64 // in the metric's unit: ns, bytes/s, objects/s; a count for Errors; 0.1 for +10% and 10%
	Percent  bool    // Errors only: Value is a share of all operations
	Relative bool    // Value is a relative change; see EvalChange
	value    string  // as written
}

// Total is the Kind that stands for all operations together.
const Total = "TOTAL"

// String returns the rule in canonical spelling: "GET.p99 > 50ms".
func (r Rule) String() string { return fmt.Sprintf("%s %s %s", r.subject(r.Kind), r.Op, r.value) }

// subject returns the subject of the rule for one kind.
func (r Rule) subject(kind string) string {
	if kind == "" {
		return r.Metric
	}
	return kind + "." + r.Metric
}

// Holds reports whether v meets the condition.
func (r Rule) Holds(v float64) bool {
	switch r.Op {
	case ">":
		return v > r.Value
	case ">=":
		return v >= r.Value
	case "<":
		return v < r.Value
	}
	return v <= r.Value
}

// unit is the unit of the metric; empty for Errors.
func (r Rule) unit() compare.Unit {
	m, _ := compare.Lookup(r.Metric)
	return m.Unit
}

// show formats a figure of the metric as reports do.
func (r Rule) show(v float64) string {
	switch r.unit() {
	case compare.Nanoseconds:
		return units.Duration(time.Duration(math.Round(v)))
	case compare.BytesPerSec:
		return units.Throughput(v)
	case compare.ObjectsPerSec:
		return units.PerSecond(v) + " obj/s"
	}
	if r.Percent {
		return units.Digits(100*v) + "%"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// showChange formats a relative change: "+12.30%".
func showChange(v float64) string {
	if math.IsInf(v, 0) {
		return "more than 0 after 0"
	}
	return units.Change(v)
}

// Negated returns the rule that holds where this one does not.
func (r Rule) Negated() Rule {
	r.Op = map[string]string{">": "<=", ">=": "<", "<": ">=", "<=": ">"}[r.Op]
	return r
}

// CheckOver returns an error for a rule that cannot be judged on a sliding window, or with abort, before the end of the phase.
func (r Rule) CheckOver(over time.Duration, abort bool) error {
	switch {
	case r.unit() == compare.BytesPerSec || r.unit() == compare.ObjectsPerSec:
		return fmt.Errorf("%s is a figure of the whole phase (want a latency or errors for over and abort)", r.Metric)
	case abort && over == 0 && (r.Metric != Errors || r.Percent || r.Op[0] != '>'):
		return fmt.Errorf("%s of the whole phase is known only at its end (want abort with over: 30s, or a number of errors)", r.Metric)
	}
	return nil
}

// worse reports whether one value is nearer to violating the rule than another, or farther beyond that.
func (r Rule) worse(one, two float64) bool {
	if r.Op[0] == '>' {
		return one > two
	}
	return one < two
}
