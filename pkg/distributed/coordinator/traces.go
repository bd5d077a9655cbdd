package coordinator

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
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

// checkTraces checks that there is a part for each client of each trace that the plan replays.
func checkTraces(plan *bench.Plan, o *Options) error {
	names, err := bench.TracesOf(plan)
	if err != nil {
		return err
	}
	for _, name := range names {
		i := slices.IndexFunc(o.Traces, func(t Trace) bool { return t.Name == name })
		if i < 0 || len(o.Traces[i].Parts) != len(o.Clients) {
			return fmt.Errorf("the trace %s is not divided among %d clients", name, len(o.Clients))
		}
	}
	return nil
}

// planOf returns the plan for a client, and the parts of traces that it can fetch.
func planOf(c *coordinator, plan *bench.Plan, m *member) (*bench.Plan, []protocol.TraceFile, error) {
	if len(c.opts.Traces) == 0 {
		return plan, nil, nil
	}
	var files []protocol.TraceFile
	for _, t := range c.opts.Traces {
		p := &t.Parts[m.index]
		files = append(files, protocol.TraceFile{Name: t.Name, Bytes: p.Bytes, SHA256: p.SHA256})
	}
	plan, err := bench.WithTraces(plan, partsOf(c, m))
	return plan, files, err
}

// partsOf returns the parts of traces that a client replays, by their names.
func partsOf(c *coordinator, m *member) map[string]*trace.Summary {
	parts := map[string]*trace.Summary{}
	for _, t := range c.opts.Traces {
		parts[t.Name] = t.Parts[m.index].Summary
	}
	return parts
}

// replaysOf returns what a client did of its parts of traces. Those that are not in the result count as in the trace, and not as sent.
func replaysOf(c *coordinator, m *member) (list []trace.Replayed) {
	if m.inResult {
		for _, d := range m.end.Replays {
			d.Replayed.Stream = string(d.Stream)
			list = append(list, d.Replayed)
		}
	}
	if m.inResult && m.finished == 0 {
		return list
	}
	for _, d := range bench.Unreplayed(c.plan, partsOf(c, m)) {
		if !slices.ContainsFunc(list, func(has trace.Replayed) bool { return has.Stream == d.Stream }) {
			list = append(list, d)
		}
	}
	return list
}

// onFetchData sends a client a chunk of its part of a trace.
func onFetchData(c *coordinator, m *member, f transport.Frame) error {
	var p protocol.FetchData
	if err := f.Open(&p); err != nil {
		return err
	}
	i := slices.IndexFunc(c.opts.Traces, func(t Trace) bool { return t.Name == p.Trace })
	if i < 0 || p.Offset < 0 || p.Offset >= c.opts.Traces[i].Parts[m.index].Bytes {
		return transport.Violationf("invalid pull of a trace at %d", p.Offset)
	}
	part := &c.opts.Traces[i].Parts[m.index]
	chunk := protocol.DataChunk{Trace: p.Trace, Offset: p.Offset, Bytes: make([]byte, min(protocol.DataChunkSize, part.Bytes-p.Offset))}
	if _, err := part.File.ReadAt(chunk.Bytes, p.Offset); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the trace %s: %w", p.Trace, err)
	}
	c.send(m, protocol.MsgDataChunk, chunk)
	return nil
}

// checkReplays checks what a client says that it did of traces.
func checkReplays(list []protocol.Replay) error {
	for _, r := range list {
		if len(r.Kinds) > aggregate.MaxKinds {
			return transport.Violationf("a replay of %d kinds of operations, want at most %d", len(r.Kinds), aggregate.MaxKinds)
		}
		for _, k := range r.Kinds {
			if !validName(string(k.Kind)) {
				return transport.Violationf("invalid kind %.40q of operations", k.Kind)
			}
		}
	}
	return nil
}
