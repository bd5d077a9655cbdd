package index

import (
	"warp/pkg/op"
	"warp/pkg/trace"
)

// group is the state of an object while its events are read in order of time.
type group struct {
	hash    uint64
	events  int64
	kept    int64 // selected events
	size    int64 // latest known size
	known   bool  // there is a size
	largest int64 // largest size seen

	there    presence
	before   int64 // largest size seen when it was read before any write
	readSeen bool  // a selected event needs the object before a selected event writes it
	wrote    bool  // a selected event wrote it
	read     bool  // a selected event read it

	pending int64 // bytes of parts that were uploaded since the last upload ended
	partNum int64

	sources int64 // selected copies that need the object
	listed  bool  // it is the prefix of listings, and no object

	touched interval

	numbered bool
	number   uint64
	held     []entry // selected events, until the object has a number
}

// presence says whether an object exists, as far as events show.
type presence uint8

const (
	unknown presence = iota
	present
	absent
)

// selected reports whether the object gets a number.
func (g *group) selected() bool { return g.kept+g.sources > 0 }

// parts adds up the parts of an upload. The request that completes the upload gets the sum as its size.
func (g *group) parts(e *entry) {
	if e.status >= 300 {
		return
	}
	switch e.op() {
	case op.PutPart, op.CopyPart:
		g.pending += max(0, e.size)
		g.partNum++
	case op.CompleteUpload:
		if g.pending > 0 {
			e.size = g.pending
		}
		g.pending, g.partNum = 0, 0
	case op.AbortUpload:
		g.pending, g.partNum = 0, 0
	}
}

// note remembers the size of the object if the event has it; if not, the event gets the remembered one.
func (g *group) note(kind op.Kind, e *entry) {
	if !trace.UsesObject(kind) {
		return
	}
	failed := e.status >= 300
	if extent := max(0, e.offset) + e.length; e.length > 0 && !failed {
		g.largest = max(g.largest, extent)
	}
	if e.size >= 0 && !failed && kind != op.Delete {
		g.size, g.known = e.size, true
		g.largest = max(g.largest, e.size)
	}
	if (kind.CreatesObject() || kind == op.Get) && e.size < 0 && g.known {
		e.size = g.size
	}
}

// exists updates presence after an event that is not selected.
func (g *group) exists(kind op.Kind, e *entry) {
	if e.status >= 300 {
		return
	}
	switch {
	case kind.CreatesObject():
		g.there = present
	case kind == op.Delete:
		g.there = absent
	}
}

// keep updates the state after a selected event.
func (g *group) keep(kind op.Kind, e *entry) {
	g.kept++
	failed := e.status >= 300 && e.status != 304 && e.status != 412
	switch {
	case !trace.UsesObject(kind):
		return
	case kind == op.Delete:
		if !failed {
			g.there = absent
			g.wrote = true
		}
		return
	case kind.CreatesObject():
		if !failed {
			g.there, g.wrote = present, true
		}
		return
	}
	g.read = true
	g.needs(e, failed)
}

// needs updates the state after a selected event that needs the object: a read, or a copy from it.
func (g *group) needs(e *entry, failed bool) {
	switch {
	case e.status == 404, g.there == absent, g.numbered && !g.wrote && !g.readSeen:
		e.missing = true
	case !g.wrote && !failed:
		g.readSeen, g.there = true, present
		g.before = max(g.before, g.largest)
	}
}
