package bench

import (
	"context"
	"flag"
	"fmt"

	"warp/internal/option"
	"warp/pkg/generator"
	"warp/pkg/op"
)

var multipartPutInfo = Info{
	Name:  "multipart-put",
	Usage: "benchmark uploads of objects in parts",
	Description: "Uploads objects for --duration in parts of --part.size: a request creates the upload, --part.concurrent " +
		"parts are uploaded at once, and a request completes it. Each kind of request is reported, and the object as a whole " +
		"(MULTIPARTPUT), which is in no total. An object that fails is aborted.",
	Size:    "100MiB",
	Example: "--part.size=5MiB --parts=20 --concurrent=4 --part.concurrent=5 --duration=1m",
	New:     func() Workload { return &MultipartPut{} },
}

// MultipartPut uploads new objects in parts.
type MultipartPut struct {
	Parts
	Count int `json:"parts,omitempty"` // of an object; 0: as its size demands
}

// Flags binds the parameters.
func (m *MultipartPut) Flags(fs *flag.FlagSet) {
	m.Parts.Bind(fs, 5<<20, 20, "size of a part; only the last one of an object may be smaller. S3 demands 5 MiB or more")
	bindCount(fs, &m.Count)
}

// bindCount binds the number of parts of an object.
func bindCount(fs *flag.FlagSet, n *int) {
	fs.IntVar(n, "parts", 0, "`N` number of parts of an object, whatever --obj.size; 0: as many as that needs")
}

// ObjectSize returns the size that the number of parts makes.
func (m *MultipartPut) ObjectSize() int64 { return int64(m.Count) * int64(m.PartSize) }

// Validate checks the parameters.
func (m *MultipartPut) Validate(_ *Stream, data generator.Spec) []error {
	return append(checkCount(m.Count), m.Parts.Check(data.Sizes)...)
}

// checkCount returns an error for a number of parts that no object can have.
func checkCount(n int) []error {
	if n < 0 || n > maxParts {
		return []error{option.Invalid("parts", n, fmt.Sprintf("at most %d", maxParts))}
	}
	return nil
}

// Traits declares that objects are uploaded in parts.
func (m *MultipartPut) Traits() Traits {
	return Traits{
		Kinds: []op.Kind{op.CreateUpload, op.PutPart, op.CompleteUpload, op.MultipartPut}, Rare: []op.Kind{op.AbortUpload},
		Effect: Adds, PartSize: int64(m.PartSize), Lanes: m.Concurrency,
	}
}

// Do uploads one object.
func (m *MultipartPut) Do(ctx context.Context, w *Worker) error {
	return w.PutParts(ctx, w.Set.New(), &m.Parts)
}
