package coordinator

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"warp/pkg/bench"
	"warp/pkg/bench/replay/parts"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/trace"
)

// Trace is a trace that clients replay.
type Trace struct {
	Name  string
	Parts []TracePart // one for each client, in their order
}

// TracePart is the part of a trace that one client replays, as trace.Divide writes it.
type TracePart struct {
	File    io.ReaderAt
	Bytes   int64
	SHA256  string // in hexadecimal
	Summary *trace.Summary
}

// traces are the traces that a plan replays.
type traces []Trace

// check checks that there is a part for each client of each trace that the plan replays.
func (t traces) check(plan *bench.Plan, clients int) error {
	names, err := parts.TracesOf(plan)
	if err != nil {
		return err
	}
	for _, name := range names {
		i := t.index(name)
		if i < 0 || len(t[i].Parts) != clients {
			return fmt.Errorf("the trace %s is not divided among %d clients", name, clients)
		}
	}
	return nil
}

func (t traces) index(name string) int {
	return slices.IndexFunc(t, func(one Trace) bool { return one.Name == name })
}

// plan returns the plan for a client, and the parts of traces that it can fetch.
func (t traces) plan(plan *bench.Plan, client int) (*bench.Plan, []protocol.TraceFile, error) {
	if len(t) == 0 {
		return plan, nil, nil
	}
	var files []protocol.TraceFile
	for i := range t {
		p := &t[i].Parts[client]
		files = append(files, protocol.TraceFile{Name: t[i].Name, Bytes: p.Bytes, SHA256: p.SHA256})
	}
	plan, err := parts.WithTraces(plan, t.parts(client))
	return plan, files, err
}

// parts returns the parts of traces that a client replays, by their names.
func (t traces) parts(client int) map[string]*trace.Summary {
	parts := map[string]*trace.Summary{}
	for i := range t {
		parts[t[i].Name] = t[i].Parts[client].Summary
	}
	return parts
}

// read returns the chunk of its part of a trace that a client requests.
func (t traces) read(client int, p *protocol.FetchData) (*protocol.DataChunk, error) {
	i := t.index(p.Trace)
	if i < 0 || p.Offset < 0 || p.Offset >= t[i].Parts[client].Bytes {
		return nil, transport.Violationf("invalid pull of a trace at %d", p.Offset)
	}
	part := &t[i].Parts[client]
	chunk := protocol.DataChunk{Trace: p.Trace, Offset: p.Offset, Bytes: make([]byte, min(protocol.DataChunkSize, part.Bytes-p.Offset))}
	if _, err := part.File.ReadAt(chunk.Bytes, p.Offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the trace %s: %w", p.Trace, err)
	}
	return &chunk, nil
}
