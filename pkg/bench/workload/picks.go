package workload

import (
	"flag"
	"slices"

	"warp/internal/option"
	"warp/pkg/generator"
)

// Picks is the parameters of a workload that picks an object for each turn.
type Picks struct {
	Access generator.Access `json:"access,omitzero"` // zero: the default of DataSet.Pick
}

// Bind binds the parameter to a flag; usual describes its default.
func (p *Picks) Bind(fs *flag.FlagSet, usual string) {
	fs.Var(&p.Access, "access", "`PATTERN` access pattern; else "+usual+" (see \"warp help access\")")
}

// DefaultAccess is the default of most benchmarks, for Picks.Bind.
const DefaultAccess = "each object once, reshuffled"

// Check returns an error for a range beyond the number of objects; with existing objects the number is not known yet.
func (p *Picks) Check(objects uint64, existing bool) []error {
	if existing || objects == 0 {
		return nil
	}
	return p.CheckWithin(objects, "objects")
}

// CheckWithin returns an error for a range beyond n things, with their name.
func (p *Picks) CheckWithin(n uint64, name string) []error {
	if err := p.Access.Check(n, name); err != nil {
		return []error{option.Wrap("access", err)}
	}
	return nil
}

// CheckOneOf returns an error for any other pattern.
func (p *Picks) CheckOneOf(why string, patterns ...string) []error {
	if p.Access.Pattern == "" || slices.Contains(patterns, p.Access.Pattern) {
		return nil
	}
	return []error{option.Errorf("access", "%s: %s (want %s)", p.Access.Pattern, why, option.List(patterns...))}
}
