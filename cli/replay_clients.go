package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/trace"
	"warp/pkg/units"
)

// divideTraces divides the traces that the plan replays among its clients. The caller must call release.
func divideTraces(ctx context.Context, b *benchmark, inform func(string)) (list []coordinator.Trace, release func(), err error) {
	names, err := bench.TracesOf(&b.plan)
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
		inform(fmt.Sprintf("Dividing %s among %s.", name, units.Plural(int64(len(b.remote)), "client")))
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
			part, err := completePart(files[first+i], s)
			if err != nil {
				return nil, nil, err
			}
			t.Parts = append(t.Parts, part)
		}
		list = append(list, t)
	}
	return list, closeAll, nil
}

// completePart completes the file of a part.
func completePart(f *trace.Temporary, s *trace.Summary) (part coordinator.TracePart, err error) {
	if part.File, part.Bytes, err = f.Flush(); err != nil {
		return part, err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, io.NewSectionReader(part.File, 0, part.Bytes))
	part.SHA256, part.Summary = hex.EncodeToString(sum.Sum(nil)), s
	return part, err
}
