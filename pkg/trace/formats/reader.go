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
	Format       string  // name of a Format; empty or Auto: the one that is recognized
	Columns      Columns // of the format columns
	MaxMalformed Limit   // of malformed records
}

// Limit is how many records may be malformed: the greater of a number and a percentage.
type Limit struct {
	Number  int64
	Percent float64
}

// broken reports whether more records are malformed than allowed.
func (l Limit) broken(bad, all int64) bool {
	return bad > l.Number && float64(bad) > l.Percent/100*float64(all)
}

const (
	maxFirst   = 5  // number of malformed records that are shown
	maxSkipped = 64 // number of names of skipped records; the rest is counted as otherNames
	otherNames = "other"
)

// Reader reads the events of files, one file after the other. Its memory does not depend on the length of the files.
type Reader struct {
	trace.Reading

	// Interrupt is called before each read of a file. Its error ends reading. nil: reading ends with the files.
	Interrupt func() error
	// Names is called for each object of a file in the compact form, after its events; nil: names are not needed.
	Names func(key, name []byte) error

	opts     Options
	format   *Format // nil: it is recognized
	left     []recording.Input
	name     string       // of the current file
	src      source       // of the current file; nil: none is open
	release  func() error // closes the current file
	compacts uint64       // number of files in the compact form so far
	out      events
	at       int // index after the current event in out
	err      error
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

// Event returns the current event, valid until the next Scan.
func (r *Reader) Event() *trace.Event { return &r.out.list[r.at-1].Event }

// Err returns the error that ended reading; nil at the end of the last file.
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

// record reads the next record, of the next file if the current one has ended.
func (r *Reader) record() bool {
	r.out.reset()
	r.at = 0
	if r.src == nil {
		if len(r.left) == 0 {
			if r.opts.MaxMalformed.broken(r.Malformed, r.Records) {
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

// bad counts a malformed record.
func (r *Reader) bad(number int64, err error) {
	r.Malformed++
	if len(r.First) < maxFirst {
		r.First = append(r.First, fmt.Sprintf("%s:%d: %v", r.name, number, err))
	}
	const enough = 1000 // records after which a percentage counts before the end
	l := r.opts.MaxMalformed
	if r.Malformed > l.Number && l.Percent == 0 ||
		r.Records == r.Malformed && r.Malformed >= enough && l.broken(r.Malformed, r.Records) {
		r.err = r.tooManyBad()
	}
}

// tooManyBad returns the error of more malformed records than allowed.
func (r *Reader) tooManyBad() error {
	errs := []error{fmt.Errorf("%d of %d records could not be read, more than --max-bad allows; the first ones follow",
		r.Malformed, r.Records)}
	for _, text := range r.First {
		errs = append(errs, errors.New(text))
	}
	return errors.Join(errs...)
}

// skip counts a record that is not an operation.
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

// interruptible reads until the Reader is interrupted: a file may have no event for gigabytes.
type interruptible struct {
	io.Reader
	of *Reader
}

// Read reads, unless the Reader is interrupted.
func (i *interruptible) Read(b []byte) (int, error) {
	if i.of.Interrupt != nil {
		if err := i.of.Interrupt(); err != nil {
			return 0, err
		}
	}
	return i.Reader.Read(b)
}

// begin finds the format of a file, and opens its source.
func (r *Reader) begin(text io.Reader) error {
	const detection = 64 << 10 // bytes that detect gets
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

// end closes the current file, and collects what its source says about it.
func (r *Reader) end() error {
	err := r.src.failure()
	if rec, ok := r.src.(*recorded); ok {
		r.Malformed += rec.reader.Unreadable()
		r.Records += rec.reader.Unreadable()
		r.Notes = append(r.Notes, rec.reader.Warnings()...)
	}
	if c, ok := r.src.(*compacted); ok && err == nil && r.Names != nil {
		if err := c.eachName(r.Names); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", r.name, err), r.Close())
		}
	}
	if broken := new(damage); errors.As(err, &broken) {
		const text = "%s: the file is truncated or damaged after record %d (%v); what is before was read"
		r.Notes, err = append(r.Notes, fmt.Sprintf(text, r.name, r.src.number(), broken.error)), nil
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
