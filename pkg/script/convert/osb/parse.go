package osb

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/option"
	"warp/pkg/script"
)

// The clauses of a statement of object-store-bench.
const (
	clauseObjects = "n OBJECTS"
	clauseNaming  = "USING NAMING STRATEGY"
	clauseRate    = "AT RATE"
	clauseMax     = "MAX n CONCURRENT"
	clauseRuntime = "RUNTIME"
	clauseContext = "IN CONTEXT"
	clauseSize    = "OF SIZE"
)

// Clauses lists which clauses each statement takes, in the order of the original, and which it needs.
var Clauses = map[string]struct{ Takes, needs []string }{
	"PUT":    {Takes: []string{clauseObjects, clauseRate, clauseMax, clauseRuntime, clauseContext, clauseNaming, clauseSize}},
	"GET":    {Takes: []string{clauseObjects, clauseRate, clauseMax, clauseRuntime, clauseContext}},
	"DELETE": {Takes: []string{clauseObjects, clauseRate, clauseMax, clauseRuntime, clauseContext}},
	"REUSE":  {Takes: []string{clauseObjects, clauseContext, clauseNaming}, needs: []string{clauseObjects, clauseNaming}},
}

// statement is one statement.
type statement struct {
	verb    string
	at      script.Pos
	text    string // as written, white space collapsed
	clauses map[string]script.Pos
	wider   []string // what the original wants instead

	objects uint64
	random  bool   // strategy RANDOM PREFIX
	seed    string // of names; empty: a random one
	rate    float64
	warmup  time.Duration
	max     int
	runtime time.Duration
	context string
	size    int64
}

func (s *statement) has(clause string) bool {
	_, ok := s.clauses[clause]
	return ok
}

// parser parses a script. Clauses may come in any order; a mistake ends only its statement.
type parser struct {
	lex  *lexer
	tok  token
	prev int                                             // offset behind the token before
	addf func(at script.Pos, format string, args ...any) // reports a mistake

	order []string // of the clauses of the statement
	wider []string // what the original wants of it instead
}

// parseOSB returns the statements of a script. Its first character has a place in a file, if that is another one.
func parseOSB(text string, start script.Pos, addf func(at script.Pos, format string, args ...any)) (list []*statement) {
	p := &parser{lex: newLexer(text), addf: addf}
	if !start.IsZero() {
		p.lex.at = start
	}
	p.next()
	for p.tok.kind != tokenEnd {
		if p.tok.kind == tokenSemicolon {
			p.next()
			continue
		}
		if s := p.statement(); s != nil {
			list = append(list, s)
			continue
		}
		for p.tok.kind != tokenSemicolon && p.tok.kind != tokenEnd {
			p.next()
		}
	}
	return list
}

func (p *parser) next() {
	p.prev = p.tok.end
	p.tok = p.lex.next()
}

// fail reports what is wrong at the present token, and returns false.
func (p *parser) fail(want string) bool {
	found := strconv.Quote(p.tok.text)
	switch p.tok.kind {
	case tokenEnd:
		found = "end of script"
	case tokenSemicolon:
		found = `";"`
	case tokenInvalid:
		if strings.Contains(p.tok.text, " ") {
			found = p.tok.text
		}
	}
	p.addf(p.tok.at, "unexpected %s (want %s)", found, want)
	return false
}

// failNear is fail with the word that was probably meant.
func (p *parser) failNear(want string, words ...string) bool {
	if near := option.Nearest(p.tok.text, words); p.tok.kind == tokenWord && near != "" {
		p.addf(p.tok.at, "unexpected %q (did you mean %s?)", p.tok.text, near)
		return false
	}
	return p.fail(want)
}

// accept passes a word if it is the next token.
func (p *parser) accept(words ...string) bool {
	for _, w := range words {
		if p.tok.kind == tokenWord && p.tok.text == w {
			p.next()
			return true
		}
	}
	return false
}

// expect passes a word, or reports that it is missing.
func (p *parser) expect(words ...string) bool {
	return p.accept(words...) || p.failNear(strings.Join(words, " or "), words...)
}

