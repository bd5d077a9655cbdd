package workload

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/probe"
)

var multipartInfo = work.Info{
	Name:  "multipart",
	Usage: "download the parts of an object",
	Description: "Uploads one object in parts of --part.size, shared by all clients, then downloads its parts by number, " +
		"in random order unless --access says otherwise. Each part is read once before any is read twice. Servers that " +
		"ignore part numbers are refused.",
	Size:    "1000MiB",
	Example: "--part.size=5MiB --parts=200 --duration=1m",
	New:     func() work.Workload { return &Multipart{} },
}

var multipartShare = companion{
	workload: "multipart",
	shares:   []companionShare{{"multipart", "downloads of one more object by part number, in parts of --part.size"}},
	make: func(m *Mixed) work.Workload {
		p := defaults(&Multipart{})
		p.PartSize, p.Verify = m.PartSize, m.Verify
		return p
	},
}

// Multipart downloads the parts of one object.
type Multipart struct {
	work.UploadParts
	Picks
	Verify bool `json:"verify,omitempty"`

	parts *dataset.Access
}

// Flags binds the parameters.
func (m *Multipart) Flags(fs *flag.FlagSet) {
	m.UploadParts.Bind(fs, 0)
	m.Picks.Bind(fs, "each part once, reshuffled")
	fs.BoolVar(&m.Verify, "verify", false, "compare every byte read with what was uploaded")
}

// Validate checks the parameters.
func (m *Multipart) Validate(l work.Load, data generator.Spec) []error {
	errs := m.UploadParts.Check(l.Limits, data.Sizes)
	if size, fixed := data.Sizes.Fixed(); len(errs) == 0 && fixed {
		errs = m.CheckWithin(uint64(m.Number(cmp.Or(m.ObjectSize(), size))), "parts")
	}
	return errs
}

// Traits declares that one object is read, whatever the number of clients.
func (m *Multipart) Traits() work.Traits {
	return work.Traits{
		Effect:  work.Reads,
		Records: work.Records{Kinds: []op.Kind{op.Get}},
		Data:    work.Data{Objects: 1, Size: m.ObjectSize(), PartSize: int64(m.PartSize)},
		Use:     work.Use{Pass: m.pass},
		Sends:   work.Sends{Needs: s3.PartNumbers},
		Sharing: work.Sharing{Shares: true, OneSet: true},
	}
}

// Examine checks that the server supports part numbers: some send the whole object instead of a part.
func (m *Multipart) Examine(ctx context.Context, sess s3.Session, set *dataset.DataSet, _ string) error {
	o := set.At(0)
	n := m.Number(o.Size)
	_, length := m.Part(o.Size, n-1)
	err := work.RetryTemporary(ctx, func() error {
		return probe.ReadPart(ctx, sess, &s3.Call{Bucket: o.Bucket, Key: o.Key}, n, length)
	})
	var ignored *probe.Ignored
	switch {
	case errors.As(err, &ignored):
		return fmt.Errorf("%w; use get --range-size, which it may know", err)
	case err != nil:
		return fmt.Errorf("download part %d of %d of %q by its number: %w", n, n, o.Key, err)
	}
	return nil
}

// pass returns the number of parts.
func (m *Multipart) pass(set *dataset.DataSet) uint64 { return uint64(m.Number(set.Size(0))) }

// Prepare sets up the order of parts.
func (m *Multipart) Prepare(set *dataset.DataSet, _ int) error {
	n := m.pass(set)
	m.parts = set.ForItems(n, m.Access)
	return errors.Join(m.CheckWithin(n, "parts")...)
}

// Estimate returns the cost of downloads of parts.
func (m *Multipart) Estimate(t work.Turns) (c work.Cost) {
	size := t.Set.Size(0)
	c.Request(op.Get, t.Count)
	c.Received = int64(float64(t.Count) * float64(size) / float64(m.Number(size)))
	return c
}

// Do downloads one part.
func (m *Multipart) Do(ctx context.Context, w *work.Worker) error {
	return w.GetPart(ctx, w.Set.At(0), &m.Parts, int(m.parts.Index(w.Turn.N)), m.Verify)
}
