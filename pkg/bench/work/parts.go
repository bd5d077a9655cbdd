package work

import (
	"cmp"
	"flag"
	"fmt"

	"warp/internal/option"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/units"
)

// Parts is the parameters of a workload that transfers objects in parts.
type Parts struct {
	PartSize    Size `json:"part_size"`
	Concurrency int  `json:"part_concurrent"` // parts of an object at once

	flag string // of the size, in errors; empty: part.size
}

// LargeParts are the parts of objects that are uploaded in parts because of their size; see s3.Uploads.
func LargeParts(size int64) *Parts {
	return &Parts{PartSize: Size(size), Concurrency: 1, flag: "part.put"}
}

func (p *Parts) sizeFlag() string { return cmp.Or(p.flag, "part.size") }

// Bind binds the parameters to flags; a concurrency of 0 is no parameter. purpose completes the usage text of the size.
func (p *Parts) Bind(fs *flag.FlagSet, size int64, concurrency int, purpose string) {
	p.PartSize, p.Concurrency = Size(size), max(1, concurrency)
	fs.Var(&p.PartSize, "part.size", "`SIZE` "+purpose)
	if concurrency == 0 {
		return
	}
	fs.IntVar(&p.Concurrency, "part.concurrent", concurrency, "`N` parts of an object to transfer at once")
}

// Check returns an error for invalid parameters.
func (p *Parts) Check(l s3.Limits) []error {
	if p.PartSize < 1 || int64(p.PartSize) > l.MaxPart {
		return []error{option.Invalid(p.sizeFlag(), int64(p.PartSize), "1 byte to "+units.ExactSize(l.MaxPart))}
	}
	return p.CheckConcurrency()
}

// CheckConcurrency returns an error for an invalid number of parts at once.
func (p *Parts) CheckConcurrency() []error {
	if p.Concurrency < 1 || p.Concurrency > MaxLanes {
		return []error{option.Invalid("part.concurrent", p.Concurrency, fmt.Sprintf("1 to %d", MaxLanes))}
	}
	return nil
}

// CheckSizes returns an error for invalid parameters, and for more parts than an object may have.
func (p *Parts) CheckSizes(l s3.Limits, sizes generator.Sizes) []error {
	if errs := p.Check(l); errs != nil {
		return errs
	}
	if n := p.Number(sizes.Largest()); n > l.Parts {
		return []error{option.Errorf(p.sizeFlag(), "an object of %s would have %d parts (want at most %d); use larger parts",
			units.Size(sizes.Largest()), n, l.Parts)}
	}
	return nil
}

// UploadParts is the parameters of a workload that uploads objects in parts.
type UploadParts struct {
	Parts
	Count int `json:"parts,omitempty"` // of an object; 0: as its size demands
}

// Bind binds the parameters to flags.
func (p *UploadParts) Bind(fs *flag.FlagSet, concurrency int) {
	p.Parts.Bind(fs, 5<<20, concurrency, "size of all parts of an object but the last; S3 demands 5 MiB or more")
	fs.IntVar(&p.Count, "parts", 0, "`N` parts per object, whatever --obj.size; 0: as many as that needs")
}

// Check returns an error for parts that are invalid for objects of these sizes.
func (p *UploadParts) Check(l s3.Limits, sizes generator.Sizes) []error {
	if p.Count < 0 || p.Count > l.Parts {
		return []error{option.Invalid("parts", p.Count, fmt.Sprintf("at most %d", l.Parts))}
	}
	return p.Parts.CheckSizes(l, sizes)
}

// ObjectSize returns the size of an object with the given number of parts.
func (p *UploadParts) ObjectSize() int64 { return int64(p.Count) * int64(p.PartSize) }

// Number returns the number of parts of an object; an empty one has one part.
func (p *Parts) Number(size int64) int {
	return int(max(1, (size+int64(p.PartSize)-1)/int64(p.PartSize)))
}

// Part returns offset and length of part k, from 0, of an object.
func (p *Parts) Part(size int64, k int) (offset, length int64) {
	offset = int64(k) * int64(p.PartSize)
	return offset, min(int64(p.PartSize), size-offset)
}

// PartKinds are the kinds of operations that PutParts records, and PartFailureKinds the kinds that it records only after failures.
var (
	PartKinds        = []op.Kind{op.CreateUpload, op.PutPart, op.CompleteUpload, op.MultipartPut}
	PartFailureKinds = []op.Kind{op.AbortUpload}
)
