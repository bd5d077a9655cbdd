package workload

import (
	"context"
	"flag"

	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
)

var multipartPutInfo = work.Info{
	Name:  "multipart-put",
	Usage: "upload objects in parts",
	Description: "Uploads objects in parts of --part.size: a request creates the upload, --part.concurrent parts " +
		"are uploaded at once, and a request completes it. The report has each kind of request and the whole object (MULTIPARTPUT, in " +
		"no total). Failed uploads are aborted.",
	Size:    "100MiB",
	Example: "--part.size=5MiB --parts=20 --concurrent=4 --part.concurrent=5 --duration=1m",
	New:     func() work.Workload { return &MultipartPut{} },
}

// MultipartPut uploads new objects in parts.
type MultipartPut struct {
	work.UploadParts
}

// Flags binds the parameters.
func (m *MultipartPut) Flags(fs *flag.FlagSet) {
	m.UploadParts.Bind(fs, 20)
}

// Validate checks the parameters.
func (m *MultipartPut) Validate(l work.Load, data generator.Spec) []error {
	return m.UploadParts.Check(l.Limits, data.Sizes)
}

// Traits declares that objects are uploaded in parts.
func (m *MultipartPut) Traits() work.Traits {
	return work.Traits{
		Effect:  work.Adds,
		Records: work.Records{Kinds: work.PartKinds, Rare: work.PartFailureKinds},
		Data:    work.Data{Size: m.ObjectSize(), PartSize: int64(m.PartSize)},
		Use:     work.Use{AddsObjects: true, Lanes: m.Concurrency},
	}
}

// Estimate returns the cost of uploads in parts.
func (m *MultipartPut) Estimate(t work.Turns) (c work.Cost) {
	c.Parts(op.PutPart, &m.Parts, t)
	return c
}

// Do uploads one object.
func (m *MultipartPut) Do(ctx context.Context, w *work.Worker) error {
	_, err := w.PutNewParts(ctx, &m.Parts)
	return err
}
