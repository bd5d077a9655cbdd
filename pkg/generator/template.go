package generator

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"warp/internal/naming"
)

// templateForms is the elements of key templates, for usage texts and errors.
const templateForms = "{i}, {i:06}, {i/1000}, {i%1000}, {i*4096}, {i+1}, {counter:06}, {bucket.i}, {bucket.counter}, {shard:64}, " +
	"{depth:3}, {hash:8}, {hash:20d}, {fnv}, {uuid}, {seed}, {sha256}, {date:2026-01-01,1m,%Y/%m/%d}, {thread}, {client} or {hostname}"

// template makes keys by a form of the user's, and finds the index of a key. Literal text stands for itself; {{ and }} are braces.
type template struct {
	text     string
	elements []element
	source   int  // the element from which the index follows; -1: it is the sum of those that count
	inBucket bool // that sum is the number within the bucket
	one      bool // nothing in it depends on the object: it names a single one
	own      bool // keys are of one seed only, as good as certainly
}

// element is a part of a template.
type element struct {
	kind    elementKind
	literal string
	number  naming.Number // of numbers and fnv
	counts  bool          // see template.source
	n       uint64        // shards, or directories of a level
	width   int           // digits of hashes; levels of depth
	start   int64         // of date, in seconds since 1970
	step    int64         // of date, in nanoseconds
	layout  string        // of date
}

type elementKind uint8

const (
	literalText  elementKind = iota
	indexNumber              // {i}, {counter}
	bucketNumber             // {bucket.i}, {bucket.counter}: of the objects in the same bucket
	threadNumber
	clientNumber
	fnvNumber // as YCSB has it
	shardNumber
	depthDirs
	hashHex
	hashDecimal
	uuidText
	sha256Text // as object-store-bench has it
	seedText   // the same in all keys; see ofSeed
	dateText
)

// isNumber reports whether an element is a number in decimal digits, zero-padded.
func (k elementKind) isNumber() bool { return k >= indexNumber && k <= fnvNumber }

const (
	hashDigits   = 16 // of a whole hash, in hexadecimal
	hashDecimals = 20 // likewise, in decimal
	maxWidth     = 20
	maxLevels    = 16
	maxTemplate  = 900
	// dateRange is the seconds from 1970 to the end of the year 9999; dates begin again there, so that they have one length.
	dateRange = 253402300800
)

// parseTemplate parses a key template.
func parseTemplate(text string) (*template, error) {
	t := &template{text: text, source: -1}
	if len(text) > maxTemplate || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, fmt.Errorf("invalid template (want at most %d bytes of UTF-8)", maxTemplate)
	}
	err := naming.Scan(text, t.addLiteral, func(inner string) error {
		e, err := parseElement(inner)
		t.elements = append(t.elements, e)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("invalid template %q: %w", text, err)
	}
	return t, nil
}

func (t *template) addLiteral(text string) {
	if n := len(t.elements); n > 0 && t.elements[n-1].kind == literalText {
		t.elements[n-1].literal += text
		return
	}
	t.elements = append(t.elements, element{literal: text})
}

// parseElement parses what stands between braces.
func parseElement(text string) (e element, err error) {
	name, arg, given := strings.Cut(text, ":")
	switch {
	case name == "shard":
		e.kind = shardNumber
		e.n, err = naming.ParseCount(arg, 1<<32)
		return e, err
	case name == "depth":
		return parseDepth(arg)
	case name == "hash":
		return parseHash(arg, given)
	case name == "uuid" && !given:
		return element{kind: uuidText}, nil
	case name == "seed" && !given:
		return element{kind: seedText, width: seedDigits}, nil
	case name == "sha256" && !given:
		return element{kind: sha256Text}, nil
	case name == "date":
		return parseDate(arg)
	}
	return parseNumberElement(name, arg, given)
}

// numbers are the elements that are numbers, and what may be done with them.
var numbers = map[string]struct {
	kind       elementKind
	plus       uint64
	operations string
}{
	"i":              {indexNumber, 0, naming.Operators},
	"counter":        {indexNumber, 1, ""},
	"bucket.i":       {bucketNumber, 0, naming.Operators},
	"bucket.counter": {bucketNumber, 1, ""},
	"thread":         {threadNumber, 0, ""},
	"client":         {clientNumber, 0, "+"},
	"fnv":            {fnvNumber, 0, "+"},
}

// parseNumberElement parses an element that is a number.
func parseNumberElement(name, width string, padded bool) (e element, err error) {
	at := strings.IndexAny(name, naming.Operators)
	if at < 0 {
		at = len(name)
	}
	row, known := numbers[name[:at]]
	unfit := func(r rune) bool {
		return strings.ContainsRune(naming.Operators, r) && !strings.ContainsRune(row.operations, r)
	}
	if !known || strings.ContainsFunc(name[at:], unfit) {
		return e, fmt.Errorf("unknown (want %s)", templateForms)
	}
	e.kind = row.kind
	e.number, err = naming.ParseNumber(name[at:], width, padded)
	e.number.Plus += row.plus
	return e, err
}

// parseDepth parses the argument of depth.
func parseDepth(arg string) (e element, err error) {
	levels, dirs, some := strings.Cut(arg, "x")
	width, err := naming.ParseCount(levels, maxLevels)
	e = element{kind: depthDirs, width: int(width), n: 16}
	if some && err == nil {
		e.n, err = naming.ParseCount(dirs, 1<<16)
	}
	return e, err
}

