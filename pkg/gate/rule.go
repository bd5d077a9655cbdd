// Package gate is the language of --fail-if: rules that a run, or the change between runs, must not fulfil.
//
//	GET.p99>50ms  PUT.throughput<100MiB/s  errors>0.1%      of a run
//	GET.p99>+10%  GET.throughput<-5%                        of a comparison
//
// A rule is [KIND.]metric, one of > >= < <=, and a value; commas separate rules. Letters may be large or small. KIND is a
// type of operation, or total for all of them together; without it a rule holds for each type, and one that breaks it is
// enough. Operations that only prepare the data never count.
//
// Metrics are those of package compare ("throughput", "objects", "p99", "ttfb.p50", ...) and "errors", the number of
// failed operations or, with %, their share. A value with a sign and % is a relative change.
//
// A gate that cannot see does not let pass: what cannot be decided, for want of samples, breaks the rule and says so. A
// rule about something that was not measured at all is an error.
package gate

import (
	"fmt"

	"warp/pkg/compare"
)

// Errors is the metric that only gates have; all others are those of compare.Metrics.
const Errors = "errors"

// Rule is one condition that must not come true.
type Rule struct {
	Kind     string  // in capitals; Total for all together; empty for each
	Metric   string  // Errors, or the name of a compare.Metric
	Op       string  // ">", ">=", "<" or "<="
	Value    float64 // in the metric's unit: ns, bytes/s, objects/s; of Errors a count. 0.1 for +10% and 10%
	Percent  bool    // of Errors: Value is a share of all operations
	Relative bool    // Value is a change relative to before; see EvalChange
	value    string  // as written
}

// Total is the Kind of all operations together.
const Total = "TOTAL"

// String is the rule in one spelling: "GET.p99 > 50ms".
func (r Rule) String() string { return fmt.Sprintf("%s %s %s", r.subject(r.Kind), r.Op, r.value) }

// subject is what the rule is about, of one type.
func (r Rule) subject(kind string) string {
	if kind == "" {
		return r.Metric
	}
	return kind + "." + r.Metric
}

// holds tells whether v fulfils the condition.
func (r Rule) holds(v float64) bool {
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

// unit is what the metric is measured in; empty for Errors.
func (r Rule) unit() compare.Unit {
	m, _ := compare.Lookup(r.Metric)
	return m.Unit
}
