package work

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"warp/pkg/bench/dataset"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// Piece is what is read of an object: a range, or a part by its number from 1. The zero value is all of it.
type Piece struct {
	Offset, Length int64
	Number         int  // 0: a range
	Zipped         bool // the object is a file in a zip archive
}

// Get downloads length bytes of o from offset on; 0, 0 for all of it. With verify it compares them with what was uploaded.
func (w *Worker) Get(ctx context.Context, o dataset.Object, offset, length int64, verify bool) error {
	return w.Op(ctx, op.Get, func(rec *op.Op) error { return w.Read(ctx, rec, o, Piece{Offset: offset, Length: length}, verify) })
}

// Read downloads a piece of o.
func (w *Worker) Read(ctx context.Context, rec *op.Op, o dataset.Object, p Piece, verify bool) (err error) {
	c := w.Object(o, rec)
	if verify {
		w.contents.check.Reset(o.Index, p.Offset)
		c.Into = w.contents.check
	}
	switch {
	case p.Zipped:
		err = ops.GetZipped(ctx, w.S3, c)
	case p.Number > 0:
		c.Size = p.Length
		err = ops.GetPart(ctx, w.S3, c, p.Number)
	default:
		c.Offset, c.Length = p.Offset, p.Length
		err = ops.Get(ctx, w.S3, c)
	}
	rec.Bytes = c.Bytes
	if !verify || err != nil {
		return err
	}
	if off, wrong := w.contents.check.Wrong(); wrong {
		return &s3.Error{
			Class: "wrong content", Status: c.Status, Err: errContent,
			Message: fmt.Sprintf("byte %d of %q is not what was uploaded", off, o.Key),
		}
	}
	return nil
}

// GetParts downloads o in parts by ranges, as many at once as the worker has lanes. With verify it compares them with what was
// uploaded.
func (w *Worker) GetParts(ctx context.Context, o dataset.Object, p *Parts, verify bool) error {
	n := p.Number(o.Size)
	var done atomic.Int64
	return w.Composite(op.MultipartGet, o, func() error {
		err := w.Parallel(ctx, n, func(ctx context.Context, w *Worker, k int) error {
			return w.Op(ctx, op.GetPart, func(rec *op.Op) error {
				rec.Objects = 0
				var part Piece
				if n > 1 {
					part.Offset, part.Length = p.Part(o.Size, k)
				}
				err := w.Read(ctx, rec, o, part, verify)
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
		return w.Read(ctx, rec, o, Piece{Offset: offset, Length: length, Number: k + 1}, verify)
	})
}

var errContent = errors.New("an object does not hold what was uploaded")
