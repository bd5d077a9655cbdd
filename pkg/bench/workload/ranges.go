package workload

import (
	"context"
	"flag"
	"fmt"
	"strconv"

	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
)

// Ranges is the parameters of a workload that can read parts of objects.
type Ranges struct {
	Range     bool             `json:"range,omitempty"`      // of random length at a random offset
	RangeSize work.Size        `json:"range_size,omitempty"` // of this length at a random offset
	List      generator.Ranges `json:"ranges,omitempty"`     // these, one after the other
	Verify    bool             `json:"verify,omitempty"`
}

// Bind binds the parameters to flags.
func (r *Ranges) Bind(fs *flag.FlagSet) {
	fs.Var(rangeValue{r}, "range", "`[RANGE,...]` read ranges of objects, as in 8B@end (see \"warp help range\")")
	fs.Var(&r.RangeSize, "range-size", "`SIZE` length of ranges at random offsets; implies --range")
	fs.BoolVar(&r.Verify, "verify", false, "compare every byte read with what was uploaded")
}

// Any reports whether ranges are read.
func (r *Ranges) Any() bool { return r.Range || r.RangeSize > 0 || len(r.List) > 0 }

// Check returns an error for ranges that no object of these sizes has.
func (r *Ranges) Check(data generator.Spec, existing bool) []error {
	if r.Verify && existing {
		return []error{option.Errorf("verify", "the contents of existing objects are not known; leave out --list-existing")}
	}
	fixed, ok := data.Sizes.Fixed()
	ok = ok && !existing
	switch largest := r.List.Largest(); {
	case r.RangeSize < 0:
		return []error{option.Invalid("range-size", int64(r.RangeSize), "0 or more")}
	case ok && int64(r.RangeSize) > fixed:
		return []error{option.Invalid("range-size", int64(r.RangeSize), fmt.Sprintf("at most the %d bytes of an object", fixed))}
	case r.RangeSize > 0 && len(r.List) > 0:
		return []error{option.Errorf("range-size", "--range has the lengths; leave out one of them")}
	case ok && largest > fixed:
		return []error{option.Invalid("range", r.List.String(), fmt.Sprintf("at most the %d bytes of an object", fixed))}
	}
	return nil
}

// All returns the ranges; nil: objects are read whole.
func (r *Ranges) All() generator.Ranges {
	switch {
	case len(r.List) > 0:
		return r.List
	case r.Any():
		return generator.Ranges{r.single()}
	}
	return nil
}

// single returns the range of --range without a value and of --range-size.
func (r *Ranges) single() generator.Range {
	return generator.Range{Min: int64(r.RangeSize), Max: int64(r.RangeSize), Place: generator.PlaceRandom}
}

// parts returns the ranges of an object of this size to read in a turn.
func (r *Ranges) parts(a *dataset.Access, turn uint64, size int64) generator.Parts {
	switch {
	case len(r.List) > 0:
		return r.List.Parts(size, a.Seed(dataset.StreamOffset), a.Seed(dataset.StreamLength), turn)
	case r.Any():
		return r.single().Parts(size, a.Seed(dataset.StreamOffset), a.Seed(dataset.StreamLength), turn)
	}
	return generator.Parts{}
}

// Get downloads o, or the turn's ranges of o, until one fails or the run ends. The object counts in the last range.
func (r *Ranges) Get(ctx context.Context, w *work.Worker, o dataset.Object) error {
	parts := r.parts(&w.Set.Access, w.Turn.N, o.Size)
	offset, length, _ := parts.Next()
	for {
		nextOffset, nextLength, more := parts.Next()
		err := w.Op(ctx, op.Get, func(rec *op.Op) error {
			if more {
				rec.Objects = 0
			}
			return w.Read(ctx, rec, o, work.Piece{Offset: offset, Length: length}, r.Verify)
		})
		if err != nil || !more || w.Ending() {
			return err
		}
		offset, length = nextOffset, nextLength
	}
}

// rangeValue is a flag.Value of ranges; the flag needs no value.
type rangeValue struct{ *Ranges }

// IsBoolFlag reports that the flag needs no value.
func (rangeValue) IsBoolFlag() bool { return true }

func (v rangeValue) String() string {
	switch {
	case v.Ranges == nil:
		return ""
	case len(v.List) > 0:
		return v.List.String()
	}
	return strconv.FormatBool(v.Range)
}

// Set parses the flag.
func (v rangeValue) Set(text string) (err error) {
	v.Range, v.List = false, nil
	if v.Range, err = strconv.ParseBool(text); err == nil {
		return nil
	}
	v.List, err = generator.ParseRanges(text)
	return err
}
