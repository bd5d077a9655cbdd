package work

import (
	"errors"
	"fmt"
	"slices"

	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/probe"
)

// Demand is a capability of the server that a workload needs.
type Demand struct {
	*probe.Capability

	Flag string // the flag that needs it, for errors; empty: the command does
	Hint string // appended to the error

	// Warn returns the warning for an error that does not stop the run; empty if the error stops it. nil: every error does.
	Warn func(err error) string
}

// NewDemands returns demands for capabilities; a run is refused without them.
func NewDemands(rows ...*probe.Capability) (list []Demand) {
	for _, c := range rows {
		list = append(list, Demand{Capability: c})
	}
	return list
}

// Lenient is a demand that only causes a warning, with the given ending, if the server ignores it.
func Lenient(c *probe.Capability, end string) Demand {
	return Demand{Capability: c, Warn: func(err error) string {
		var ignored *probe.Ignored
		if errors.As(err, &ignored) {
			return ignored.Text + end
		}
		return ""
	}}
}

// ConditionDemand is the demand for a condition. If the server ignores it, the requests count as unconditional.
func ConditionDemand(c *probe.Capability) Demand {
	return Lenient(c, ": these requests are measured as if they had no condition")
}

func (t *Traits) sends(kind op.Kind) bool { return slices.Contains(t.Kinds, kind) }

// AllDemands returns all demands of the workload. Conditions come last, since a server that ignores them overwrites or deletes the
// object.
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

// verbs are what operations need, by their kind, and stores of other kinds may lack.
var verbs = map[op.Kind]s3.Verb{
	op.Post:         s3.ByForm,
	op.CreateUpload: s3.InParts,
	op.PutPart:      s3.InParts,
	op.GetTags:      s3.ObjectTags,
	op.PutTags:      s3.ObjectTags,
	op.DeleteTags:   s3.ObjectTags,
	op.Attributes:   s3.Attributes,
	op.ACL:          s3.ACLs,
	op.Append:       s3.Appending,
	op.CopyPart:     s3.CopiedParts,
	op.Compose:      s3.Composing,
	op.Rename:       s3.Renaming,
	op.Select:       s3.SQL,
	op.Retention:    s3.Retentions,
	op.GetRetention: s3.Retentions,
	op.LegalHold:    s3.LegalHolds,
	op.GetLegalHold: s3.LegalHolds,
}

// VerbOf returns what operations of a kind need.
func VerbOf(k op.Kind) s3.Verb { return verbs[k] }

// Verbs returns what the workload needs and stores of other kinds may lack.
func (t *Traits) Verbs() []s3.Verb {
	list := []s3.Verb{t.Needs}
	for _, k := range t.Recorded() {
		list = append(list, verbs[k])
	}
	if t.Locks {
		list = append(list, s3.Retentions)
	}
	if t.Versions > 0 {
		list = append(list, s3.Versions)
	}
	for _, d := range t.AllDemands() {
		list = append(list, d.Verb())
	}
	return list
}

// conditions returns the demands for conditions. If conditions protect objects that the run did not make, a server that ignores them
// is refused.
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
