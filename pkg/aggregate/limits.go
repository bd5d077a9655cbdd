package aggregate

import (
	"cmp"
	"fmt"

	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/units"
)

// MaxKinds is the maximum number of kinds of operations in one phase.
const MaxKinds = 256

// MaxMemory is the maximum number of bytes that the statistics of a planned run may take, by Demand. Of a recording they may take
// twice that: the number of trials of a search is known only at its end, and that of objects which were in the bucket, or come to it.
const MaxMemory = 4 << 30

// maxAccessKeys is the number of distinct objects up to which first and last access are distinguished: half a million,
// which take 34 MB for each kind and phase that reads objects.
const maxAccessKeys = 1 << 19

// fineParts is the number of hosts, or clients, up to which the histograms of each have three significant digits, which
// take some 100 KiB for each of them in each kind. With more, all of them have two.
const fineParts = 32

// accessBlock is the number of entries in a block.
const accessBlock = 1 << 12

// What the parts of statistics take, in bytes. TestDemandCoversMemory compares them with the heap.
const (
	// groupBytes is some 40 fine histograms: of the group, of its share in a total, of its size classes, of first and last
	// accesses.
	groupBytes = 4 << 20
	// partBytes is two coarse histograms and the numbers in flight of a client, finePartBytes two fine ones, which a part has unless there are
	// more than fineParts.
	partBytes     = 32 << 10
	finePartBytes = 144 << 10
	// threadBytes is a bound, a flag and a number, in the group and in its total.
	threadBytes = 96
	// objectBytes is an access, its lateness, and slots, at least three eighths of them in use.
	objectBytes = 84
)

// Demand is what statistics take memory for.
type Demand struct {
	Groups  int64 // pairs of phase and kind of operation
	Parts   int64 // hosts, clients and buckets, counted in each group
	Fine    int64 // Parts that have, or had, fine histograms: fineParts hosts, clients and buckets of each group
	Threads int64 // of all clients, counted in each group
	Objects int64 // whose first and last reads are known, counted in each group, which has at most maxAccessKeys
}

// NewDemand returns the demand of a number of groups that have these parts and threads each.
func NewDemand(groups, hosts, clients, buckets, threads int) Demand {
	d := Demand{Groups: int64(groups), Threads: int64(groups) * int64(threads)}
	for _, parts := range []int{hosts, clients, buckets} {
		d.Parts += int64(groups) * int64(parts)
		d.Fine += int64(groups) * int64(min(parts, fineParts))
	}
	return d
}

// NewAccesses returns the demand of first and last reads in a number of groups that read this number of objects each.
func NewAccesses(groups int, objects uint64) Demand {
	blocks := (min(objects, maxAccessKeys) + accessBlock - 1) / accessBlock
	return Demand{Objects: int64(groups) * int64(blocks*accessBlock)}
}

// Add adds another demand.
func (d *Demand) Add(o Demand) {
	d.Groups, d.Parts, d.Fine = d.Groups+o.Groups, d.Parts+o.Parts, d.Fine+o.Fine
	d.Threads, d.Objects = d.Threads+o.Threads, d.Objects+o.Objects
}

// Bytes returns the memory that statistics take at most.
func (d Demand) Bytes() int64 {
	return d.Groups*groupBytes + (d.Parts-d.Fine)*partBytes + d.Fine*finePartBytes + d.Threads*threadBytes + d.Objects*objectBytes
}

// String says what is counted, and what it takes.
func (d Demand) String() string {
	return fmt.Sprintf("statistics of %d pairs of phase and kind of operation, "+
		"with %d hosts, clients and buckets, %d threads and %d objects in them, take up to %s",
		d.Groups, d.Parts, d.Threads, d.Objects, units.Size(d.Bytes()))
}

// tooManyError reports that statistics exceed a limit.
type tooManyError struct{ what string }

func (e *tooManyError) Error() string { return e.what }

// memory counts what statistics take.
type memory struct {
	Demand
	limit int64          // in bytes
	kinds map[string]int // by phase
	over  string         // names a phase with more than MaxKinds
}

// newMemory returns the memory of statistics that may take at most limit bytes; 0: the limit of recordings.
func newMemory(limit int64) memory { return memory{limit: cmp.Or(limit, 2*MaxMemory)} }

// addGroup counts a new group of one kind.
func (m *memory) addGroup(phase string) {
	if m.kinds == nil {
		m.kinds = make(map[string]int)
	}
	m.Groups++
	if m.kinds[phase]++; m.kinds[phase] > MaxKinds {
		m.over = fmt.Sprintf("not a recording of a benchmark: more than %d kinds of operations in phase %.40q", MaxKinds, phase)
	}
}

// addPart counts the nth part of a kind in a group, from 1.
func (m *memory) addPart(n int) {
	m.Parts++
	if n <= fineParts {
		m.Fine++
	}
}

// check returns an error if the statistics so far, with these tables, exceed a limit. It is called for each operation.
func (m *memory) check(t *decode.Tables) error {
	clients := &t.Threads.Clients
	d := m.Demand
	d.Add(Demand{Parts: int64(len(t.Hosts.List) + len(clients.List) + len(t.Buckets.List)), Threads: int64(len(t.Threads.List))}) // the tables
	switch {
	case m.over != "":
		return &tooManyError{m.over}
	case d.Bytes() > m.limit:
		return &tooManyError{fmt.Sprintf("too large to be analyzed: %v (want at most %s)", d, units.Size(m.limit))}
	case t.Hosts.Bytes+clients.Bytes+t.Buckets.Bytes > maxNameBytes:
		return &tooManyError{fmt.Sprintf("not a recording of a benchmark: more than %d bytes of names of hosts, clients and buckets",
			maxNameBytes)}
	}
	return nil
}

// maxNameBytes is the maximum length of the names of hosts, clients and buckets together.
const maxNameBytes = 1 << 26
