package formats

import "warp/pkg/trace"

// event is an event that is being made of a record.
type event struct{ trace.Event }

// events are those of one record. Their texts may be in the record, or in text.
type events struct {
	list    []event
	text    []byte // decoded texts
	skipped string // what the record holds instead of an operation that can be replayed; empty: nothing
	kept    bool   // they are of earlier records
}

// reset makes room for the events of another record.
func (v *events) reset() {
	v.list, v.text, v.skipped, v.kept = v.list[:0], v.text[:0], "", false
}

// add returns a new event, all of whose optional fields are unknown.
func (v *events) add() *event {
	v.list = append(v.list, event{trace.Event{Size: trace.Unknown, Latency: trace.Unknown}})
	return &v.list[len(v.list)-1]
}

// skip notes that the record holds no operation that can be replayed.
func (v *events) skip(what []byte) { v.list, v.skipped = v.list[:0], string(what) }
