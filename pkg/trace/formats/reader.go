package formats

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"warp/internal/option"
	"warp/internal/unpack"
	"warp/pkg/recording"
	"warp/pkg/trace"
)

// Options say how a trace is read.
type Options struct {
	Format  string  // name of a Format; empty or Auto: the one that is recognized
	Columns Columns // of the format columns
	MaxBad  Limit   // of records that cannot be read
}

// Limit is how many records may be unreadable: a number, or a share.
type Limit struct {
	Number  int64
	Percent float64
}

// broken reports whether there are more bad records than allowed.
func (l Limit) broken(bad, all int64) bool {
	return bad > l.Number && float64(bad) > l.Percent/100*float64(all)
}

const (
	maxFirst   = 5  // bad records that are shown
	maxSkipped = 64 // names of what is skipped; the rest is counted together
	otherNames = "other"
)

// Reader reads the events of files, one after the other, in the order in which they are there. Its memory does not depend on their
// length.
type Reader struct {
	trace.Reading
	opts    Options
	format  *Format // nil: recognized
	left    []recording.Input
	name    string       // of the file being read
	src     source       // of it; nil: none is open
	release func() error // closes the file that is open
	out     events
	at      int // behind the present event in out
	err     error

	Interrupt func() error // returns why reading is to end; nil: it never is

	compacts uint64                       // files in the compact form so far
	Names    func(key, name []byte) error // is called for the objects of a file in the compact form, behind its events; nil: names are not wanted
}

// NewReader returns a reader of files. The caller must call Close.
func NewReader(o Options, inputs ...recording.Input) (*Reader, error) {
	f, err := formatOf(o.Format)
	if err != nil {
		return nil, err
	}
	if f == nil && o.Columns != nil {
		f, _ = formatOf("columns")
	}
	return &Reader{opts: o, format: f, left: inputs, Reading: trace.Reading{Skipped: map[string]int64{}}}, nil
}

// Event returns the present event, valid until the next Scan.
func (r *Reader) Event() *trace.Event { return &r.out.list[r.at-1].Event }

// Err returns why reading ended, other than at the end of the last file.
func (r *Reader) Err() error { return r.err }

// Scan advances to the next event.
func (r *Reader) Scan() bool {
	for r.at == len(r.out.list) {
		if r.err != nil || !r.record() {
			return false
		}
	}
	r.at++
	return true
}

// record reads another record, of the next file if the present one has ended.
func (r *Reader) record() bool {
	r.out.reset()
	r.at = 0
	if r.src == nil {
		if len(r.left) == 0 {
			if r.opts.MaxBad.broken(r.Bad, r.Records) {
				r.err = r.tooManyBad()
			}
			return false
		}
		r.err = r.open()
		return r.err == nil
	}
	more, bad := r.src.next(&r.out)
	if !more {
		r.err = r.end()
		return r.err == nil
	}
	if r.out.kept {
		return true
	}
	r.Records++
	if bad != nil {
		r.out.list = r.out.list[:0]
		r.bad(r.src.number(), bad)
	} else if r.out.skipped != "" {
		r.skip(r.out.skipped)
	}
	return r.err == nil
}

// bad notes a record that cannot be read.
func (r *Reader) bad(number int64, err error) {
	r.Bad++
	if len(r.First) < maxFirst {
		r.First = append(r.First, fmt.Sprintf("%s:%d: %v", r.name, number, err))
	}
	const enough = 1000 // records from which a share is judged before the end
	if l := r.opts.MaxBad; r.Bad > l.Number && l.Percent == 0 || r.Records == r.Bad && r.Bad >= enough && l.broken(r.Bad, r.Records) {
		r.err = r.tooManyBad()
	}
}

// tooManyBad is the error of files most of which cannot be read, or more than allowed.
func (r *Reader) tooManyBad() error {
	errs := []error{fmt.Errorf("%d of %d records could not be read, more than --max-bad allows; the first ones follow", r.Bad, r.Records)}
	for _, text := range r.First {
		errs = append(errs, errors.New(text))
	}
	return errors.Join(errs...)
}

// skip counts what is no operation that can be replayed.
func (r *Reader) skip(name string) {
	if _, known := r.Skipped[name]; !known && len(r.Skipped) >= maxSkipped {
		name = otherNames
	}
	r.Skipped[name]++
}

// open opens the next file.
func (r *Reader) open() error {
	in := r.left[0]
	r.left, r.name = r.left[1:], in.Name
	file, err := in.Open()
	if err != nil {
		return err
	}
	text, release, err := decompressed(file)
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", in.Name, err), file.Close())
	}
	r.release = func() error { release(); return file.Close() }
	if err := r.begin(text); err != nil {
		r.src = nil
		return errors.Join(fmt.Errorf("%s: %w", in.Name, err), r.release())
	}
	return nil
}

// interruptible reads until the reader is interrupted: a file may have no events for gigabytes.
type interruptible struct {
	io.Reader
	of *Reader
}

// Read reads, unless that is to end.
func (i *interruptible) Read(b []byte) (int, error) {
	if i.of.Interrupt != nil {
		if err := i.of.Interrupt(); err != nil {
			return 0, err
		}
	}
	return i.Reader.Read(b)
}

// begin finds the format of a file, and makes its source.
func (r *Reader) begin(text io.Reader) error {
	const detection = 64 << 10 // bytes by which a format is recognized
	in := bufio.NewReaderSize(&interruptible{text, r}, maxRecord)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" { // a byte order mark
		_, _ = in.Discard(len(mark)) // they are there
	}
	head, err := in.Peek(detection)
	f := r.format
	switch {
	case trace.IsCompact(head):
		f = compact
	case f == nil:
		f = detected(head)
	}
	switch {
	case len(head) == 0 && err == io.EOF:
		return errors.New("the file is empty")
	case len(head) == 0:
		return err
	case f == nil && unpack.Name(head) != "":
		return errors.New(unpack.Name(head))
	case f == nil:
		return fmt.Errorf("the format is not recognized; name it (%s)", option.List(Names()[1:]...))
	}
	r.addFormat(f.Name)
	r.src, err = f.open(&input{Reader: in, name: r.name, columns: r.opts.Columns, compacts: r.compacts})
	if f == compact {
		r.compacts++
	}
	return err
}

// addFormat notes the format of a file.
func (r *Reader) addFormat(name string) {
	for _, known := range r.Formats {
		if known == name {
			return
		}
	}
	r.Formats = append(r.Formats, name)
}

// end closes the present file.
func (r *Reader) end() error {
	err := r.src.failure()
	if rec, ok := r.src.(*recorded); ok {
		r.Bad += rec.reader.Bad()
		r.Records += rec.reader.Bad()
		r.Notes = append(r.Notes, rec.reader.Warnings()...)
	}
	if c, ok := r.src.(*compacted); ok && err == nil && r.Names != nil {
		if err := c.eachName(r.Names); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", r.name, err), r.Close())
		}
	}
	if broken := new(damage); errors.As(err, &broken) {
		r.Notes, err = append(r.Notes, fmt.Sprintf("%s: the file is truncated or damaged after record %d (%v); what is before was read", r.name, r.src.number(), broken.error)), nil
	}
	if err != nil {
		err = fmt.Errorf("%s: after record %d: %w", r.name, r.src.number(), err)
	}
	return errors.Join(err, r.Close())
}

// Close closes the file being read.
func (r *Reader) Close() error {
	if r.src == nil {
		return nil
	}
	err := errors.Join(r.src.close(), r.release())
	r.src = nil
	return err
}
