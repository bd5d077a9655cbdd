package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"warp/pkg/op"
)

// Reader reads the operations of a recording, of any version, in the order of the file. It is a Source. Its memory does
// not depend on the length of the recording. It uses several processors: see pipeline.
//
// Rows that cannot be read are passed over, and so is what comes behind a cut or damage; Warnings tells of all that. Only
// if no row at all can be read, or the source fails, Err tells of it.
type Reader struct {
	name    string
	src     io.Reader
	closer  io.Closer // of src; nil: it is not ours to close
	in      *input
	lines   *lineReader
	layout  *layout   // of the first header line
	keep    []string  // columns; nil: all
	parsers int       // goroutines that parse; 0: as many as useful
	pipe    *pipeline // nil before the first Scan
	block   *block    // whose rows are handed out
	next    int       // row of block
	op      *op.Op
	meta    meta
	bad     notes    // rows
	other   notes    // everything else
	read    int64    // rows
	cut     bool     // it was said that the file ends too early
	lacks   []string // why the recording is not whole
	err     error
	done    bool
	closed  bool
}

// NewReader begins to read a recording; name is the file's, for messages. It returns an error that wraps ErrAggregated
// if r holds aggregated statistics instead. Whoever calls it calls Close; r stays open. From the first Scan to Close r is
// read from another goroutine.
func NewReader(r io.Reader, name string) (*Reader, error) {
	in, err := newInput(r)
	if err != nil {
		return nil, fmt.Errorf("read recording %s: %w", name, err)
	}
	rd := &Reader{name: name, src: r, in: in, lines: newLineReader(in.text)}
	if err := rd.begin(); err != nil {
		in.close()
		return nil, fmt.Errorf("read recording %s: %w", name, err)
	}
	return rd, nil
}

// begin reads up to and with the first header line.
func (r *Reader) begin() error {
	for first := true; ; first = false {
		line, ok := r.lines.next()
		if first {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")) // Windows programs like to put this first
			if len(line) > 0 && line[0] == '{' {
				return ErrAggregated
			}
		}
		switch {
		case !ok && r.in.failure != nil:
			return r.in.failure
		case !ok && r.lines.err != io.EOF:
			return fmt.Errorf("it is cut or damaged before its header line: %w", r.lines.err)
		case !ok:
			return errors.New("it has no header line (idx, thread, op, ...), so it is no recording")
		case r.lines.tooLong:
			return fmt.Errorf("line %d is longer than %d bytes, so it is no recording", r.lines.number, MaxRow)
		case len(line) == 0:
		case line[0] == '#':
			r.comment(line, r.lines.number)
		default:
			l, err := parseHeader(line)
			if err != nil {
				return fmt.Errorf("line %d, %s, is not the header line of a recording: %w", r.lines.number, excerpt(line), err)
			}
			r.layout = l
			r.meta.headerLine()
			return nil
		}
	}
}

// Only limits what is read to some columns, named as in the format, which is quicker: the other fields of Op stay empty,
// and nothing checks them. It counts if it is called before the first Scan.
func (r *Reader) Only(columns ...string) {
	if slices.Contains(columns, "op") { // what kind it is follows from both
		columns = append(columns, "phase")
	}
	r.keep = columns
}

// Scan reads the next operation; false: there is none, see Err.
func (r *Reader) Scan() bool {
	for !r.done {
		if r.block == nil || r.next == len(r.block.rows) {
			r.nextBlock()
			continue
		}
		row := &r.block.rows[r.next]
		r.next++
		if row.sort == rowOp {
			r.op = &r.block.ops[r.next-1]
			r.read++
			return true
		}
		r.aside(row)
	}
	return false
}

// nextBlock goes on with the next block of rows.
func (r *Reader) nextBlock() {
	if r.pipe == nil {
		r.pipe = startPipeline(r.lines, r.layout, r.keep, r.parsers)
	}
	r.block, r.next = r.pipe.next(r.block), 0
	if r.block == nil {
		r.finish()
	}
}

