package workload

import (
	"flag"
	"fmt"

	"warp/internal/option"
	"warp/pkg/bench/work"
)

// VersionParams is the parameters of a workload that can work on versions of objects.
type VersionParams struct {
	Versions uint64 `json:"versions"`
}

// Bind binds the parameters to flags; use completes the usage text: what the workload does with versions.
func (v *VersionParams) Bind(fs *flag.FlagSet, versions uint64, use string) {
	fs.Uint64Var(&v.Versions, "versions", versions, "`N` versions of each object to upload and "+use)
}

// UsesVersions reports whether objects are used by version, rather than by their keys alone.
func (v *VersionParams) UsesVersions() bool { return v.Versions > 1 }

// Each returns the number of versions of each object, for Traits.Versions.
func (v *VersionParams) Each() uint64 {
	if v.UsesVersions() {
		return v.Versions
	}
	return 0
}

// Check returns an error for zero versions, and for more than a data set can hold.
func (v *VersionParams) Check(objects uint64) []error {
	if highest := work.MaxObjects / max(1, objects); v.Versions < 1 || v.Versions > highest {
		return []error{option.Invalid("versions", v.Versions, fmt.Sprintf("1 to %d of %d objects", highest, objects))}
	}
	return nil
}