// statement parses one statement up to its semicolon; nil after a mistake.
func (p *parser) statement() *statement {
	s := &statement{verb: p.tok.text, at: p.tok.at, context: "default", size: 1 << 20, clauses: make(map[string]script.Pos)}
	start := p.tok.end - len(p.tok.text)
	p.order, p.wider = nil, nil
	rules, ok := Clauses[s.verb]
	if !ok || p.tok.kind != tokenWord {
		p.failNear("PUT, GET, DELETE or REUSE", slices.Sorted(maps.Keys(Clauses))...)
		return nil
	}
	p.next()
	for p.tok.kind != tokenSemicolon && p.tok.kind != tokenEnd {
		if !p.clause(s) {
			return nil
		}
	}
	s.text = strings.Join(strings.Fields(p.lex.text[start:p.prev]), " ")
	ok = true
	for _, name := range slices.Sorted(maps.Keys(s.clauses)) {
		if !slices.Contains(rules.Takes, name) {
			p.addf(s.clauses[name], "%s has no clause %s", s.verb, name)
			ok = false
		}
	}
	for _, name := range rules.needs {
		if !s.has(name) {
			p.addf(s.at, "%s needs the clause %s", s.verb, name)
			ok = false
		}
	}
	if !ok {
		return nil
	}
	inOrder := func(a, b string) int { return slices.Index(rules.Takes, a) - slices.Index(rules.Takes, b) }
	p.wants(!slices.IsSortedFunc(p.order, inOrder), "the order %s", strings.Join(slices.SortedFunc(slices.Values(p.order), inOrder), ", "))
	s.wider = p.wider
	return s
}

// wants notes what the original wants of the statement.
func (p *parser) wants(wider bool, format string, args ...any) {
	if want := fmt.Sprintf(format, args...); wider && !slices.Contains(p.wider, want) {
		p.wider = append(p.wider, want)
	}
}

// clause parses one clause.
func (p *parser) clause(s *statement) bool {
	at, name := p.tok.at, ""
	var parse func() bool
	switch {
	case p.tok.kind == tokenNumber:
		name, parse = clauseObjects, func() bool { return p.integer(&s.objects) && p.expect("OBJECTS", "OBJECT") }
	case p.accept("OBJECTS", "OBJECT"): // without a number: all
		return true
	case p.accept("USING"):
		name, parse = clauseNaming, func() bool { return p.naming(s) }
	case p.accept("AT"):
		name, parse = clauseRate, func() bool { return p.rate(s) }
	case p.accept("MAX"):
		name, parse = clauseMax, func() bool { return p.concurrent(s) }
	case p.accept("RUNTIME"):
		name, parse = clauseRuntime, func() bool { return p.duration(&s.runtime) }
	case p.accept("FOR"), p.accept("RUN") && p.expect("FOR"):
		p.wants(true, clauseRuntime)
		name, parse = clauseRuntime, func() bool { return p.duration(&s.runtime) }
	case p.accept("IN"):
		name, parse = clauseContext, func() bool { return p.expect("CONTEXT") && p.name(&s.context) }
	case p.accept("OF"):
		name, parse = clauseSize, func() bool { return p.expect("SIZE") && p.size(&s.size) }
	default:
		return p.failNear("a clause or \";\"", "OBJECTS", "USING", "AT", "MAX", "RUNTIME", "FOR", "RUN", "IN", "OF")
	}
	if s.has(name) {
		p.addf(at, "%s is there twice", name)
		return false
	}
	s.clauses[name], p.order = at, append(p.order, name)
	return parse()
}

func (p *parser) naming(s *statement) bool {
	if !p.expect("NAMING") || !p.expect("STRATEGY") {
		return false
	}
	if s.random = p.accept("RANDOM"); !s.random && !p.expect("CONSTANT") {
		return false
	}
	if !p.expect("PREFIX") {
		return false
	}
	if !p.accept("WITH") {
		return true
	}
	return p.expect("SEED") && p.name(&s.seed)
}

func (p *parser) rate(s *statement) bool {
	at := p.tok.at
	if !p.expect("RATE") || !p.number(&s.rate) {
		return false
	}
	if p.accept("PER") {
		unit, ok := p.timeUnit()
		if !ok {
			return p.failNear("a unit of time", "MILLISECOND", "SECOND", "SECONDS", "MINUTE", "MINUTES", "HOUR", "HOURS")
		}
		s.rate /= unit.Seconds()
	}
	if s.rate <= 0 {
		p.addf(at, "a rate of 0 sends nothing")
		return false
	}
	if p.accept("WARMUP") {
		return p.duration(&s.warmup)
	}
	return true
}