// aside takes note of a row that is no operation.
func (r *Reader) aside(row *row) {
	switch row.sort {
	case rowBad:
		r.bad.add("%s:%d: %v", r.name, row.line, row.err)
	case rowLong:
		r.bad.add("%s:%d: a row longer than %d bytes", r.name, row.line, MaxRow)
	case rowCut:
		r.cut = true
		r.bad.add("%s:%d: the last row is cut off", r.name, row.line)
		r.lacks = append(r.lacks, r.name+": it is cut off: its last row is not whole")
	case rowComment:
		r.comment(row.text, row.line)
	case rowHeader:
		r.meta.headerLine()
	}
}

// comment reads a comment line.
func (r *Reader) comment(text []byte, line int) {
	open := r.meta.open
	if problem := r.meta.comment(text); problem != "" {
		r.other.add("%s:%d: %s", r.name, line, problem)
		if open && r.meta.open && len(r.lacks) < maxNotes { // another recording begins here
			r.lacks = append(r.lacks, fmt.Sprintf("%s:%d: %s", r.name, line, problem))
		}
	}
}

// short warns that the recording is not whole.
func (r *Reader) short(format string, args ...any) {
	text := r.name + ": " + fmt.Sprintf(format, args...)
	r.other.add("%s", text)
	r.lacks = append(r.lacks, text)
}

// finish says how the file ended.
func (r *Reader) finish() {
	r.done = true
	switch {
	case r.in.failure != nil:
		r.err = fmt.Errorf("read recording %s: after line %d: %w", r.name, r.lines.passed, r.in.failure)
		return
	case r.lines.err == io.EOF && r.meta.open && !r.cut:
		r.short("the recording has no end: the run was killed, or the file is cut off")
	case r.lines.err == io.EOF:
	case errors.Is(r.lines.err, io.ErrUnexpectedEOF):
		r.short("the file is cut off behind line %d; what comes before was read", r.lines.passed)
	default:
		r.short("the file is damaged behind line %d (%v); what comes before was read", r.lines.passed, r.lines.err)
	}
	if r.read == 0 && r.bad.count > 0 {
		r.err = fmt.Errorf("read recording %s: none of its %d rows can be read, the first: %s", r.name, r.bad.count, r.bad.first[0])
	}
}

// Op is the operation that Scan read, valid until the next Scan. Its strings stay valid, but keys share their memory
// with the keys around them: whoever keeps some for long keeps a strings.Clone.
func (r *Reader) Op() *op.Op { return r.op }

// Err is what ended the reading other than the end of the file.
func (r *Reader) Err() error { return r.err }

// Header is what the recording says about itself; of several concatenated ones the first. The command line stands at the
// end of a recording, so it is known when Scan has answered false.
func (r *Reader) Header() Header { return r.meta.Header }

// End is what Writer.SetEnd left at the end of the (first) recording, as JSON; nil before it was read, or if there is none.
func (r *Reader) End() json.RawMessage { return r.meta.end }

// Recordings is how many recordings have begun in the part that was read.
func (r *Reader) Recordings() int { return r.meta.recordings }

// Bad is how many rows could not be read.
func (r *Reader) Bad() int64 { return r.bad.count }

// Warnings tells what was wrong with the part that was read: rows that could not be read, with file, line and column, the
// first ten of them and the number of the others; cuts and damage.
func (r *Reader) Warnings() []string {
	return append(r.bad.list(r.name, "rows could not be read"), r.other.list(r.name, "warnings")...)
}

// Incomplete says why the recording that was read is not whole: it has no end, is cut off or damaged. Nothing if it is. All
// of it stands in Warnings as well.
func (r *Reader) Incomplete() []string { return slices.Clone(r.lacks) }

// Close ends the reading. It waits for a Read of the source that is under way.
func (r *Reader) Close() error {
	if r.closed {
		return nil
	}
	r.done, r.closed = true, true
	if r.pipe != nil {
		r.pipe.stop()
	}
	r.in.close()
	if r.closer != nil {
		return r.closer.Close()
	}
	return nil
}
