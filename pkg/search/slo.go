package search

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"warp/internal/option"
	"warp/pkg/gate"
)

// Objective is a service level objective: of the operations of a kind, at most a share may be bad.
type Objective struct {
	Rule      gate.Rule     // as written, as a condition that must hold
	Kind      string        // upper case; gate.Total, or empty, for all kinds together
	Limit     time.Duration // of the time from when an operation was due; 0: only failures are bad
	FirstByte bool          // the limit is one of the time to first byte
	Allowed   float64       // share of operations that may be bad
}

// String returns the objective in canonical spelling: "GET.p99 < 50ms".
func (o Objective) String() string { return o.Rule.String() }

// MarshalText writes the objective in the form that is parsed.
func (o Objective) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText is the opposite of MarshalText.
func (o *Objective) UnmarshalText(text []byte) error {
	list, err := ParseObjectives(string(text))
	if err == nil && len(list) != 1 {
		err = option.Invalid("slo", string(text), "one objective")
	}
	if err != nil {
		return err
	}
	*o = list[0]
	return nil
}

// Of returns the objective for operations of one kind.
func (o Objective) Of(kind string) Objective {
	o.Kind, o.Rule.Kind = kind, kind
	return o
}

// ParseObjectives parses objectives in the grammar of --fail-if. Each text holds one or more of them, separated by commas.
func ParseObjectives(texts ...string) ([]Objective, error) {
	rules, err := gate.Parse(texts...)
	if err != nil {
		return nil, option.Wrap("slo", err)
	}
	var list []Objective
	for _, r := range rules {
		o, err := objective(r)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, nil
}

func objective(r gate.Rule) (Objective, error) {
	o := Objective{Rule: r, Kind: r.Kind}
	switch {
	case r.Op[0] != '<':
		return o, option.Invalid("slo", r.String(), "an upper limit, like p99<50ms")
	case r.Relative:
		return o, option.Invalid("slo", r.String(), "an absolute limit, like p99<50ms; a change needs a comparison of runs")
	case r.Metric == gate.Errors && !r.Percent:
		return o, option.Invalid("slo", r.String(), "a share of operations, like errors<0.1%")
	case r.Value <= 0:
		return o, option.Invalid("slo", r.String(), "more than 0: no finite number of operations shows that none is bad")
	case r.Metric == gate.Errors && r.Value >= 1:
		return o, option.Invalid("slo", r.String(), "less than 100%")
	case r.Metric == gate.Errors:
		o.Allowed = r.Value
		return o, nil
	}
	name, firstByte := strings.CutPrefix(r.Metric, "ttfb.")
	digits, isPercentile := strings.CutPrefix(name, "p")
	p, err := strconv.ParseFloat(digits, 64)
	if !isPercentile || err != nil {
		return o, option.Invalid("slo", r.String(),
			fmt.Sprintf("a percentile or errors, like p99<50ms or errors<0.1%%; %s is no share of operations", r.Metric))
	}
	// Of the decimal text, so that p99.9 allows 0.001 and not the nearest difference.
	o.Allowed, _ = strconv.ParseFloat(strconv.FormatFloat((100-p)/100, 'g', 6, 64), 64)
	o.Limit, o.FirstByte = time.Duration(r.Value), firstByte
	return o, nil
}

// Covers reports whether the objective is about operations of a kind.
func (o Objective) Covers(kind string) bool {
	return o.Kind == "" || o.Kind == gate.Total || strings.EqualFold(o.Kind, kind)
}

// Bad reports whether an operation is bad for the objective. response and firstByte count from when it was due.
func (o Objective) Bad(failed bool, response, firstByte time.Duration) bool {
	spent := response
	if o.FirstByte {
		spent = firstByte
	}
	return failed || o.Limit > 0 && spent > o.Limit
}
