package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"warp/internal/unpack"
	"warp/pkg/op"
)

// Reader reads the operations of a recording, of any version, in file order. It is an op.Source. Its memory does not
// depend on the length of the recording. It uses several CPUs: see pipeline.
//
// Unreadable rows are skipped, and so is everything after truncation or damage; Warnings reports all of that. Err is
// set only if no row at all can be read, or the source fails.
type Reader struct {
	name    string
	src     io.Reader
	closer  io.Closer // of src; nil: the caller closes it
	in      *unpack.Text
	lines   *lineReader
	layout  *layout   // of the first header line
	keep    []string  // columns; nil: all
	parsers int       // parsing goroutines; 0: as many as useful
	pipe    *pipeline // nil before the first Scan
	block   *block    // being returned
	next    int       // index of the next row in block
	op      *op.Op
	meta    meta
	bad     notes    // rows
	other   notes    // about everything else
	read    int64    // rows
	cut     bool     // truncation was reported
	lacks   []string // why the recording is incomplete
	err     error
	done    bool
	closed  bool
}

// NewReader returns a reader of a recording; name is that of the file, for messages. The error wraps ErrAggregated if r
// holds aggregated statistics. The caller must call Close, which leaves r open. From the first Scan until Close another
// goroutine reads from r.
func NewReader(r io.Reader, name string) (*Reader, error) {
	in, err := textOf(r)
	if err != nil {
		return nil, fmt.Errorf("read recording %s: %w", name, err)
	}
	rd := &Reader{name: name, src: r, in: in, lines: newLineReader(in)}
	if err := rd.begin(); err != nil {
		in.Close()
		return nil, fmt.Errorf("read recording %s: %w", name, err)
	}
	return rd, nil
}

// byteOrderMark is added by Windows programs.
const byteOrderMark = "\ufeff"

// begin reads up to and including the first header line.
func (r *Reader) begin() error {
	if err := knownFormat(r.in.Head()); err != nil {
		return err
	}
	for first := true; ; first = false {
		line, ok := r.lines.next()
		if first {
			line = bytes.TrimPrefix(line, []byte(byteOrderMark))
		}
		switch {
		case !ok && r.in.Failure() != nil:
			return r.in.Failure()
		case !ok && r.lines.err != io.EOF:
			return fmt.Errorf("truncated or damaged before the header line: %w", r.lines.err)
		case !ok:
			return errors.New("not a recording: no header line (idx, thread, op, ...)")
		case r.lines.tooLong:
			return fmt.Errorf("not a recording: line %d is longer than %d bytes", r.lines.number, MaxRow)
		case len(line) == 0:
		case line[0] == '#':
			r.comment(line, r.lines.number)
		default:
			l, err := parseHeader(line)
			if err != nil && bytes.IndexByte(line, 0) >= 0 {
				return errors.New("not a recording: binary data")
			}
			if err != nil {
				return fmt.Errorf("not a recording: line %d: invalid header line %s: %w", r.lines.number, excerpt(line), err)
			}
			r.layout = l
			r.meta.headerLine()
			r.meta.Buckets, r.meta.Copies = slices.Contains(l.names, bucketColumn), slices.Contains(l.names, sourceColumn)
			return nil
		}
	}
}

// Only restricts reading to some columns, by name, which is faster: other fields of Op stay empty and unchecked. It
// must be called before the first Scan.
func (r *Reader) Only(columns ...string) {
	if slices.Contains(columns, "op") { // the kind follows from both
		columns = append(columns, "phase")
	}
	if slices.Contains(columns, unreadColumn) { // the arrival does
		columns = append(columns, "end")
	}
	r.keep = columns
}

// Scan advances to the next operation; false at the end, see Err.
func (r *Reader) Scan() bool {
	for !r.done {
		if r.block == nil || r.next == len(r.block.rows) {
			r.nextBlock()
			continue
		}
		row := &r.block.rows[r.next]
		r.next++
		if row.kind == rowOp {
			r.op = &r.block.ops[r.next-1]
			r.read++
			return true
		}
		r.otherRow(row)
	}
	return false
}

// nextBlock advances to the next block of rows.
func (r *Reader) nextBlock() {
	if r.pipe == nil {
		r.pipe = startPipeline(r.lines, r.layout, r.keep, r.parsers)
	}
	r.block, r.next = r.pipe.next(r.block), 0
	if r.block == nil {
		r.finish()
	}
}

