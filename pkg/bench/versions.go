package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"warp/internal/option"
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
)

// Versioning is the parameters of a workload that can work on versions of objects.
type Versioning struct {
	Versions uint64 `json:"versions"`
}

// Bind binds the parameters to flags; use is what is done with the versions.
func (v *Versioning) Bind(fs *flag.FlagSet, versions uint64, use string) {
	fs.Uint64Var(&v.Versions, "versions", versions, "`N` number of versions of each object to upload and "+use+" (with --list-existing: the latest N of each); 1: objects are used without version ids")
}

// Several reports whether there are versions, rather than objects that are used by their keys alone.
func (v *Versioning) Several() bool { return v.Versions > 1 }

// Each returns how many versions each object has, for Traits.Versions.
func (v *Versioning) Each() uint64 {
	if v.Several() {
		return v.Versions
	}
	return 0
}

// Check returns an error for no versions, and for more than a data set can hold.
func (v *Versioning) Check(objects uint64) []error {
	if most := MaxObjects / max(1, objects); v.Versions < 1 || v.Versions > most {
		return []error{option.Invalid("versions", v.Versions, fmt.Sprintf("1 to %d of %d objects", most, objects))}
	}
	return nil
}

// probeVersions makes sure that the server returns the version whose id a request names. first is the id of the object of p.
func probeVersions(ctx context.Context, p *Probe, first string) (err error) {
	const newer = "A newer version of the object."
	c := p.Call()
	c.Body, c.Size = strings.NewReader(newer), int64(len(newer))
	if err := preflight.PutWithGrace(ctx, p.S3, c); err != nil {
		return err
	}
	second := c.VersionID
	defer p.Remove(ctx, s3.ObjectID{Key: p.Key, Version: second}, &err)
	if first == second {
		return errors.New("the server makes no version ids")
	}
	switch text, err := p.read(ctx, s3.ObjectID{Key: p.Key, Version: first}); {
	case s3.NotThere(err):
		return errors.New("the server returns version ids of versions that it does not have")
	case err == nil && text != ProbeText:
		return errors.New("the server ignores version ids")
	default:
		return err
	}
}
