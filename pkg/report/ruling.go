package report

import "warp/pkg/gate"

// Ruling is a rule about the result, and what was found, in JSON.
type Ruling struct {
	Source  RuleSource   `json:"source"`
	Stream  string       `json:"stream,omitempty"` // that a rule of a scenario is about; empty in a run of one stream
	Rule    string       `json:"rule"`
	Verdict gate.Verdict `json:"verdict"`
	Found   string       `json:"found"` // the figures, or why the rule cannot be judged
}

// RuleSource is where a rule is from.
type RuleSource string

// title returns the rule with its source.
func (r *Ruling) title() string {
	switch {
	case r.Source == FailIf:
		return "--fail-if " + r.Rule
	case r.Source == MaxErrors:
		return "--max-errors=" + r.Rule
	case r.Source == Expected && r.Stream != "":
		return "expected " + r.Rule + " in " + r.Stream
	case r.Source == Expected:
		return "expected " + r.Rule
	}
	return r.Rule
}

// The sources of rules.
const (
	FailIf    RuleSource = "fail-if"    // the flag: broken if the rule holds
	Expected  RuleSource = "expect"     // a scenario: broken unless the rule holds
	MaxErrors RuleSource = "max-errors" // the flag: the share or number of failed operations that is allowed
)
