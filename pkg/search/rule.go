package search

import (
	"fmt"
	"strconv"
	"strings"

	"warp/internal/option"
	"warp/pkg/units"
)

// Rule is a condition on the result of a search that must not hold: search.rate<4000/s.
type Rule struct {
	Control Control // whose load it is about
	Op      string  // ">", ">=", "<" or "<="
	Value   float64
	text    string
}

// String returns the rule as it was written.
func (r Rule) String() string { return r.text }

const (
	rulePrefix = "search."
	wantRule   = "search.rate<4000/s or search.threads<64"
)

// CutRules returns the rules about searches among those of --fail-if, and the other ones.
func CutRules(texts []string) (rules []Rule, others []string, err error) {
	for _, text := range texts {
		var rest []string
		for part := range strings.SplitSeq(text, ",") {
			if !strings.HasPrefix(strings.ToLower(strings.TrimSpace(part)), rulePrefix) {
				rest = append(rest, part)
				continue
			}
			r, err := parseRule(strings.TrimSpace(part))
			if err != nil {
				return nil, nil, err
			}
			rules = append(rules, r)
		}
		if len(rest) > 0 {
			others = append(others, strings.Join(rest, ","))
		}
	}
	return rules, others, nil
}

func parseRule(text string) (Rule, error) {
	wrong := option.Invalid("fail-if", units.Truncate(text, 100), wantRule)
	at := strings.IndexAny(text, "<>")
	if at < 0 {
		return Rule{}, wrong
	}
	r := Rule{Op: text[at : at+1], text: text}
	value := text[at+1:]
	if strings.HasPrefix(value, "=") {
		r.Op, value = r.Op+"=", value[1:]
	}
	switch Control(strings.ToLower(strings.TrimSpace(text[len(rulePrefix):at]))) {
	case Rate:
		r.Control = Rate
		value = strings.TrimSuffix(strings.TrimSpace(value), "/s")
	case Threads:
		r.Control = Threads
	default:
		return Rule{}, wrong
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !(v >= 0) {
		return Rule{}, wrong
	}
	r.Value = v
	return r, nil
}

// Judge reports whether the result of a search violates the rule, with the figures. A search that held nothing violates a rule that
// demands a load.
func (r Rule) Judge(rec *Record) (broken bool, text string, err error) {
	if rec.Config.Control != r.Control {
		return false, "", fmt.Errorf("rule %s: the search varied another load: %s", r, rec.Config.Control)
	}
	res := rec.Result()
	held := res.Boundary.Held
	switch r.Op {
	case "<":
		broken = held < r.Value
	case "<=":
		broken = held <= r.Value
	case ">":
		broken = held > r.Value
	default:
		broken = held >= r.Value
	}
	figure := units.PerSecond(held)
	if res.Boundary.Held == 0 {
		figure = "0 (" + string(res.Status) + ")"
	}
	return broken, fmt.Sprintf("search.%s = %s, rule: %s", r.Control, figure, r), nil
}
