package work

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"

	"warp/pkg/op"
)

// Info describes a workload. The command, its help and the manual are generated from it.
type Info struct {
	Name        string // of the command, and in plans
	Usage       string // one line
	Description string // what it measures and how, a few sentences
	Size        string // default of --obj.size
	Example     string // flags of an example, without the command and the target
	New         func() Workload
	Kinds       []op.Kind // that it records with other than its default parameters
	Hidden      bool      // it is made of a file, and has no command of its own
}

// Default returns a workload with its default parameters.
func (i Info) Default() Workload {
	w := i.New()
	w.Flags(flag.NewFlagSet(i.Name, flag.ContinueOnError))
	return w
}

var registry []Info

// Register adds workloads, for plans to name, when the program starts. undo removes them, after a test.
func Register(workloads ...Info) (undo func()) {
	before := registry
	registry = append(slices.Clone(registry), workloads...)
	return func() { registry = before }
}

// Registry returns the workloads that are commands, in the order of help.
func Registry() []Info {
	return slices.DeleteFunc(slices.Clone(registry), func(i Info) bool { return i.Hidden })
}

// Kinds returns the kinds of operations that workloads record, in the order of reports; recordings of other programs may hold more.
func Kinds() (kinds []op.Kind) {
	for _, i := range Registry() {
		traits := i.Default().Traits()
		for _, k := range append(traits.Recorded(), i.Kinds...) {
			if !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	slices.SortFunc(kinds, op.Kind.Compare)
	return kinds
}

// Lookup returns a workload by its name.
func Lookup(name string) (Info, bool) {
	for _, i := range registry {
		if i.Name == name {
			return i, true
		}
	}
	return Info{}, false
}

// Decode returns a workload with its parameters set.
func Decode(name string, params json.RawMessage) (Workload, error) {
	info, ok := Lookup(name)
	if !ok {
		return nil, fmt.Errorf("unknown workload %q", name)
	}
	w := info.Default()
	if len(params) > 0 {
		if err := json.Unmarshal(params, w); err != nil {
			return nil, fmt.Errorf("parameters of %s: %w", name, err)
		}
	}
	return w, nil
}

// Repeatable reports whether operations of a workload can be attempted again.
func Repeatable(name string) bool {
	info, ok := Lookup(name)
	if !ok {
		return false
	}
	w := info.Default()
	t := w.Traits()
	return repeatable(w, &t)
}
