package aggregate

import (
	"encoding/json"
	"errors"
	"fmt"

	"warp/pkg/op"
	"warp/pkg/recording"
)

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
		w = w.filtered(opts.Op, opts.Skip)
	case ok:
		w = j.likelyWindows(opts)
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

// AnalyzeAll computes the statistics of several recordings taken as one run of several clients; for a single one it is
// Analyze. Clients of the same id in different recordings stay separate; see recording.Clients. Only the time when
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
