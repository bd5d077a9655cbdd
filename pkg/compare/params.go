package compare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Joined returns differences for people: without idle ones, and with one for each flag.
func Joined(list []Difference) (out []Difference) {
	join := func(a, b string) string {
		if a == b || a == "" || b == "" {
			return cmp.Or(a, b)
		}
		return a + "," + b
	}
	for _, d := range list {
		if d.Name == "" {
			d.Name, d.Was, d.Is = d.Path, d.Before, d.After
		}
		switch n := len(out); {
		case d.Idle:
		case n > 0 && out[n-1].Name == d.Name:
			out[n-1].Was, out[n-1].Is = join(out[n-1].Was, d.Was), join(out[n-1].Is, d.Is)
		default:
			out = append(out, d)
		}
	}
	return out
}

// Difference is a parameter that differs between the sides. It is empty on a side that does not have it.
type Difference struct {
	Path   string `json:"path"` // dotted, "phases.0.params.objects"
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	Minor  bool   `json:"minor,omitempty"` // hardly affects what was measured: seeds, prefixes, names, credentials

	Name    string `json:"-"` // the flag that sets it; empty: Path says more
	Was, Is string `json:"-"` // Before and After as the flag has them
	Idle    bool   `json:"-"` // a parameter of a benchmark that one side does not have
}

// minor lists parameters, at any depth, that hardly affect the figures.
var minor = []string{"seed", "client", "name", "prefix", "access_key", "benchdata", "hostname"}

// DiffParams lists where two plans, as JSON, differ, by path in natural order. Empty input is a plan without
// parameters.
func DiffParams(before, after json.RawMessage) ([]Difference, error) {
	b, err := flatten(before)
	if err != nil {
		return nil, fmt.Errorf("parameters of the run before: %w", err)
	}
	a, err := flatten(after)
	if err != nil {
		return nil, fmt.Errorf("parameters of the run after: %w", err)
	}
	for path := range a {
		if _, ok := b[path]; !ok {
			b[path] = ""
		}
	}
	var list []Difference
	for path, v := range b {
		if v != a[path] {
			last := path[strings.LastIndexByte(path, '.')+1:]
			minor := slices.Contains(minor, strings.ToLower(last))
			list = append(list, Difference{Path: path, Before: v, After: a[path], Minor: minor})
		}
	}
	slices.SortFunc(list, func(x, y Difference) int {
		return cmp.Or(comparePaths(x.Path, y.Path), cmp.Compare(x.Path, y.Path))
	})
	return list, nil
}

// comparePaths compares part by part, numbers by value: phase 2 before phase 10.
func comparePaths(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(x, y string) int {
		m, errM := strconv.Atoi(x)
		n, errN := strconv.Atoi(y)
		if errM == nil && errN == nil {
			return cmp.Compare(m, n)
		}
		return cmp.Compare(x, y)
	})
}

// flatten maps dotted paths to values as text.
func flatten(text json.RawMessage) (map[string]string, error) {
	flat := make(map[string]string)
	if len(bytes.TrimSpace(text)) == 0 {
		return flat, nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // seeds do not fit into a float64
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("unexpected data after the plan")
	}
	walk(flat, "", v)
	return flat, nil
}

func walk(flat map[string]string, path string, v any) {
	join := func(part string) string {
		if path == "" {
			return part
		}
		return path + "." + part
	}
	switch v := v.(type) {
	case map[string]any:
		for name, child := range v {
			walk(flat, join(name), child)
		}
	case []any:
		for i, child := range v {
			walk(flat, join(strconv.Itoa(i)), child)
		}
	case nil: // same as absent
	case string:
		flat[path] = v
	default:
		flat[path] = fmt.Sprint(v)
	}
}
