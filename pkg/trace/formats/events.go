package formats

import "warp/pkg/trace"

// event is an event that is being made from a record.
type event struct{ trace.Event }

// events are the events of one record. Their texts are in the record or in text.
type events struct {
	list    []event
	text    []byte // decoded texts
	skipped string // name of the record if it is not an operation; else empty
	kept    bool   // the events are from earlier records
}

// reset prepares for the next record.
func (v *events) reset() {
	v.list, v.text, v.skipped, v.kept = v.list[:0], v.text[:0], "", false
}

// add returns a new event whose optional fields are unknown.
func (v *events) add() *event {
	v.list = append(v.list, event{trace.Event{Size: trace.Unknown, Latency: trace.Unknown}})
	return &v.list[len(v.list)-1]
}

// skip marks the record as one that is not an operation, by a name for it.
func (v *events) skip(what []byte) { v.list, v.skipped = v.list[:0], string(what) }