// otherRow handles a row that is not an operation.
func (r *Reader) otherRow(row *row) {
	switch row.kind {
	case rowBad:
		r.bad.add("%s:%d: %v", r.name, row.line, row.err)
	case rowLong:
		r.bad.add("%s:%d: row longer than %d bytes", r.name, row.line, MaxRow)
	case rowCut:
		r.cut = true
		r.bad.add("%s:%d: truncated last row", r.name, row.line)
		r.lacks = append(r.lacks, r.name+": the file is truncated in its last row")
	case rowComment:
		r.comment(row.text, row.line)
	case rowHeader:
		r.meta.headerLine()
	}
}

// comment handles a comment line.
func (r *Reader) comment(text []byte, line int) {
	open := r.meta.open
	if problem := r.meta.comment(text); problem != "" {
		r.other.add("%s:%d: %s", r.name, line, problem)
		if open && r.meta.open && len(r.lacks) < maxNotes { // another recording begins here
			r.lacks = append(r.lacks, fmt.Sprintf("%s:%d: %s", r.name, line, problem))
		}
	}
	if r.meta.mixed {
		r.done = true
		r.err = fmt.Errorf("read recording %s: line %d: the recording of another run begins here (want one run in a file)", r.name, line)
	}
}

// short reports that the recording is incomplete.
func (r *Reader) short(format string, args ...any) {
	text := r.name + ": " + fmt.Sprintf(format, args...)
	r.other.add("%s", text)
	r.lacks = append(r.lacks, text)
}

// finish checks how the file ended.
func (r *Reader) finish() {
	r.done = true
	switch {
	case r.in.Failure() != nil:
		r.err = fmt.Errorf("read recording %s: after line %d: %w", r.name, r.lines.passed, r.in.Failure())
		return
	case r.lines.err == io.EOF && r.meta.open && !r.cut:
		r.short("the recording has no end: the run was killed, or the file is truncated")
	case r.lines.err == io.EOF:
	case errors.Is(r.lines.err, io.ErrUnexpectedEOF):
		r.short("the file is truncated after line %d; the lines before were read", r.lines.passed)
	default:
		r.short("the file is damaged after line %d (%v); the lines before were read", r.lines.passed, r.lines.err)
	}
	if r.read == 0 && r.bad.count > 0 {
		r.err = fmt.Errorf("read recording %s: none of %d rows is readable; first error: %s", r.name, r.bad.count, r.bad.first[0])
	}
}

// Op returns the current operation, valid until the next Scan. Its strings stay valid, but keys share memory with
// neighbouring keys: to keep some of them for long, use strings.Clone.
func (r *Reader) Op() *op.Op { return r.op }

// Err returns what ended reading, other than the end of the file.
func (r *Reader) Err() error { return r.err }

// Header returns what the recording says about itself; the first of several concatenated ones. The command line is at
// the end of a recording, so it is known when Scan has returned false.
func (r *Reader) Header() Header { return r.meta.Header }

// End returns the end comment of the (first) recording (see Writer.SetEnd), as JSON; nil before it was read, or without
// one.
func (r *Reader) End() json.RawMessage { return r.meta.end }

// Unreadable returns the number of unreadable rows.
func (r *Reader) Unreadable() int64 { return r.bad.count }

// Warnings describes what was wrong with the part that was read: unreadable rows, with file, line and column, the first
// ten of them and the number of the rest; truncation and damage.
func (r *Reader) Warnings() []string {
	return append(r.bad.list(r.name, "rows could not be read"), r.other.list(r.name, "warnings")...)
}

// Incomplete returns why the recording is incomplete: it has no end, is truncated or damaged; nil if it is complete.
// Warnings contains all of it as well.
func (r *Reader) Incomplete() []string { return slices.Clone(r.lacks) }

// Close ends reading. It waits for a Read of the source in progress.
func (r *Reader) Close() error {
	if r.closed {
		return nil
	}
	r.done, r.closed = true, true
	if r.pipe != nil {
		r.pipe.stop()
	}
	r.in.Close()
	if r.closer != nil {
		return r.closer.Close()
	}
	return nil
}

// maxNotes is the maximum number of messages kept; the rest is counted.
const maxNotes = 10

// notes is a list of messages of bounded length.
type notes struct {
	first []string
	count int64
}

func (n *notes) add(format string, args ...any) {
	n.count++
	if len(n.first) < maxNotes {
		n.first = append(n.first, fmt.Sprintf(format, args...))
	}
}

// list returns the messages, and one with the number of those not kept: "NAME: 7 more " + what.
func (n *notes) list(name, what string) []string {
	all := append([]string(nil), n.first...)
	if more := n.count - int64(len(n.first)); more > 0 {
		all = append(all, fmt.Sprintf("%s: %d more %s", name, more, what))
	}
	return all
}
