package gate

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"warp/pkg/compare"
	"warp/pkg/units"
)

// SyntaxError is a mistake in a rule.
type SyntaxError struct {
	Text    string // the whole text that was parsed
	Offset  int    // of the mistake in Text, in bytes
	Message string
}

// Error returns the mistake in one line with its position, counted in characters from 1.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("rule %q, character %d: %s", units.Truncate(e.Text, maxShown), utf8.RuneCountInString(e.Text[:e.Offset])+1, e.Message)
}

// maxShown is the maximum length, in characters, of text repeated in a message.
const maxShown = 60

// Parse parses rules; each text holds one or more of them, separated by commas. Errors are of type *SyntaxError.
func Parse(texts ...string) ([]Rule, error) {
	var rules []Rule
	for _, text := range texts {
		for from := 0; from <= len(text); {
			to := len(text)
			if i := strings.IndexByte(text[from:], ','); i >= 0 {
				to = from + i
			}
			p := parser{text: text, from: from, to: to}
			r, err := p.rule()
			if err != nil {
				return nil, err
			}
			rules = append(rules, r)
			from = to + 1
		}
	}
	return rules, nil
}

// parser parses the rule text[from:to].
type parser struct {
	text     string
	from, to int
}

func (p *parser) fail(offset int, format string, args ...any) error {
	return &SyntaxError{p.text, offset, fmt.Sprintf(format, args...)}
}

const example = `want a rule like "GET.p99>50ms"`

func (p *parser) rule() (Rule, error) {
	p.trim()
	if p.from == p.to {
		return Rule{}, p.fail(p.from, "empty rule; %s", example)
	}
	at := strings.IndexAny(p.text[p.from:p.to], "<>=!")
	if at < 0 {
		return Rule{}, p.fail(p.to, "missing operator (>, >=, < or <=); %s", example)
	}
	at += p.from
	r, err := p.subject(at)
	if err != nil {
		return Rule{}, err
	}
	value := at + 1
	if value < p.to && p.text[value] == '=' {
		value++
	}
	r.Op = p.text[at:value]
	if r.Op[0] != '<' && r.Op[0] != '>' {
		return Rule{}, p.fail(at, "invalid operator %q (want >, >=, < or <=)", r.Op)
	}
	v := parser{p.text, value, p.to}
	v.trim()
	return r, v.value(&r)
}

// trim skips white space around the rule.
func (p *parser) trim() {
	s := p.text[p.from:p.to]
	p.from += len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
	p.to = p.from + len(strings.TrimSpace(s))
}

// subject parses kind and metric, which end at end. Metric names contain dots themselves, so the longest one that
// matches the end wins.
func (p *parser) subject(end int) (r Rule, err error) {
	s := parser{p.text, p.from, end}
	s.trim()
	subject := s.text[s.from:s.to]
	if subject == "" {
		return r, p.fail(p.from, "missing metric; %s", metricsHelp())
	}
	lower := strings.ToLower(subject)
	for _, name := range metricNames() {
		if lower == name {
			return Rule{Metric: name}, nil
		}
		if strings.HasSuffix(lower, "."+name) && len(name) > len(r.Metric) {
			r.Metric = name
		}
	}
	if r.Metric == "" {
		at, _ := strings.CutPrefix(subject, subject[:strings.IndexByte(subject, '.')+1])
		return r, p.fail(s.to-len(at), "unknown metric %q; %s", units.Truncate(at, maxShown), metricsHelp())
	}
	r.Kind = strings.ToUpper(subject[:len(subject)-len(r.Metric)-1])
	if r.Kind == "" || strings.ContainsFunc(r.Kind, func(c rune) bool { return unicode.IsSpace(c) || !unicode.IsPrint(c) }) {
		return r, p.fail(s.from, "invalid kind of operation %q (want one like GET)",
			units.Truncate(subject[:len(subject)-len(r.Metric)-1], maxShown))
	}
	return r, nil
}

func metricNames() []string {
	names := []string{Errors}
	for _, m := range compare.Metrics() {
		names = append(names, m.Name)
	}
	return names
}

func metricsHelp() string { return "want one of " + strings.Join(metricNames(), ", ") }