func (p *parser) concurrent(s *statement) bool {
	var n uint64
	at := p.tok.at
	if !p.integer(&n) || !p.expect("CONCURRENT") {
		return false
	}
	if n < 1 || n > math.MaxInt32 {
		p.addf(at, "MAX %d CONCURRENT (want at least 1)", n)
		return false
	}
	s.max = int(n)
	return true
}

// name parses a name in quotes. The original takes only letters and digits, which this does not insist on.
func (p *parser) name(into *string) bool {
	if p.tok.kind != tokenText || p.tok.text == "" {
		return p.fail("a name in double quotes")
	}
	if strings.ContainsAny(p.tok.text, "/\x00\n") {
		p.addf(p.tok.at, "invalid name %q (want no slash or line feed)", p.tok.text)
		return false
	}
	p.wants(!simpleName.MatchString(p.tok.text) || slices.Contains(reserved, strings.ToUpper(p.tok.text)),
		"names of letters and digits that are no number and no word of the language")
	*into = p.tok.text
	p.next()
	return true
}

var (
	simpleName = regexp.MustCompile(`^[0-9]*[A-Za-z][0-9A-Za-z]*$`)
	// reserved lists the words of the language.
	reserved = strings.Fields("PUT GET DELETE REUSE OBJECTS OBJECT USING NAMING STRATEGY CONSTANT RANDOM PREFIX WITH SEED AT RATE PER " +
		"WARMUP MAX CONCURRENT RUNTIME IN CONTEXT OF SIZE MS SECOND SECONDS MINUTE MINUTES HOUR HOURS B BYTE BYTES KB KILOBYTE KILOBYTES " +
		"MB MEGABYTE MEGABYTES GB GIGABYTE GIGABYTES")
)

func (p *parser) integer(into *uint64) bool {
	n, err := strconv.ParseUint(p.tok.text, 10, 63)
	if p.tok.kind != tokenNumber || err != nil {
		return p.fail("a whole number")
	}
	*into = n
	p.next()
	return true
}

func (p *parser) number(into *float64) bool {
	x, err := strconv.ParseFloat(p.tok.text, 64)
	if p.tok.kind != tokenNumber || err != nil {
		return p.fail("a number")
	}
	p.wants(strings.Contains(p.tok.text, "."), "whole numbers")
	*into = x
	p.next()
	return true
}

// timeUnit passes a unit of time.
func (p *parser) timeUnit() (time.Duration, bool) {
	switch {
	case p.accept("MS"):
		return time.Millisecond, true
	case p.accept("MILLISECOND", "MILLISECONDS"):
		p.wants(true, "MS for milliseconds")
		return time.Millisecond, true
	case p.accept("SECOND", "SECONDS", "SEC"):
		return time.Second, true
	case p.accept("MINUTE", "MINUTES", "MIN"):
		return time.Minute, true
	case p.accept("HOUR", "HOURS"):
		return time.Hour, true
	}
	return 0, false
}

// duration parses a duration; without a unit it is in seconds.
func (p *parser) duration(into *time.Duration) bool {
	var x float64
	at := p.tok.at
	if !p.number(&x) {
		return false
	}
	unit, ok := p.timeUnit()
	if !ok {
		p.wants(true, "a unit behind a duration")
		unit = time.Second
	}
	x *= float64(unit)
	if x < 1 || x >= math.MaxInt64 {
		p.addf(at, "invalid duration (want more than 0, and less than 290 years)")
		return false
	}
	*into = time.Duration(math.Round(x))
	return true
}

// size parses a size; without a unit it is in bytes. Units are powers of 1024.
func (p *parser) size(into *int64) bool {
	var x float64
	at := p.tok.at
	if !p.number(&x) {
		return false
	}
	switch {
	case p.accept("B", "BYTE", "BYTES"):
	case p.accept("K", "KB", "KILOBYTE", "KILOBYTES"):
		x *= 1 << 10
	case p.accept("M", "MB", "MEGABYTE", "MEGABYTES"):
		x *= 1 << 20
	case p.accept("G", "GB", "GIGABYTE", "GIGABYTES"):
		x *= 1 << 30
	}
	if x >= math.MaxInt64 {
		p.addf(at, "invalid size (want less than 8 EiB)")
		return false
	}
	*into = int64(x)
	return true
}
