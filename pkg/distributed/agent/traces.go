package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"warp/pkg/bench"
	"warp/pkg/bench/replay/parts"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/trace"
)

// traces are the parts of traces that the coordinator has for this client.
type traces struct {
	job   *job
	plan  *bench.Plan
	files []protocol.TraceFile
	open  map[string]*trace.TempFile // by name
}

// maxTrace is how many bytes a part of a trace can have.
const maxTrace = 64 << 30

// player returns the part of a trace, which is fetched when it is needed first.
func (t *traces) player(name string) (*trace.Player, error) {
	if o := t.open[name]; o != nil {
		return o.Player, nil
	}
	i := slices.IndexFunc(t.files, func(f protocol.TraceFile) bool { return f.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("the coordinator has no trace %q", name)
	}
	if limit := min(maxTrace, parts.TraceBytes(t.plan, name)); t.files[i].Bytes < 0 || t.files[i].Bytes > limit {
		return nil, transport.Violationf("the trace %.100q has %d bytes, want at most %d", name, t.files[i].Bytes, limit)
	}
	o, err := t.fetch(t.job.ctx, &t.files[i])
	if err != nil {
		return nil, fmt.Errorf("fetch the trace %s: %w", name, err)
	}
	t.open[name] = o
	return o.Player, nil
}

// fetch fetches a part, chunk by chunk.
func (t *traces) fetch(ctx context.Context, f *protocol.TraceFile) (_ *trace.TempFile, err error) {
	file, err := trace.NewTempFile()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = file.Close()
		}
	}()
	sum := sha256.New()
	out := io.MultiWriter(file, sum)
	for at := int64(0); at < f.Bytes; {
		b, err := t.fetchChunk(ctx, f, at)
		if err != nil {
			return nil, err
		}
		if _, err := out.Write(b); err != nil {
			return nil, err
		}
		at += int64(len(b))
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != f.SHA256 {
		return nil, fmt.Errorf("it arrived damaged: SHA-256 %s, want %.64s", got, f.SHA256)
	}
	return file, file.Open()
}

// fetchChunk fetches the chunk at an offset.
func (t *traces) fetchChunk(ctx context.Context, f *protocol.TraceFile, at int64) ([]byte, error) {
	chunk := t.job.expect(protocol.MsgDataChunk)
	defer t.job.forget(protocol.MsgDataChunk)
	if err := t.job.session.Send(ctx, protocol.MsgFetchData, protocol.FetchData{Trace: f.Name, Offset: at}); err != nil {
		return nil, err
	}
	var p protocol.DataChunk
	if err := t.job.await(ctx, chunk, &p); err != nil {
		return nil, err
	}
	if p.Trace != f.Name || p.Offset != at || len(p.Bytes) == 0 || int64(len(p.Bytes)) > f.Bytes-at {
		return nil, transport.Violationf("invalid piece of %d bytes at %d, want one at %d", len(p.Bytes), p.Offset, at)
	}
	return p.Bytes, nil
}

// close removes what was fetched.
func (t *traces) close() {
	for _, o := range t.open {
		_ = o.Close() // it was only read
	}
}
