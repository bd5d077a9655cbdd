package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/probe"
	"warp/pkg/units"
)

// Limits of S3.
const (
	maxParts  = 10_000  // of an object
	maxObject = 5 << 40 // bytes of an object that is uploaded in parts
)

// Parts is the parameters of a workload that transfers objects in parts.
type Parts struct {
	PartSize    sizeValue `json:"part_size"`
	Concurrency int       `json:"part_concurrent"` // parts of an object at once
}

// Bind binds the parameters to flags; a concurrency of 0 is no parameter. purpose completes the usage text of the size.
func (p *Parts) Bind(fs *flag.FlagSet, size int64, concurrency int, purpose string) {
	p.PartSize, p.Concurrency = sizeValue(size), max(1, concurrency)
	fs.Var(&p.PartSize, "part.size", "`SIZE` "+purpose)
	if concurrency == 0 {
		return
	}
	fs.IntVar(&p.Concurrency, "part.concurrent", concurrency, "`N` number of parts of an object to transfer at once")
}

// Check returns an error for invalid parameters.
func (p *Parts) Check() []error {
	if p.PartSize < 1 || p.PartSize > maxPut {
		return []error{option.Invalid("part.size", int64(p.PartSize), "1 byte to 5 GiB")}
	}
	return p.CheckConcurrency()
}

// CheckConcurrency returns an error for an invalid number of parts at once.
func (p *Parts) CheckConcurrency() []error {
	if p.Concurrency < 1 || p.Concurrency > maxLanes {
		return []error{option.Invalid("part.concurrent", p.Concurrency, fmt.Sprintf("1 to %d", maxLanes))}
	}
	return nil
}

