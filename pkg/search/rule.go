package search

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"warp/internal/option"
	"warp/pkg/gate"
	"warp/pkg/units"
)

// Rule is a condition on the result of a search that must not hold: search.rate<4000/s.
type Rule struct {
	Control Control // whose load it is about
	Op      string  // ">", ">=", "<" or "<="
	Value   float64
	text    string

	Relative bool // about a change: Value is 0.05 for 5%
}

// String returns the rule as it was written.
func (r Rule) String() string { return r.text }

const (
	rulePrefix = "search."
	wantRule   = "search.rate<4000/s or search.threads<64; search.rate<-5% of a comparison"
)

// CutRules divides the rules of --fail-if into rules about searches and others.
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
	value = strings.TrimSpace(value)
	if percent, ok := strings.CutSuffix(value, "%"); ok && strings.ContainsAny(value[:1], "+-") {
		r.Relative, value = true, strings.TrimSpace(percent)
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(v) || v < 0 && !r.Relative {
		return Rule{}, wrong
	}
	if r.Value = v; r.Relative {
		r.Value /= 100
	}
	return r, nil
}

// Judge returns the verdict of the result of a search on the rule, with the figures. Where the store may be able to do more than what was
// held, a rule that more would keep is not known to be broken.
func (r Rule) Judge(rec *Record) (v gate.Verdict, text string, err error) {
	if rec.Config.Control != r.Control {
		return gate.Unknown, "", fmt.Errorf("rule %s: the search varied another load: %s", r, rec.Config.Control)
	}
	res := rec.Result()
	v, figure := r.judge(res.Status, res.Boundary.Held)
	return v, fmt.Sprintf("search.%s %s, rule: %s", r.Control, figure, r), nil
}

// judge returns the verdict of a held load on the rule, and the figure.
func (r Rule) judge(status Status, held float64) (v gate.Verdict, figure string) {
	violated, figure := r.holds(held), units.PerSecond(held)
	atLeast := held > 0 && status.atLeast()
	switch {
	case status == Held:
		figure = "= " + figure
	case status == Infeasible:
		figure = "= 0 (infeasible)"
	case atLeast && violated == (r.Op[0] == '>'): // whatever more it can do
		figure = fmt.Sprintf("at least %s (%s)", figure, status)
	case atLeast:
		return gate.Unknown, fmt.Sprintf("not known: at least %s (%s)", figure, status)
	default:
		return gate.Unknown, fmt.Sprintf("not known (%s)", status)
	}
	if violated {
		return gate.Broken, figure
	}
	return gate.Held, figure
}

func (r Rule) holds(v float64) bool {
	switch r.Op {
	case "<":
		return v < r.Value
	case "<=":
		return v <= r.Value
	case ">":
		return v > r.Value
	}
	return v >= r.Value
}

// JudgeChange returns the verdict of a change on the rule, with the figures. As with other rules, a change that may be chance does not
// violate it, and an absolute rule is about what was held after.
func (r Rule) JudgeChange(c *Change) (v gate.Verdict, text string, err error) {
	if c.Control != r.Control {
		return gate.Unknown, "", fmt.Errorf("rule %s: the search varied another load: %s", r, c.Control)
	}
	violated := false
	switch {
	case !r.Relative:
		v, text = r.judge(c.After.status(), c.After.Held)
		return v, fmt.Sprintf("search.%s %s, rule: %s", r.Control, text, r), nil
	case c.Relative == nil:
		return gate.Unknown, fmt.Sprintf("search.%s not known: %s, rule: %s", r.Control, c.Note, r), nil
	case c.Significant:
		violated, text = r.holds(*c.Relative), "= "+units.Change(*c.Relative)
	default:
		violated, text = r.holds(0), "= "+units.Change(*c.Relative)+" (~)"
	}
	if v = gate.Held; violated {
		v = gate.Broken
	}
	return v, fmt.Sprintf("search.%s %s, rule: %s", r.Control, text, r), nil
}
