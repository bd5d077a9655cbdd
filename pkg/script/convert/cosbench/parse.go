package cosbench

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// element is an element of a workload file of COSBench.
type element struct {
	name     string
	at       script.Pos
	attrs    map[string]string
	children []*element
	config   map[string]string // of the attribute config, with what is inherited
	storage  map[string]string // config of the nearest storage
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
			hint := ""
			if strings.Contains(syntax.Msg, "unescaped <") {
				hint = "; write what <accesskey>, for example, stands for"
			}
			errs.Addf(script.Pos{Line: syntax.Line}, "invalid XML: %s%s", syntax.Msg, hint)
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
				stack[len(stack)-1].add(e, errs)
			}
			stack = append(stack, e)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		}
	}
}

// add adds an element. One of those that stand for what is around them comes once.
func (e *element) add(child *element, errs *draft.Draft) {
	once := func(o *element) bool {
		return o.name == child.name && slices.Contains([]string{"auth", "storage", "workflow"}, o.name)
	}
	if slices.ContainsFunc(e.children, once) {
		errs.Addf(child.at, "a second <%s> in <%s>, which COSBench refuses too", child.name, e.name)
	}
	e.children = append(e.children, child)
}

// charset reads a file whose encoding is not UTF-8. Of all that contain ASCII, which elements, attributes and names are made of, this
// reads that part right.
func charset(name string, in io.Reader) (io.Reader, error) {
	if name = strings.ToLower(name); strings.HasPrefix(name, "utf-16") || strings.HasPrefix(name, "utf-32") || strings.HasPrefix(name, "ucs") {
		return nil, fmt.Errorf("encoding %q (want UTF-8, ISO-8859-1 or another that contains ASCII)", name)
	}
	text, err := io.ReadAll(in) // up to MaxText
	var b strings.Builder
	for _, c := range text { // ISO-8859-1 is the first 256 characters of Unicode
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

// inherit gives each element the configuration of those around it, and the nearest storage.
func (e *element) inherit(config, storage map[string]string) {
	e.config, e.storage = map[string]string{}, storage
	maps.Copy(e.config, config)
	maps.Copy(e.config, configOf(e.attrs["config"]))
	for _, c := range e.children {
		if c.name == "storage" {
			e.storage = configOf(c.attrs["config"])
		}
	}
	for _, c := range e.children {
		c.inherit(e.config, e.storage)
	}
}

// inner returns what a work that is no measured one does: the work itself, or its operation in files as COSBench saves them.
func (e *element) inner() *element {
	for _, c := range e.children {
		if c.name == "operation" {
			return c
		}
	}
	return e
}

// walk visits an element and all that it contains.
func (e *element) walk(visit func(*element)) {
	visit(e)
	for _, c := range e.children {
		c.walk(visit)
	}
}

// pairsOf splits a configuration of the form a=b;c=d.
func pairsOf(text string) (pairs [][2]string) {
	for part := range strings.SplitSeq(text, ";") {
		if k, v, ok := strings.Cut(part, "="); ok {
			pairs = append(pairs, [2]string{strings.TrimSpace(k), strings.TrimSpace(v)})
		}
	}
	return pairs
}

// configOf returns a configuration by its keys.
func configOf(text string) map[string]string {
	m := map[string]string{}
	for _, p := range pairsOf(text) {
		m[p[0]] = p[1]
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
