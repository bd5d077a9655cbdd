package workload

import (
	"flag"

	"warp/internal/option"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
)

var versionedInfo = work.Info{
	Name:  "versioned",
	Usage: "download, upload, delete and stat versions, all at once",
	Description: "Uploads --objects objects into a bucket that keeps versions, then mixes operations on their versions, " +
		"in the proportions of the --*-distrib flags: versions are downloaded, looked up and deleted by their IDs, and " +
		"uploads add versions to the objects in turn.",
	Size:    "10MiB",
	Example: "--objects=100 --obj.size=1MiB --get-distrib=50 --stat-distrib=20 --put-distrib=20 --delete-distrib=10",
	New:     func() work.Workload { return &Versioned{} },
}

var versionedShare = companion{
	workload: "versioned",
	shares:   []companionShare{{"versioned", "the operations of versioned, on --objects additional objects"}},
	make: func(m *Mixed) work.Workload {
		v := defaults(&Versioned{})
		v.Objects = m.Objects
		return v
	},
}

// Versioned performs several kinds of operations on versions.
type Versioned struct{ Mixed }

// Flags binds the parameters.
func (v *Versioned) Flags(fs *flag.FlagSet) { v.Bind(fs, 250) }

// Validate checks the parameters.
func (v *Versioned) Validate(_ work.Load, data generator.Spec) []error {
	if v.PutPartsShare > 0 || !v.Others.IsZero() {
		return []error{option.Errorf("get-distrib, stat-distrib, put-distrib, delete-distrib", "versioned has no other shares")}
	}
	return v.CheckMix(data)
}

// Traits declares that versions are uploaded and deleted. Clients cannot share them: only the uploader of a version knows its ID.
func (v *Versioned) Traits() work.Traits {
	t := v.Mixed.Traits()
	t.Versions, t.Shares = 1, false
	return t
}
