package aggregate

import (
	"encoding/json"
	"errors"
	"fmt"

	"warp/pkg/op"
)

// Opener begins to read the operations of a run from the start. The function it returns closes the source.
type Opener func() (op.Source, func() error, error)

// errUnsteady is what an analysis ends with if it finds other windows each time that it reads the same operations.
var errUnsteady = errors.New("the recording changes while it is read: analyze it when it is complete")

// maxPasses is how often the operations are read for the figures at most.
const maxPasses = 3

// maxStated is how many totals stated windows may have: each of them takes memory, whether there is such a phase or not.
const maxStated = 100

// Analyze computes the statistics of operations that can be read several times, as those of a file. The figures need the
// windows, which are known only when everything was read. If the recording states them at its end (see Ending), these are
// taken. If not, one pass mostly finds both (see finder), or else a pass finds the windows first. The pass for the figures
// finds the windows again, from everything; should they differ, it is done once more with these.
func Analyze(opts Options, open Opener) (*Snapshot, error) {
	likely, one, err := statedWindows(opts, open)
	if err != nil {
		return nil, err
	}
	var s *Snapshot
	switch {
	case likely != nil:
	case one:
		likely, s, err = findAndCount(opts, open)
	default:
		likely, err = findWindows(opts, open)
	}
	if err != nil {
		return nil, fmt.Errorf("find the active windows: %w", err)
	}
	if s != nil {
		return s, nil
	}
	for range maxPasses {
		bounds, a := NewBounds(opts), New(opts, likely)
		err := readAll(open, nil, func(o *op.Op) error {
			if err := bounds.add(o); err != nil {
				return err
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

// findWindows reads the columns from which windows follow.
func findWindows(opts Options, open Opener) (*Windows, error) {
	bounds := NewBounds(opts)
	if err := readAll(open, bounds.columns(), bounds.add); err != nil {
		return nil, err
	}
	return bounds.Windows(), nil
}

// findAndCount finds the windows and, unless the run is an unusual one, the figures. That all is found from everything,
// so it need not be checked.
func findAndCount(opts Options, open Opener) (*Windows, *Snapshot, error) {
	f := newFinder(opts)
	if err := readAll(open, nil, f.add); err != nil {
		return nil, nil, fmt.Errorf("aggregate operations: %w", err)
	}
	w, s := f.finish()
	return w, s, nil
}

// Ending is what a run leaves in its recording's end comment (op.Writer.SetEnd) for those who analyze it: its windows with
// Skip 0. They save a pass over the file, and nothing depends on whether they are right.
type Trailer struct {
	Windows *Windows `json:"windows,omitempty"`
}

// stater is a Source that may know about its windows before it is read.
type stater interface {
	// Endings is what the recordings of which it is made state at their ends, nil for those that state nothing.
	Trailers() []json.RawMessage
}

// statedWindows is the windows that follow from what the recordings state at their ends, nil if they do not; and whether
// there is only one.
func statedWindows(opts Options, open Opener) (w *Windows, one bool, err error) {
	src, closeSource, err := open()
	if err != nil {
		return nil, false, err
	}
	one = true
	if s, ok := src.(stater); ok {
		endings := s.Trailers()
		one = len(endings) == 1
		if opts.Host == "" {
			w = commonWindows(endings)
		}
	}
	if w != nil {
		w = w.filtered(opts)
	}
	return w, one, closeSource()
}

// commonWindows is the windows of recordings, as one run, that state these endings; nil if they do not follow from them.
func commonWindows(endings []json.RawMessage) *Windows {
	var all *Windows
	for _, text := range endings {
		var e Trailer
		if text == nil || json.Unmarshal(text, &e) != nil || e.Windows == nil || len(e.Windows.Totals) > maxStated {
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

// readAll hands every operation of a new source to add and closes the source. Of sources that can be asked for it, only
// some columns are read; nil: all.
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
