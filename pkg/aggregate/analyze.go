package aggregate

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"warp/pkg/op"
	"warp/pkg/recording"
)

// Opener starts reading the operations of a run from the start. The function that it returns closes the source.
type Opener func() (op.Source, func() error, error)

// errUnsteady means that the recording changed between passes.
var errUnsteady = errors.New("the recording changed while it was read: analyze it when it is complete")

// partialOps is after how many operations Options.Partial is called again.
const partialOps = 1 << 14

// maxPasses is the maximum number of passes for the figures.
const maxPasses = 3

// maxStated is the maximum number of totals in stated windows: each takes memory, whether or not the phase exists.
const maxStated = 100

// Analyze computes the statistics of operations that can be read several times, as from a file. The figures need the
// windows, which are known only when everything was read. Windows stated in the end comment of the recording (see
// Trailer) are used, or those that are likely from parts of it; without them, a first pass finds the windows. The pass for the figures
// computes the windows again, from everything; if they differ, it is repeated with these.
func Analyze(opts Options, open Opener) (*Snapshot, error) {
	likely, err := likelyWindows(opts, open)
	if err == nil && likely == nil {
		likely, err = findWindows(opts, open)
	}
	if err != nil {
		return nil, fmt.Errorf("find the active windows: %w", err)
	}
	for range maxPasses {
		bounds, a := NewBounds(opts), New(opts, likely)
		read := 0
		err := readAll(open, nil, func(o *op.Op) error {
			if err := bounds.add(o); err != nil {
				return err
			}
			if read++; read%partialOps == 0 && opts.Partial != nil {
				opts.Partial(a.Snapshot)
			}
			return a.add(o)
		})
		if err != nil {
			return nil, fmt.Errorf("aggregate operations: %w", err)
		}
		found := bounds.Windows()
		if found.equal(likely) {
			return a.take(), nil
		}
		likely = found
	}
	return nil, errUnsteady
}

// findWindows reads the columns that determine windows.
func findWindows(opts Options, open Opener) (*Windows, error) {
	bounds := NewBounds(opts)
	if err := readAll(open, boundsColumns, bounds.add); err != nil {
		return nil, err
	}
	return bounds.Windows(), nil
}

// Trailer is what a run leaves in the end comment of its recording (recording.Writer.SetEnd) for analysis: its windows
// without Skip. They save a pass over the file, and are verified.
type Trailer struct {
	Windows *Windows `json:"windows,omitempty"`
}

// likelyWindows returns the windows that follow from the end comments of recordings, or from parts of them; nil without either.
func likelyWindows(opts Options, open Opener) (w *Windows, err error) {
	src, closeSource, err := open()
	if err != nil {
		return nil, err
	}
	j, ok := src.(*chain)
	if ok {
		w = commonWindows(opts, j.Trailers())
	}
	switch {
	case w != nil:
		w = w.filtered(opts)
	case ok:
		w = j.glimpse(opts)
	}
	return w, closeSource()
}

// commonWindows returns the windows of recordings that state these end comments, taken as one run; nil if they do not follow from them.
func commonWindows(opts Options, endings []json.RawMessage) *Windows {
	if len(endings) > 1 && len(opts.Pauses) > 0 {
		return nil // a thread in a pause goes on until the last start in any of them
	}
	var all *Windows
	for _, text := range endings {
		var e Trailer
		if text == nil || json.Unmarshal(text, &e) != nil || e.Windows == nil || e.Windows.Rule != opts.rule() ||
			len(e.Windows.Totals) > maxStated {
			return nil
		}
		if all == nil {
			all = e.Windows
		} else if !all.overlap(e.Windows) {
			return nil
		}
	}
	return all
}

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

// AnalyzeAll computes the statistics of several recordings taken as one run of several clients; for a single one it is
// Analyze. Clients of the same id in different recordings stay separate; see recording.Clients. Only the time in which
// all of them ran counts, by the rule for windows. Without such a time, the error wraps recording.ErrNoOverlap.
func AnalyzeAll(opts Options, inputs ...recording.Input) (*Snapshot, *Inputs, error) {
	open, pass := chained(inputs)
	s, err := Analyze(opts, open)
	var many *tooManyError
	if errors.As(err, &many) {
		return nil, nil, fmt.Errorf("%s: %w", inputs[pass().begun-1].Name, many)
	}
	if err != nil {
		return nil, nil, err
	}
	about := pass().about
	for i := range inputs {
		about.Clients = append(about.Clients, pass().clients.Names(i))
	}
	return s, about, nil
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
