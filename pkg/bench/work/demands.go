package work

import (
	"errors"
	"fmt"
	"slices"

	"warp/pkg/op"
	"warp/pkg/s3/probe"
)

// Demand is a capability of the server that a workload needs.
type Demand struct {
	*probe.Capability

	Flag string // that needs it, for errors; empty: the command
	Hint string // is appended to the error

	// Warn returns the warning about an error with which the run goes on; empty: it does not. nil: it never does.
	Warn func(err error) string
}

// NewDemands makes demands of rows, without which a run is refused.
func NewDemands(rows ...*probe.Capability) (list []Demand) {
	for _, c := range rows {
		list = append(list, Demand{Capability: c})
	}
	return list
}

// Lenient is a demand of which a warning says, with an end, that the server ignores it.
func Lenient(c *probe.Capability, end string) Demand {
	return Demand{Capability: c, Warn: func(err error) string {
		var ignored *probe.Ignored
		if errors.As(err, &ignored) {
			return ignored.Text + end
		}
		return ""
	}}
}

// ConditionDemand is the demand of a condition; where it is ignored, requests have none.
func ConditionDemand(c *probe.Capability) Demand {
	return Lenient(c, ": these requests are measured as if they had no condition")
}

// sends reports whether the workload sends requests of a kind.
func (t *Traits) sends(kind op.Kind) bool { return slices.Contains(t.Kinds, kind) }

// AllDemands returns all that the workload needs of the server. Conditions come last, since servers that ignore them
// overwrite or delete the object.
func (t *Traits) AllDemands() (list []Demand) {
	if t.Names() > 0 {
		list = NewDemands(probe.Versions)
	}
	list = append(list, t.Demands...)
	for _, d := range []struct {
		needed bool
		Demand
	}{
		{t.PartSize > 0 || t.sends(op.PutPart), Demand{Capability: probe.Parts}},
		{t.Copies, Demand{
			Capability: probe.CopyPart,
			Warn:       func(err error) string { return fmt.Sprintf("copies of parts are likely to fail: %v", err) },
		}},
		{t.Ranged || t.sends(op.GetPart), Demand{Capability: probe.Range}},
	} {
		if d.needed {
			list = append(list, d.Demand)
		}
	}
	return append(list, t.conditions()...)
}

// conditions returns the demands of conditions. These protect objects that the run did not make: where they are
// ignored, such a run is refused.
func (t *Traits) conditions() (list []Demand) {
	for _, kind := range []op.Kind{op.Get, op.Stat, op.Put, op.Delete} {
		if !t.sends(kind) || t.If.Only != nil && !slices.Contains(t.If.Only, kind) {
			continue
		}
		for _, match := range []bool{true, false} {
			c := probe.Condition(kind, match)
			if c == nil || match && t.If.IfMatch == "" || !match && t.If.IfNoneMatch == "" {
				continue
			}
			d := ConditionDemand(c)
			if t.Destroys() && kind == op.Delete {
				const hint = ", which is to protect objects that the run did not make; without the flag they are deleted nevertheless"
				d = Demand{Capability: c, Hint: hint}
			}
			list = append(list, d)
		}
	}
	return list
}
