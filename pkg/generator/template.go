package generator

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// templateForms is the elements of key templates, for usage texts and errors.
const templateForms = "{i}, {i:06}, {i/1000}, {i%1000}, {counter:06}, {shard:64}, {depth:3}, {hash:8}, {hash:20d}, {uuid}, {sha256}, " +
	"{date:2026-01-01,1m,%Y/%m/%d}, {thread} or {client}"

// template makes keys by a form of the user's, and finds the index of a key. Literal text stands for itself; {{ and }} are braces.
type template struct {
	text     string
	elements []element
	source   int  // the element from which the index follows; of two, the first
	rest     int  // the other one: of {i/N} and {i%N}; -1: there is no other
	own      bool // keys are of one seed only, as good as certainly
}

// element is a part of a template.
type element struct {
	kind    elementKind
	literal string
	n       uint64 // divisor, shards, or directories of a level
	width   int    // digits, at least; levels of depth
	start   int64  // of date, in seconds since 1970
	step    int64  // of date, in nanoseconds
	layout  string // of date
}

type elementKind uint8

const (
	literalText elementKind = iota
	indexNumber             // {i}
	indexOver               // {i/N}
	indexMod                // {i%N}
	countNumber             // {counter}: from 1
	shardNumber
	depthDirs
	hashHex
	hashDecimal
	uuidText
	sha256Text // as object-store-bench has it
	dateText
	threadNumber
	clientNumber
)

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
	t := &template{text: text, source: -1, rest: -1}
	if len(text) > maxTemplate || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, fmt.Errorf("invalid template (want at most %d bytes of UTF-8)", maxTemplate)
	}
	for rest := text; rest != ""; {
		at := strings.IndexAny(rest, "{}")
		if at < 0 {
			at = len(rest)
		}
		t.addLiteral(rest[:at])
		if rest = rest[at:]; rest == "" {
			break
		}
		if len(rest) > 1 && rest[1] == rest[0] {
			t.addLiteral(rest[:1])
			rest = rest[2:]
			continue
		}
		inner, more, closed := strings.Cut(rest[1:], "}")
		if rest[0] == '}' || !closed {
			return nil, fmt.Errorf("invalid template %q: a brace stands alone (want {NAME}, or {{ and }} for braces)", text)
		}
		e, err := parseElement(inner)
		if err != nil {
			return nil, fmt.Errorf("invalid element \"{%s}\": %w", inner, err)
		}
		t.elements = append(t.elements, e)
		rest = more
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("invalid template %q: %w", text, err)
	}
	return t, nil
}

func (t *template) addLiteral(text string) {
	if text == "" {
		return
	}
	if n := len(t.elements); n > 0 && t.elements[n-1].kind == literalText {
		t.elements[n-1].literal += text
		return
	}
	t.elements = append(t.elements, element{literal: text})
}

// parseElement parses what stands between braces.
func parseElement(text string) (e element, err error) {
	name, arg, given := strings.Cut(text, ":")
	number := func(most uint64) uint64 {
		n, bad := strconv.ParseUint(arg, 10, 64)
		if bad != nil || n < 1 || n > most {
			err = fmt.Errorf("invalid number %q (want 1 to %d)", arg, most)
		}
		return n
	}
	width := func() int {
		if !given {
			return 1
		}
		return int(number(maxWidth))
	}
	switch {
	case name == "i":
		return element{kind: indexNumber, width: width()}, err
	case strings.HasPrefix(name, "i/"), strings.HasPrefix(name, "i%"):
		e = element{kind: indexOver, width: width()}
		if name[1] == '%' {
			e.kind = indexMod
		}
		if err == nil {
			arg = name[2:]
			e.n = number(maxZipf)
		}
		return e, err
	case name == "counter":
		return element{kind: countNumber, width: width()}, err
	case name == "shard":
		return element{kind: shardNumber, n: number(1 << 32)}, err
	case name == "depth":
		levels, dirs, some := strings.Cut(arg, "x")
		arg = levels
		e = element{kind: depthDirs, width: int(number(maxLevels)), n: 16}
		if some && err == nil {
			arg = dirs
			e.n = number(1 << 16)
		}
		return e, err
	case name == "hash":
		return parseHash(arg, given)
	case name == "uuid" && !given:
		return element{kind: uuidText}, nil
	case name == "sha256" && !given:
		return element{kind: sha256Text}, nil
	case name == "date":
		return parseDate(arg)
	case name == "thread":
		return element{kind: threadNumber, width: width()}, err
	case name == "client":
		return element{kind: clientNumber, width: width()}, err
	}
	return e, fmt.Errorf("unknown (want %s)", templateForms)
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
		whole := e.kind == hashHex && e.width == hashDigits || e.kind == hashDecimal || e.kind == uuidText
		t.own = t.own || whole
		if t.source < 0 && (whole || e.kind == sha256Text || e.kind == indexNumber || e.kind == countNumber) {
			t.source = k
		}
	}
	for k := range t.elements {
		for j := range t.elements {
			one, two := &t.elements[k], &t.elements[j]
			if t.source < 0 && one.kind == indexOver && two.kind == indexMod && one.n == two.n {
				t.source, t.rest = k, j
			}
		}
	}
	if t.source < 0 {
		return errors.New("keys would not be unique (want {i}, {counter}, {hash}, {hash:20d}, {uuid}, {sha256}, or both {i/N} and {i%N})")
	}
	longest := string(t.append(nil, &keySeeds{threads: 1 << 30, client: 1 << 30}, 1<<50))
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

// variable reports whether the length of the element differs between objects.
func (e *element) variable() bool {
	switch e.kind {
	case indexNumber, indexOver, countNumber, threadNumber, clientNumber:
		return true
	case indexMod:
		return e.width < len(strconv.FormatUint(e.n-1, 10))
	}
	return false
}

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
