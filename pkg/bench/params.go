package bench

import (
	"errors"
	"flag"
	"fmt"
	"strconv"

	"warp/internal/option"
	"warp/pkg/units"
)

// Prepared is the parameters of a workload that works on objects uploaded beforehand.
type Prepared struct {
	Objects uint64 `json:"objects"`

	changing bool // other tasks may upload the objects
}

// Changing reports whether other tasks may upload the objects, or delete some.
func (p *Prepared) Changing() bool { return p.changing }

// prepareNone sets the parameter to no objects.
func (p *Prepared) prepareNone() { p.Objects = 0 }

// onChangingSet is called if the data set changes.
func (p *Prepared) onChangingSet() { p.changing = true }

// OrExisting is the meaning of --objects with --list-existing, for its usage text.
const OrExisting = "; with --list-existing: maximum number of objects to use"

// Bind binds the parameter to --objects, with a default; more is added to the usage text.
func (p *Prepared) Bind(fs *flag.FlagSet, objects uint64, more string) {
	fs.Uint64Var(&p.Objects, "objects", objects, "`N` number of objects to upload first"+more)
}

// Check returns an error for too few objects, or too many.
func (p *Prepared) Check() []error {
	if p.Objects < 1 && !p.changing {
		return []error{option.Invalid("objects", p.Objects, "at least 1")}
	}
	return p.CheckMax(MaxObjects)
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
	fs.BoolVar(&e.ListExisting, "list-existing", false, "use the existing objects below --prefix, and upload none")
	fs.BoolVar(&e.ListFlat, "list-flat", false, "with --list-existing: do not descend below the next \"/\"")
}

// Share is a flag.Value for a share of something: a number from 0.
type Share float64

func (s *Share) String() string {
	if s == nil {
		return ""
	}
	return strconv.FormatFloat(float64(*s), 'g', -1, 64)
}

// Set parses the flag.
func (s *Share) Set(text string) error {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return errShare
	}
	*s = Share(f)
	return s.Check()
}

var errShare = errors.New("want a number from 0")

// Check returns an error unless the share is a number from 0.
func (s Share) Check() error {
	if !(s >= 0 && s <= 1e9) { // so that NaN is refused too
		return errShare
	}
	return nil
}

// sizeValue is a flag.Value for a size with a unit.
type sizeValue int64

func (s *sizeValue) String() string {
	if s == nil || *s == 0 {
		return ""
	}
	return units.ExactSize(int64(*s))
}

// Set parses the flag.
func (s *sizeValue) Set(text string) error {
	n, err := units.ParseSize(text)
	*s = sizeValue(n)
	return err
}
