package bench

import (
	"flag"
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
}

// Default returns a workload with its default parameters.
func (i Info) Default() Workload {
	w := i.New()
	w.Flags(flag.NewFlagSet(i.Name, flag.ContinueOnError))
	return w
}

var registry = []Info{
	mixedInfo, getInfo, putInfo, multipartPutInfo, multipartInfo, deleteInfo, listInfo, statInfo,
	versionedInfo, retentionInfo, legalHoldInfo, tagInfo, attributesInfo, aclInfo, headBucketInfo, createBucketInfo, deleteBucketInfo, copyInfo, appendInfo, contendInfo,
	snowballInfo, zipInfo, fanoutInfo,
}

// Registry returns all workloads, in the order of help.
func Registry() []Info { return slices.Clone(registry) }

// Kinds returns the kinds of operations that workloads record, in the order of reports; recordings of other programs may hold more.
func Kinds() (kinds []op.Kind) {
	for _, i := range registry {
		traits := i.Default().Traits()
		for _, k := range append(traits.recorded(), i.Kinds...) {
			if !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	slices.SortFunc(kinds, op.Kind.Compare)
	return kinds
}

// Lookup returns a workload by its name, also one that is made of a file.
func Lookup(name string) (Info, bool) {
	for _, i := range append(Registry(), ReplayInfo) {
		if i.Name == name {
			return i, true
		}
	}
	return Info{}, false
}