// parseHash parses the argument of hash.
func parseHash(arg string, given bool) (element, error) {
	n, err := strconv.ParseUint(arg, 10, 64)
	switch {
	case !given:
		return element{kind: hashHex, width: hashDigits}, nil
	case arg == "20d":
		return element{kind: hashDecimal, width: hashDecimals}, nil
	case err != nil || n < 1 || n > hashDigits:
		return element{}, fmt.Errorf("invalid number of digits %q (want 1 to %d, or 20d)", arg, hashDigits)
	}
	return element{kind: hashHex, width: int(n)}, nil
}

// parseDate parses the arguments of date: the date of the first object, the time from one object to the next, and how dates are written.
func parseDate(arg string) (element, error) {
	first, rest, _ := strings.Cut(arg, ",")
	step, layout, _ := strings.Cut(rest, ",")
	e := element{kind: dateText, start: 1767225600, step: int64(time.Second), layout: "%Y/%m/%d"} // 1 January 2026
	if first != "" {
		t, err := time.Parse(time.DateOnly, first)
		if err != nil || t.Unix() < 0 {
			return e, fmt.Errorf("invalid date %q (want for example 2026-01-01, from 1970 on)", first)
		}
		e.start = t.Unix()
	}
	if step != "" {
		d, err := time.ParseDuration(step)
		if err != nil || d <= 0 {
			return e, fmt.Errorf("invalid time between objects %q (want for example 1m)", step)
		}
		e.step = int64(d)
	}
	if layout != "" {
		e.layout = layout
	}
	for at := 0; at < len(e.layout); at++ {
		if e.layout[at] != '%' {
			continue
		}
		if at++; at == len(e.layout) || !strings.ContainsRune(dateLetters, rune(e.layout[at])) {
			return e, fmt.Errorf("invalid form of dates %q (want %%Y, %%m, %%d, %%H, %%M, %%S and text)", e.layout)
		}
	}
	return e, nil
}

// dateLetters are the parts of a date; each has a length of its own.
const dateLetters = "YmdHMS"

// check finds the elements that the index follows from, and returns an error if keys would not be unique, not be found again, or be odd.
func (t *template) check() error {
	for k := range t.elements {
		e := &t.elements[k]
		if e.variable() && k+1 < len(t.elements) {
			if next := &t.elements[k+1]; next.kind != literalText || isDigit(next.literal[0]) {
				return errors.New("a number is followed by another element or a digit, so that its end is not known " +
					"(want a separator, or a number of known length before it)")
			}
		}
	}
	if !t.findSource() {
		return errors.New("keys would not be unique (want {i}, {counter}, {bucket.i}, {hash}, {hash:20d}, {fnv}, {uuid}, " +
			"{sha256}, or both {i/N} and {i%N}; or, for a single object, none of them)")
	}
	longest := string(t.append(nil, &keySeeds{threads: 1 << 30, client: 1 << 30, buckets: 1}, 1<<50))
	switch first := t.prefix(); {
	case strings.HasPrefix(first, "/") && !t.has(sha256Text):
		return errors.New("a part between slashes is empty")
	case strings.HasSuffix(longest, "/"):
		return errors.New("it ends with a slash (want a name)")
	case strings.HasPrefix(lastPart(first), claimName):
		return fmt.Errorf("names that begin with %q are reserved", claimName)
	case len(longest) > maxTemplate:
		return fmt.Errorf("keys would have up to %d bytes (want at most %d)", len(longest), maxTemplate)
	}
	return nil
}

// findSource finds the elements that the index follows from.
func (t *template) findSource() bool {
	for k := range t.elements {
		e := &t.elements[k]
		whole := e.kind == hashHex && e.width == hashDigits || e.kind == hashDecimal || e.kind == uuidText
		t.own = t.own || whole || e.kind == seedText
		if t.source < 0 && (whole || e.kind == sha256Text || e.kind == fnvNumber) {
			t.source = k
		}
	}
	if t.source >= 0 || t.count(indexNumber) {
		return true
	}
	t.inBucket = t.count(bucketNumber)
	t.one = !slices.ContainsFunc(t.elements, func(e element) bool {
		return e.kind != literalText && e.kind != clientNumber && e.kind != seedText
	})
	return t.inBucket || t.one
}

// ofSeed returns the template with the text of a seed in place of {seed}.
func (t *template) ofSeed(seed uint64) *template {
	if !t.has(seedText) {
		return t
	}
	of := &template{text: t.text, source: -1}
	for _, e := range t.elements {
		switch e.kind {
		case seedText:
			of.addLiteral(string(appendSeed(nil, seed)))
		case literalText:
			of.addLiteral(e.literal)
		default:
			of.elements = append(of.elements, e)
		}
	}
	of.findSource()
	of.own = true
	return of
}

// count finds numbers of a kind that make up a whole one, like the digits of a number: {i}, or {i%2}, {i/2%3} and {i/6}.
func (t *template) count(kind elementKind) bool {
	var chosen []*element
	for unit := uint64(1); unit > 0; {
		var next *element
		for k := range t.elements {
			e := &t.elements[k]
			usable := e.kind == kind && e.number.Div == unit && e.number.Mod != 1
			if usable && (next == nil || e.number.Mod == 0) {
				next = e
			}
		}
		if next == nil {
			return false
		}
		chosen = append(chosen, next)
		unit *= next.number.Mod
	}
	for _, e := range chosen {
		e.counts = true
	}
	return true
}

// variable reports whether the length of the element differs between objects.
func (e *element) variable() bool { return e.kind.isNumber() && !e.number.Fixed() }

// prefix returns the literal text before the first other element.
func (t *template) prefix() string {
	if len(t.elements) > 0 && t.elements[0].kind == literalText {
		return t.elements[0].literal
	}
	return ""
}

// has reports whether there is an element of a kind.
func (t *template) has(kind elementKind) bool {
	for i := range t.elements {
		if t.elements[i].kind == kind {
			return true
		}
	}
	return false
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
