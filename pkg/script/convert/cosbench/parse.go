package cosbench

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/units"
)

// element is an element of a workload file of COSBench.
type element struct {
	name     string
	at       script.Pos
	attrs    map[string]string
	children []*element
	config   map[string]string // of the attribute config, with what is inherited
}

// Attributes lists the attributes of each element.
var Attributes = map[string][]string{
	"workload":  {"name", "description", "trigger", "config"},
	"auth":      {"type", "config", "mechanism"},
	"storage":   {"type", "config"},
	"workflow":  {"config"},
	"workstage": {"name", "closuredelay", "trigger", "config"},
	"work": {
		"name", "type", "workers", "interval", "division", "runtime", "rampup", "rampdown", "afr", "totalOps", "totalBytes", "driver",
		"config", "id", "ratio",
	},
	"operation": {"type", "ratio", "division", "config", "id"},
}

// parseXML returns the root of a workload file.
func parseXML(text string, errs *draft.Draft) *element {
	dec := xml.NewDecoder(strings.NewReader(text))
	dec.CharsetReader = charset
	var stack []*element
	var root *element
	for {
		line, column := dec.InputPos()
		tok, err := dec.Token()
		if err == io.EOF {
			return root
		}
		var syntax *xml.SyntaxError
		if errors.As(err, &syntax) {
			errs.Addf(script.Pos{Line: syntax.Line}, "invalid XML: %s", syntax.Msg)
			return nil
		}
		if err != nil {
			errs.Addf(script.Pos{Line: line}, "invalid XML: %w", err)
			return nil
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			e := &element{name: tok.Name.Local, at: script.Pos{Line: line, Column: column}, attrs: map[string]string{}}
			e.read(tok.Attr, errs)
			if len(stack) > draft.MaxDepth {
				errs.Addf(e.at, "nested too deeply (want at most %d levels)", draft.MaxDepth)
				return nil
			}
			if len(stack) == 0 {
				root = e
			} else {
				parent := stack[len(stack)-1]
				parent.children = append(parent.children, e)
			}
			stack = append(stack, e)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		}
	}
}

// charset reads a file whose encoding is not UTF-8.
func charset(name string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(name) {
	case "iso-8859-1", "latin1", "us-ascii", "ascii":
	default:
		return nil, fmt.Errorf("encoding %q (want UTF-8 or ISO-8859-1)", name)
	}
	text, err := io.ReadAll(in) // up to MaxText
	var b strings.Builder
	for _, c := range text { // these encodings are the first 256 characters of Unicode
		b.WriteRune(rune(c))
	}
	return strings.NewReader(b.String()), err
}

// read takes the attributes.
func (e *element) read(attrs []xml.Attr, errs *draft.Draft) {
	known, ok := Attributes[e.name]
	if !ok {
		errs.Addf(e.at, "unknown element <%s>", e.name)
	}
	for _, a := range attrs {
		if ok && !slices.Contains(known, a.Name.Local) {
			errs.Unknown(e.at, "<"+e.name+"> has no attribute", a.Name.Local, a.Value, known)
		}
		e.attrs[a.Name.Local] = a.Value
	}
}

// inherit gives each element the configuration of those around it.
func (e *element) inherit(from map[string]string) {
	e.config = map[string]string{}
	for k, v := range from {
		e.config[k] = v
	}
	for k, v := range configOf(e.attrs["config"]) {
		e.config[k] = v
	}
	for _, c := range e.children {
		c.inherit(e.config)
	}
}

// configOf parses a configuration of the form a=b;c=d.
func configOf(text string) map[string]string {
	m := map[string]string{}
	for part := range strings.SplitSeq(text, ";") {
		if k, v, ok := strings.Cut(part, "="); ok {
			m[strings.TrimSpace(k)] = strings.TrimSpace(v)
		}
	}
	return m
}

// whole returns an attribute that is a whole number, or a default.
func (e *element) whole(name string, missing uint64, errs *draft.Problems) uint64 {
	text := e.attrs[name]
	if text == "" {
		return missing
	}
	n, err := strconv.ParseUint(text, 10, 62)
	if err != nil {
		errs.Addf(e.at, "%s=%q (want a whole number)", name, text)
	}
	return n
}

// selector is one of the forms c(n), u(a,b), r(a,b), s(a,b) and h(a|b|weight,...), with a unit for sizes.
type selector struct {
	form        byte
	first, last uint64
	parts       []span // of h
	unit        string
}

// span is a part of a histogram.
type span struct{ first, last, weight uint64 }

// parseSelector parses a selector.
func parseSelector(text string) (s selector, err error) {
	wrong := fmt.Errorf("invalid selector %q (want c(n), u(a,b), r(a,b), s(a,b) or h(a|b|weight,...))", text)
	name, rest, ok := strings.Cut(strings.TrimSpace(text), "(")
	args, unit, closed := strings.Cut(rest, ")")
	if !ok || !closed || len(name) != 1 || !strings.Contains("cursh", name) {
		return s, wrong
	}
	s.form, s.unit = name[0], strings.TrimSpace(unit)
	list := strings.Split(args, ",")
	if s.form == 'h' {
		for _, part := range list {
			n, err := numbers(strings.Split(part, "|"))
			if err != nil || len(n) != 3 || n[0] > n[1] {
				return s, wrong
			}
			s.parts = append(s.parts, span{n[0], n[1], n[2]})
		}
		s.first, s.last = s.parts[0].first, s.parts[len(s.parts)-1].last
		return s, nil
	}
	n, err := numbers(list)
	switch {
	case err != nil, s.form == 'c' && len(n) != 1, s.form != 'c' && len(n) != 2:
		return s, wrong
	case s.form == 'c':
		n = append(n, n[0])
	}
	s.first, s.last = n[0], n[1]
	if s.first > s.last {
		return s, wrong
	}
	return s, nil
}

func numbers(texts []string) (list []uint64, err error) {
	for _, t := range texts {
		n, err := strconv.ParseUint(strings.TrimSpace(t), 10, 40)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// sizeUnits are the units of sizes; powers of 1000.
var sizeUnits = map[string]uint64{"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9}

// sizes returns sizes as a scenario writes them, and what was approximated.
func (s selector) sizes() (text, note string, err error) {
	unit, ok := sizeUnits[strings.ToUpper(s.unit)]
	if !ok {
		return "", "", fmt.Errorf("unknown unit %q (want B, KB, MB or GB)", s.unit)
	}
	size := func(n uint64) string { return units.ExactSize(int64(n * unit)) }
	if s.last > 1<<62/unit {
		return "", "", fmt.Errorf("size of %d %s is too large", s.last, s.unit)
	}
	switch s.form {
	case 'c':
		return size(s.first), "", nil
	case 'r', 's':
		note = "Approximated: sizes follow one another in the original; here they are random."
		fallthrough
	case 'u':
		return "uniform(" + size(s.first) + "," + size(s.last) + ")", note, nil
	}
	var parts []string
	for i, p := range s.parts {
		if p.last > 1<<62/unit {
			return "", "", fmt.Errorf("size of %d %s is too large", p.last, s.unit)
		}
		if i > 0 && (p.first < s.parts[i-1].last || p.first > s.parts[i-1].last+1) {
			return "", "", errors.New("parts of h() must follow one another without gaps")
		}
		parts = append(parts, size(p.last)+":"+strconv.FormatUint(p.weight, 10))
	}
	return "hist(" + strings.Join(parts, ",") + ")", "Approximated: the first part of h() begins at 1 byte here.", nil
}