// CheckSizes returns an error for invalid parameters, and for more parts than an object can be made of.
func (p *Parts) CheckSizes(sizes generator.Sizes) []error {
	if errs := p.Check(); errs != nil {
		return errs
	}
	if n := p.Number(sizes.Largest()); n > maxParts {
		return []error{option.Errorf("part.size", "an object of %s would have %d parts (want at most %d); use larger parts",
			units.Size(sizes.Largest()), n, maxParts)}
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
	p.Parts.Bind(fs, 5<<20, concurrency, "size of a part; only the last one of an object may be smaller. S3 demands 5 MiB or more")
	fs.IntVar(&p.Count, "parts", 0, "`N` number of parts of an object, whatever --obj.size; 0: as many as that needs")
}

// Check returns an error for parts that objects of these sizes cannot have.
func (p *UploadParts) Check(sizes generator.Sizes) []error {
	if p.Count < 0 || p.Count > maxParts {
		return []error{option.Invalid("parts", p.Count, fmt.Sprintf("at most %d", maxParts))}
	}
	return p.Parts.CheckSizes(sizes)
}

// ObjectSize returns the size that the number of parts makes.
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

// span is the time that operations took together.
type span struct{ from, first, to time.Time }

// add extends the span.
func (s *span) add(o span) {
	if s.from.IsZero() || !o.from.IsZero() && o.from.Before(s.from) {
		s.from = o.from
	}
	if s.first.IsZero() || !o.first.IsZero() && o.first.Before(s.first) {
		s.first = o.first
	}
	if o.to.After(s.to) {
		s.to = o.to
	}
}

// Whole performs operations that transfer o together, and records them as one more operation of a kind that consists of others:
// from the start of the first to the end of the last. If do fails, so does the whole, with the same error.
func (w *Worker) Whole(kind op.Kind, o dataset.Object, do func() error) error {
	if !kind.Whole() || !slices.Contains(w.kinds, kind) {
		return &fault{fmt.Sprintf("the workload does not declare that it performs %s, or it does not consist of others", kind)}
	}
	w.spent = span{}
	rec := op.Op{Kind: kind, Phase: w.phase, Client: w.client, Thread: w.thread, Due: w.due, Objects: 1, Key: o.Key}
	if len(w.buckets) > 0 {
		rec.Bucket = w.buckets[o.Bucket]
	}
	ready := w.ready
	err := do()
	if w.spent.from.IsZero() || isFault(err) {
		return err // there was no operation
	}
	rec.Start, rec.FirstByte, rec.End = w.spent.from, w.spent.first, w.spent.to
	if !ready.IsZero() {
		rec.OwnLate = max(0, rec.Start.Sub(ready))
	}
	rec.Endpoint, rec.Status = w.Call.Host, w.Call.Status
	if err == nil && kind.MovesBytes() {
		rec.Bytes = o.Size
	} else if err != nil {
		rec.Err = err.Error()
		var e *s3.Error
		if errors.As(err, &e) {
			rec.Status = e.Status
		}
	}
	rec.Kind = w.labels.kind(rec.Kind)
	w.records.Add(&rec)
	return err
}

// PutParts uploads object i of the data set in parts, as many at once as the worker has lanes. If that fails, it aborts the
// upload. It returns load.ErrDone if the store is full.
func (w *Worker) PutParts(ctx context.Context, i uint64, p *Parts) error {
	return w.upload(ctx, op.MultipartPut, upload{Object: w.Set.Object(i), parts: p})
}

// CopyParts has the server copy o to a new key in parts, as many at once as the worker has lanes. If that fails, it aborts the
// upload. It returns load.ErrDone if the store is full.
func (w *Worker) CopyParts(ctx context.Context, o dataset.Object, p *Parts) error {
	i := w.Set.NewCopy()
	up := upload{Object: dataset.Object{Index: i, Key: w.Set.Keys.Key(i), Bucket: w.Set.BucketOf(i), Size: o.Size}, parts: p}
	up.source = copySource(w, &o)
	return w.upload(ctx, op.MultipartCopy, up)
}

// upload makes an object in parts, and records it as a whole.
func (w *Worker) upload(ctx context.Context, kind op.Kind, up upload) error {
	if err := w.Set.Reserve(up.Size); err != nil {
		w.Set.Unsent(up.Index)
		return err
	}
	err := w.Whole(kind, up.Object, func() error { return up.put(ctx, w) })
	if err == nil {
		w.Set.Uploads.Remove(up.Index, up.id)
		return nil
	}
	w.Set.Free(up.Size)
	up.abort(ctx, w)
	if !up.begun {
		w.Set.Unsent(up.Index)
	}
	return err
}

// upload is an object that is being uploaded, or copied by the server, in parts.
type upload struct {
	dataset.Object
	parts  *Parts
	source string // of a copy; empty: the contents are uploaded
	id     string
	begun  bool // the server may know it
	made   []ops.Part
}

// put uploads the object.
func (u *upload) put(ctx context.Context, w *Worker) error {
	if err := w.persist(ctx, op.CreateUpload, func(rec *op.Op) error { return u.create(ctx, w, rec) }); err != nil {
		return err
	}
	n := u.parts.Number(u.Size)
	u.made = make([]ops.Part, n)
	part := u.putPart
	if u.source != "" {
		part = u.copyPart
	}
	if err := w.Parallel(ctx, n, part); err != nil {
		return err
	}
	return w.persist(ctx, op.CompleteUpload, func(rec *op.Op) error { return u.complete(ctx, w, rec) })
}

func (u *upload) create(ctx context.Context, w *Worker, rec *op.Op) (err error) {
	rec.Objects = 0
	c := w.Object(u.Object, rec)
	u.id, err = ops.CreateUpload(ctx, w.S3, c)
	u.begun = err == nil || c.MaybeSent
	if err == nil {
		w.Set.Uploads.Add(u.Index, ops.Upload{Key: u.Key, ID: u.id})
	}
	return err
}

// putPart uploads part k.
func (u *upload) putPart(ctx context.Context, w *Worker, k int) error {
	return w.persist(ctx, op.PutPart, func(rec *op.Op) (err error) {
		rec.Objects = 0
		c := w.Object(u.Object, rec)
		offset, length := u.parts.Part(u.Size, k)
		w.body.ResetPart(u.Index, offset, length)
		c.Body, c.Size = w.body, length
		u.made[k], err = ops.PutPart(ctx, w.S3, c, u.id, k+1)
		rec.Bytes = c.Bytes
		return err
	})
}

// copyPart has the server copy part k.
func (u *upload) copyPart(ctx context.Context, w *Worker, k int) error {
	return w.Op(ctx, op.CopyPart, func(rec *op.Op) (err error) {
		rec.Objects = 0
		c := w.Object(u.Object, rec)
		if len(u.made) > 1 { // S3 copies ranges only of objects of more than 5 MiB
			c.Offset, c.Length = u.parts.Part(u.Size, k)
		}
		_, rec.Copied = u.parts.Part(u.Size, k)
		u.made[k], err = ops.CopyPart(ctx, w.S3, c, &w.Doc, u.source, u.id, k+1)
		return err
	})
}

func (u *upload) complete(ctx context.Context, w *Worker, rec *op.Op) error {
	err := ops.CompleteUpload(ctx, w.S3, w.Object(u.Object, rec), u.id, u.made)
	if w.Call.VersionID != "" {
		w.Set.NoteVersions()
	}
	return err
}

// abort ends the upload. If there is no time for that, or the server does not respond, the clean-up does it.
func (u *upload) abort(ctx context.Context, w *Worker) {
	if u.id == "" || ctx.Err() != nil {
		return
	}
	err := w.Op(ctx, op.AbortUpload, func(rec *op.Op) error {
		rec.Objects = 0
		err := ops.AbortUpload(ctx, w.S3, w.Object(u.Object, rec), u.id)
		if s3.NotThere(err) && !s3.NoBucket(err) {
			return nil // it was completed, though no response said so
		}
		return err
	})
	if err == nil {
		w.Set.Uploads.Remove(u.Index, u.id)
	}
}

// TryPart makes a new object of one part, and reports whether it has the given size. That is not measured, and nothing is left of it:
// it is for Examiners.
func TryPart(ctx context.Context, sess s3.Session, set *dataset.DataSet, size int64, part func(c *s3.Call, upload string) (ops.Part, error)) (has bool, err error) {
	o, c := set.Object(set.NewCopy()), &s3.Call{}
	request := func(do func() error) error {
		return RetryTemporary(ctx, func() error {
			*c = s3.Call{Bucket: o.Bucket, Key: o.Key}
			return do()
		})
	}
	var id string
	if err := request(func() (err error) { id, err = ops.CreateUpload(ctx, sess, c); return err }); err != nil {
		return false, err
	}
	set.Uploads.Add(o.Index, ops.Upload{Key: o.Key, ID: id}) // the clean-up aborts it
	var made ops.Part
	if err = request(func() (err error) { made, err = part(c, id); return err }); err == nil {
		err = request(func() error { return ops.CompleteUpload(ctx, sess, c, id, []ops.Part{made}) })
	}
	if err != nil {
		return false, err
	}
	set.Uploads.Remove(o.Index, id)
	if c.VersionID != "" {
		set.NoteVersions()
	}
	err = request(func() error {
		c.Size, c.Into = -1, probe.AtMost(io.Discard, size)
		return ops.Get(ctx, sess, c)
	})
	has = err == nil && c.Bytes == size
	if errors.Is(err, probe.ErrMore) {
		err = nil
	}
	if err = errors.Join(err, request(func() error { return ops.Delete(ctx, sess, c) })); err == nil {
		set.Unsent(o.Index)
	}
	return has, err
}

// GetParts downloads o in parts by ranges, as many at once as the worker has lanes. With verify it compares them with what was
// uploaded.
func (w *Worker) GetParts(ctx context.Context, o dataset.Object, p *Parts, verify bool) error {
	n := p.Number(o.Size)
	var done atomic.Int64
	return w.Whole(op.MultipartGet, o, func() error {
		err := w.Parallel(ctx, n, func(ctx context.Context, w *Worker, k int) error {
			return w.Op(ctx, op.GetPart, func(rec *op.Op) error {
				rec.Objects = 0
				var part piece
				if n > 1 {
					part.offset, part.length = p.Part(o.Size, k)
				}
				err := w.read(ctx, rec, o, part, verify)
				if err == nil && int(done.Add(1)) == n {
					rec.Objects = 1
				}
				return err
			})
		})
		if err == nil && int(done.Load()) < n {
			err = context.Cause(ctx) // it was cut between two parts
		}
		return err
	})
}

// GetPart downloads part k, from 0, of an object that was uploaded in parts, by its number.
func (w *Worker) GetPart(ctx context.Context, o dataset.Object, p *Parts, k int, verify bool) error {
	return w.Op(ctx, op.Get, func(rec *op.Op) error {
		offset, length := p.Part(o.Size, k)
		return w.read(ctx, rec, o, piece{offset: offset, length: length, number: k + 1}, verify)
	})
}
