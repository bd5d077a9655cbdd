package bench

import (
	"context"
	"flag"

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
	UploadParts
}

// Flags binds the parameters.
func (m *MultipartPut) Flags(fs *flag.FlagSet) {
	m.UploadParts.Bind(fs, 20)
}

// Validate checks the parameters.
func (m *MultipartPut) Validate(_ *Stream, data generator.Spec) []error {
	return m.UploadParts.Check(data.Sizes)
}

// Traits declares that objects are uploaded in parts.
func (m *MultipartPut) Traits() Traits {
	return Traits{
		Kinds: []op.Kind{op.CreateUpload, op.PutPart, op.CompleteUpload, op.MultipartPut}, Rare: []op.Kind{op.AbortUpload},
		Effect: Adds, Fills: true, PartSize: int64(m.PartSize), Lanes: m.Concurrency,
	}
}

// Estimate returns what uploads in parts come to.
func (m *MultipartPut) Estimate(t Turns) (c Cost) {
	c.Parts(op.PutPart, &m.Parts, t)
	return c
}

// Do uploads one object.
func (m *MultipartPut) Do(ctx context.Context, w *Worker) error {
	_, err := w.PutNewParts(ctx, &m.Parts)
	return err
}
