package workload

import (
	"flag"
	"fmt"

	"warp/internal/option"
	"warp/pkg/bench/work"
)

// Versioning is the parameters of a workload that can work on versions of objects.
type Versioning struct {
	Versions uint64 `json:"versions"`
}

// Bind binds the parameters to flags; use completes the usage text: what the workload does with versions.
func (v *Versioning) Bind(fs *flag.FlagSet, versions uint64, use string) {
	fs.Uint64Var(&v.Versions, "versions", versions, "`N` number of versions of each object to upload and "+use+"; 1: without version IDs")
}

// Several reports whether objects are used by version, rather than by their keys alone.
func (v *Versioning) Several() bool { return v.Versions > 1 }

// Each returns the number of versions of each object, for Traits.Versions.
func (v *Versioning) Each() uint64 {
	if v.Several() {
		return v.Versions
	}
	return 0
}

// Check returns an error for zero versions, and for more than a data set can hold.
func (v *Versioning) Check(objects uint64) []error {
	if most := work.MaxObjects / max(1, objects); v.Versions < 1 || v.Versions > most {
		return []error{option.Invalid("versions", v.Versions, fmt.Sprintf("1 to %d of %d objects", most, objects))}
	}
	return nil
}
