package work

import (
	"flag"
	"fmt"

	"warp/internal/option"
)

// Prepared is the parameters of a workload that works on objects uploaded beforehand.
type Prepared struct {
	Objects uint64 `json:"objects"`

	changing bool // other tasks may upload the objects
}

// Changing reports whether other tasks may upload the objects, or delete some.
func (p *Prepared) Changing() bool { return p.changing }

// PrepareNone sets the number of objects to 0.
func (p *Prepared) PrepareNone() { p.Objects = 0 }

// OnChangingSet is called if the data set changes.
func (p *Prepared) OnChangingSet() { p.changing = true }

// OrExisting is the meaning of --objects with --list-existing, for its usage text.
const OrExisting = "; with --list-existing: how many to use"

// Bind binds the parameter to --objects, with a default; more is added to the usage text.
func (p *Prepared) Bind(fs *flag.FlagSet, objects uint64, more string) {
	fs.Uint64Var(&p.Objects, "objects", objects, "`N` objects to upload first"+more)
}

// Check returns an error for too few objects, or too many.
func (p *Prepared) Check() []error {
	if p.Objects < 1 && !p.changing {
		return []error{option.Invalid("objects", p.Objects, "at least 1")}
	}
	return p.CheckMax(MaxObjects)
}

// CheckExisting is Check for a workload that may use existing objects, where 0 is all of them.
func (p *Prepared) CheckExisting(existing bool) []error {
	if existing {
		return p.CheckMax(MaxObjects)
	}
	return p.Check()
}

// CheckMax returns an error for more than n objects.
func (p *Prepared) CheckMax(n uint64) []error {
	if p.Objects > n {
		return []error{option.Invalid("objects", p.Objects, fmt.Sprintf("at most %d", n))}
	}
	return nil
}

// Existing is the parameters of a workload that can work on objects that are already in the bucket.
type Existing struct {
	ListExisting bool `json:"list_existing,omitempty"`
	ListFlat     bool `json:"list_flat,omitempty"`
}

// Bind binds the parameters to flags.
func (e *Existing) Bind(fs *flag.FlagSet) {
	fs.BoolVar(&e.ListExisting, "list-existing", false, "use existing objects below --prefix, upload none")
	fs.BoolVar(&e.ListFlat, "list-flat", false, "with --list-existing: don't descend below the next \"/\"")
}

// maxExtraBuckets is the maximum number of extra buckets of a data set at a time.
const maxExtraBuckets = 1000

// Extra is the parameters of workloads that make or delete extra buckets.
type Extra struct {
	Buckets int  `json:"extra_buckets,omitempty"` // at most at a time; 0: as many as the data set has, if it has several
	Named   bool `json:"named_buckets,omitempty"` // they are the data set's own buckets, which no other part of the run makes or removes
}

// Check returns an error for an invalid number of buckets.
func (e *Extra) Check() []error {
	if e.Named && e.Buckets > 0 {
		return []error{option.Errorf("named-buckets, extra-buckets", "use one of them")}
	}
	if e.Buckets < 0 || e.Buckets > maxExtraBuckets {
		return []error{option.Invalid("extra-buckets", e.Buckets, fmt.Sprintf("1 to %d", maxExtraBuckets))}
	}
	return nil
}
