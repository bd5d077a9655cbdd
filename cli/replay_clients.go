package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"warp/pkg/distributed/coordinator"
	"warp/pkg/trace"
)

// divideTraces divides the traces that the plan replays among its clients. The caller must call release.
func (b *benchmark) divideTraces(ctx context.Context) (list []coordinator.Trace, release func(), err error) {
	names, err := b.plan.Traces()
	if err != nil {
		return nil, nil, usageErrors(err)
	}
	var files []*trace.Temporary
	closeAll := func() {
		for _, f := range files {
			_ = f.Close() // it was only read
		}
	}
	defer func() {
		if err != nil {
			closeAll()
		}
	}()
	for _, name := range names {
		player, err := b.env.traces.player(name)
		if err != nil {
			return nil, nil, err
		}
		var outs []io.Writer
		first := len(files)
		for range b.remote {
			f, err := trace.NewTemporary()
			if err != nil {
				return nil, nil, err
			}
			files, outs = append(files, f), append(outs, f)
		}
		summaries, err := trace.Divide(ctx, player, outs)
		if ctx.Err() != nil {
			err = &codedError{exitInterrupted, errors.New("interrupted before the trace was divided among the clients")}
		}
		if err != nil {
			return nil, nil, err
		}
		t := coordinator.Trace{Name: name}
		for i, s := range summaries {
			part := coordinator.TracePart{Summary: s}
			if part.File, part.Bytes, err = files[first+i].Flush(); err != nil {
				return nil, nil, err
			}
			sum := sha256.New()
			if _, err := io.Copy(sum, io.NewSectionReader(part.File, 0, part.Bytes)); err != nil {
				return nil, nil, err
			}
			part.SHA256 = hex.EncodeToString(sum.Sum(nil))
			t.Parts = append(t.Parts, part)
		}
		list = append(list, t)
	}
	return list, closeAll, nil
}
