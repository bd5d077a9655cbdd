package runs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"warp/cli/internal/process"
	"warp/pkg/bench/replay/parts"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/trace"
	"warp/pkg/units"
)

// divideTraces divides the traces that the plan replays among its clients. The caller must call release.
func divideTraces(ctx context.Context, b *Benchmark, inform func(string)) (list []coordinator.Trace, release func(), err error) {
	names, err := parts.TracesOf(&b.Plan)
	if err != nil {
		return nil, nil, err
	}
	var files []*trace.TempFile
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
		player, err := b.Traces.player(name)
		if err != nil {
			return nil, nil, err
		}
		inform(fmt.Sprintf("Dividing %s among %s.", name, units.Plural(int64(len(b.Remote)), "client")))
		var outs []io.Writer
		var sums []hash.Hash
		first := len(files)
		for range b.Remote {
			f, err := trace.NewTempFile()
			if err != nil {
				return nil, nil, err
			}
			sum := sha256.New()
			files, sums, outs = append(files, f), append(sums, sum), append(outs, io.MultiWriter(f, sum))
		}
		summaries, err := trace.Divide(ctx, player, outs)
		if ctx.Err() != nil {
			err = process.WithCode(process.ExitInterrupted, errors.New("interrupted before the trace was divided among the clients"))
		}
		if err != nil {
			return nil, nil, err
		}
		t := coordinator.Trace{Name: name}
		for i, s := range summaries {
			part := coordinator.TracePart{SHA256: hex.EncodeToString(sums[i].Sum(nil)), Summary: s}
			if part.File, part.Bytes, err = files[first+i].Finish(); err != nil {
				return nil, nil, err
			}
			t.Parts = append(t.Parts, part)
		}
		list = append(list, t)
	}
	return list, closeAll, nil
}
