package bench

import (
	"flag"
	"slices"
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

// Lookup finds a workload by its name.
func Lookup(name string) (Info, bool) {
	for _, i := range registry {
		if i.Name == name {
			return i, true
		}
	}
	return Info{}, false
}
