package aggregate

import (
	"encoding/json"
	"errors"
	"strings"

	"warp/pkg/op"
	"warp/pkg/recording"
)

// Opener starts reading the operations of a run from the start. The function that it returns closes the source.
type Opener func() (op.Source, func() error, error)

// chained returns what opens recordings as one run, and what returns the last pass over them.
func chained(inputs []recording.Input) (Opener, func() *chain) {
	var last *chain
	clients := new(recording.Clients)
	return func() (op.Source, func() error, error) {
		last = &chain{inputs: inputs, clients: clients, spans: recording.NewSpans(inputs), about: new(Inputs)}
		return last, last.close, nil
	}, func() *chain { return last }
}

// errUnsteady means that the recording changed between passes.
var errUnsteady = errors.New("the recording changed while it was read: analyze it when it is complete")

// readAll passes every operation of a new source to add and closes the source. Of sources that support it, only some
// columns are read; nil: all.
func readAll(open Opener, columns []string, add func(*op.Op) error) (err error) {
	src, closeSource, err := open()
	if err != nil {
		return err
	}
	defer func() {
		if e := closeSource(); err == nil {
			err = e
		}
	}()
	if s, ok := src.(interface{ Only(columns ...string) }); ok && columns != nil {
		s.Only(columns...)
	}
	for src.Scan() {
		if err := add(src.Op()); err != nil {
			return err
		}
	}
	return src.Err()
}

// Inputs is what recordings that were analyzed together say about themselves, in order.
type Inputs struct {
	Headers    []recording.Header
	Ends       []json.RawMessage // the end comment of each recording, or nil
	Warnings   []string          // from reading, and about the recordings as one run; warnings about figures are in the Snapshot
	Incomplete []string          // which recordings are incomplete, and why; see recording.Reader.Incomplete
	Operations int64             // read
	Clients    [][]string        // of several recordings: the names of the clients of each, as the figures have them
}

// chain reads recordings one after the other, as one.
type chain struct {
	inputs  []recording.Input
	clients *recording.Clients
	columns []string
	begun   int               // recordings
	cur     *recording.Reader // number begun-1; nil between recordings
	id      string            // of the client whose name is name
	name    string
	named   bool
	spans   *recording.Spans
	about   *Inputs
	err     error
}

// Only is like recording.Reader.Only.
func (j *chain) Only(columns ...string) { j.columns = columns }

// Trailers returns the end comments of the recordings. One that cannot be opened has none: Scan reports the error.
func (j *chain) Trailers() []json.RawMessage {
	endings := make([]json.RawMessage, len(j.inputs))
	for i, in := range j.inputs {
		r, err := in.Reader()
		if err != nil {
			continue
		}
		endings[i] = r.Trailer()
		_ = r.Close()
	}
	return endings
}

// Scan advances to the next operation.
func (j *chain) Scan() bool {
	for j.cur != nil || j.open() {
		if j.cur.Scan() {
			j.about.Operations++
			if len(j.inputs) > 1 {
				j.place(j.cur.Op())
			}
			return true
		}
		j.finish()
	}
	return false
}

// place assigns an operation to the combined run.
func (j *chain) place(o *op.Op) {
	part := j.begun - 1
	j.spans.Add(part, o)
	if !j.named || o.Client != j.id {
		j.id, j.name, j.named = strings.Clone(o.Client), j.clients.Name(part, o.Client), true
	}
	o.Client = j.name
}

// open starts the next recording; false if there is none, or it cannot be read.
func (j *chain) open() bool {
	if j.err != nil || j.begun == len(j.inputs) {
		return false
	}
	j.cur, j.err = j.inputs[j.begun].Reader()
	if j.err != nil {
		j.cur = nil
		return false
	}
	j.begun++
	j.named = false
	j.cur.Only(j.columns...)
	return true
}

// finish ends the current recording.
func (j *chain) finish() {
	j.about.Headers = append(j.about.Headers, j.cur.Header())
	j.about.Ends = append(j.about.Ends, j.cur.End())
	j.about.Warnings = append(j.about.Warnings, j.cur.Warnings()...)
	j.about.Incomplete = append(j.about.Incomplete, j.cur.Incomplete()...)
	j.err = j.cur.Err()
	if err := j.close(); j.err == nil {
		j.err = err
	}
	if j.err == nil && j.begun == len(j.inputs) && len(j.inputs) > 1 {
		var w []string
		w, j.err = j.spans.Check()
		j.about.Warnings = append(j.about.Warnings, w...)
	}
}

// Op returns the current operation, valid until the next Scan.
func (j *chain) Op() *op.Op { return j.cur.Op() }

// Err returns what ended reading before the end.
func (j *chain) Err() error { return j.err }

// close ends reading.
func (j *chain) close() error {
	if j.cur == nil {
		return nil
	}
	err := j.cur.Close()
	j.cur = nil
	return err
}
