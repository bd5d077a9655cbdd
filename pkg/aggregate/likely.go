package aggregate

import (
	"cmp"
	"errors"

	"warp/pkg/recording"
)

// Likely windows
//
// The windows of a run follow from the first and last operations of its threads in each phase. The frames of warp's recordings can be read
// on their own, so a bisection finds where phases begin and end, and the windows follow from the operations there. MinIO warp writes a
// single frame: it is decompressed whole, and parsed at both ends only. The pass for the figures verifies likely windows, as it does stated
// ones.

const (
	// sampleBytes is how much is read at one place at least, compressed: some 13,000 operations.
	sampleBytes = 1 << 19
	// minParts is the least number of such parts in a file. With fewer, all of it is read.
	minParts = 8
	// minOps is how many operations of each kind all threads must have where it was read, so that there is hardly another one elsewhere.
	minOps = 8
	// endText is how much text at both ends of a file of one frame is read for each byte of a part: it is compressed about so well.
	endText = 8
)

// errUnclear means that no windows are likely from parts of a recording.
var errUnclear = errors.New("phases begin and end in too many places")

// likelyWindows returns windows that are likely, from parts of each recording; nil if all must be read.
func (j *chain) likelyWindows(opts Options) *Windows {
	first := cmp.Or(opts.sampleBytes, sampleBytes)
	for each := first; ; each *= 4 {
		bounds, clients := NewBounds(opts), new(recording.Clients)
		for i, in := range j.inputs {
			name := func(id string) string { return clients.Name(i, id) }
			if len(j.inputs) == 1 {
				name = func(id string) string { return id }
			}
			p := &parts{each: each, again: each > first, bounds: bounds, name: name}
			if err := p.samplePhases(in); err != nil {
				return nil
			}
		}
		if bounds.repeated() {
			return bounds.Windows()
		}
	}
}

// repeated reports whether all threads that did operations of some kind did several.
func (b *Bounds) repeated() bool {
	for _, g := range b.groups {
		for _, t := range g.threads {
			if t.ops > 0 && t.ops < minOps {
				return false
			}
		}
	}
	return true
}

// samplePhases adds the operations at the beginnings and ends of phases.
func (p *parts) samplePhases(in recording.Input) (err error) {
	if p.r, err = in.Reader(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.r.Close()) }()
	p.r.Only(boundsColumns...)
	frames := p.r.Frames()
	if len(frames) == 2 && frames[1] >= minParts*p.each && !p.again {
		return p.ends()
	}
	p.starts = partsOf(frames, p.each)
	last := len(p.starts) - 2
	if last+1 < minParts {
		return errUnclear
	}
	p.left = 2 + last/4
	first, err := p.read(0)
	if err != nil {
		return err
	}
	end, err := p.read(last)
	if err != nil {
		return err
	}
	return p.between(0, last, first, end)
}

// ends adds the operations at both ends of a file of one frame, which must be of one phase.
func (p *parts) ends() error {
	e, err := p.r.Ends(endText * int(p.each))
	if err != nil {
		return err
	}
	defer e.Close()
	first, err := p.rows(e.First())
	if err != nil {
		return err
	}
	if !p.bounds.repeated() {
		return errUnclear
	}
	last, err := p.rows(e.Last())
	if err == nil && (first != last || first.first != first.last) {
		err = errUnclear
	}
	return err
}

// partsOf joins frames to parts of at least that many bytes. It returns where they begin, and the end.
func partsOf(frames []int64, each int64) (starts []int64) {
	if len(frames) == 0 {
		return nil
	}
	end := frames[len(frames)-1]
	for _, at := range frames {
		if at == 0 || at-starts[len(starts)-1] >= each && end-at >= each {
			starts = append(starts, at)
		}
	}
	return append(starts, end)
}

// parts reads parts of a recording.
type parts struct {
	each   int64 // bytes
	again  bool  // smaller ones did not suffice
	bounds *Bounds
	name   func(id string) string // of a client

	r      *recording.Reader
	starts []int64 // of each, and the end
	left   int     // that may be read
}

// phases is that of the first operation in a part, and of the last.
type phases struct{ first, last string }

// read reads a part.
func (p *parts) read(i int) (in phases, err error) {
	if p.left--; p.left < 0 {
		return in, errUnclear
	}
	return p.rows(p.r.Section(p.starts[i], p.starts[i+1]))
}

// rows adds the operations that a Reader returns, and closes it.
func (p *parts) rows(r *recording.Reader, err error) (in phases, _ error) {
	if err != nil {
		return in, err
	}
	defer func() { _ = r.Close() }() // what is wrong with it shows in the pass for the figures
	for n := 0; r.Scan(); n++ {
		o := r.Op()
		if in.last = o.Phase; n == 0 {
			in.first = o.Phase
		}
		o.Client = p.name(o.Client)
		if err := p.bounds.add(o); err != nil {
			return in, err
		}
	}
	return in, r.Err()
}

// between reads what is next to the places where phases change, between two parts that are known.
func (p *parts) between(a, b int, first, last phases) error {
	if b-a <= 1 || first == last && first.first == first.last {
		return nil
	}
	middle := (a + b) / 2
	in, err := p.read(middle)
	if err != nil {
		return err
	}
	if err := p.between(a, middle, first, in); err != nil {
		return err
	}
	return p.between(middle, b, in, last)
}
