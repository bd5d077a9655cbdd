package bench

import (
	"flag"
	"slices"

	"warp/pkg/op"
)

// Info describes a workload of the registry. From it follow the command, its help, and its place in plans and manuals.
type Info struct {
	Name        string // of the command, and in plans
	Usage       string // one line
	Description string // what it measures and how, a few sentences
	Size        string // default of --obj.size
	Example     string // flags of an example, without the command and the target
	New         func() Workload
}

// Default makes a workload with its default parameters.
func (i Info) Default() Workload {
	w := i.New()
	w.Flags(flag.NewFlagSet(i.Name, flag.ContinueOnError))
	return w
}

var registry = []Info{mixedInfo, getInfo, putInfo, deleteInfo, listInfo, statInfo}

// Registry lists all workloads, in the order in which help shows them.
func Registry() []Info { return slices.Clone(registry) }

// Kinds are those of the operations that workloads record, sorted; recordings of other programs may hold more.
func Kinds() (kinds []op.Kind) {
	for _, i := range registry {
		for _, k := range i.Default().Traits().Kinds {
			if !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	slices.Sort(kinds)
	return kinds
}

// Lookup finds a workload by its name.
func Lookup(name string) (Info, bool) {
	for _, i := range registry {
		if i.Name == name {
			return i, true
		}
	}
	return Info{}, false
}
