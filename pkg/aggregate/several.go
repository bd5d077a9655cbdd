package aggregate

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"warp/pkg/op"
	"warp/pkg/recording"
)

// Inputs is what recordings that were analyzed together say about themselves, in their order.
type Inputs struct {
	Headers    []recording.Header
	Ends       []json.RawMessage // the end comment of each recording, or nil
	Warnings   []string          // of reading, and about the recordings as one run; those about figures are the Snapshot's
	Incomplete []string          // which recordings are not whole, and why; see op.Reader.Incomplete
	Operations int64             // read
}

// AnalyzeAll computes the statistics of several recordings as of one run of several clients, and is Analyze for one alone.
// Clients of the same id in different recordings stay apart; see op.Clients. Only the time in which all of them ran
// counts, which follows from the rule for windows. If there is no such time, the error wraps op.ErrNoOverlap.
func AnalyzeAll(opts Options, inputs ...recording.Input) (*Snapshot, *Inputs, error) {
	var last *chain // pass
	clients := new(recording.Clients)
	s, err := Analyze(opts, func() (op.Source, func() error, error) {
		last = &chain{inputs: inputs, clients: clients, spans: recording.NewSpans(inputs), about: new(Inputs)}
		return last, last.close, nil
	})
	var many *tooManyError
	if errors.As(err, &many) {
		return nil, nil, fmt.Errorf("%s: %w", inputs[last.begun-1].Name, many)
	}
	if err != nil {
		return nil, nil, err
	}
	return s, last.about, nil
}

// chain reads recordings one after the other, as one.
type chain struct {
	inputs  []recording.Input
	clients *recording.Clients
	columns []string
	begun   int               // recordings
	cur     *recording.Reader // number begun-1; nil: between recordings
	id      string            // of the client in cur of whom name is the name
	name    string
	named   bool
	spans   *recording.Spans
	about   *Inputs
	err     error
}

// Only is as that of op.Reader.
func (j *chain) Only(columns ...string) { j.columns = columns }

// Endings is what the recordings state at their ends; see stater. One that cannot be opened states nothing: Scan tells.
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

// Scan goes on to the next operation.
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

// place puts an operation among those of the other recordings.
func (j *chain) place(o *op.Op) {
	part := j.begun - 1
	j.spans.Add(part, o)
	if !j.named || o.Client != j.id {
		j.id, j.name, j.named = strings.Clone(o.Client), j.clients.Name(part, o.Client), true
	}
	o.Client = j.name
}

// open goes on to the next recording; false: there is none, or it cannot be read.
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

// finish ends the recording that was read.
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

// Op is the operation that Scan found, valid until the next Scan.
func (j *chain) Op() *op.Op { return j.cur.Op() }

// Err is what ended the reading before the end.
func (j *chain) Err() error { return j.err }

// close ends the reading.
func (j *chain) close() error {
	if j.cur == nil {
		return nil
	}
	err := j.cur.Close()
	j.cur = nil
	return err
}
