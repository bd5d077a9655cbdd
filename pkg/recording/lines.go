package recording

import (
	"bytes"
	"io"
)

// readChunk is how much is read at once: small enough to stay in the CPU's cache until it is parsed.
const readChunk = 64 << 10

// maxBuffer is the maximum length of the buffer: a row, and what is read along with its end.
const maxBuffer = MaxRow + readChunk

// lineReader splits text into rows. A row is a line, or several where quotes contain line breaks. Its memory is at most
// one row of maximum length.
type lineReader struct {
	src  io.Reader
	sep  byte   // between columns, to find quotes that matter
	flat int    // the column whose quotes contain no line breaks; -1: none
	buf  []byte // grows up to maxBuffer
	r, w int    // buf[r:w] is not yet returned
	err  error  // why src ended

	// swap returns another buffer, of at least that length, for the unread rest, so that rows returned from the old one
	// stay valid; nil: the buffer is reused.
	swap func(length int) []byte

	number  int  // line of the last row's start, from 1
	passed  int  // lines returned
	tooLong bool // the last row exceeds MaxRow and was skipped
	unended bool // the last row has no line break at its end
}

func newLineReader(src io.Reader) *lineReader {
	return &lineReader{src: src, sep: '\t', flat: -1, buf: make([]byte, 2*readChunk)}
}

// next returns the next row without its line break, valid until the next call (with swap: as long as the buffer is);
// false at the end.
func (l *lineReader) next() ([]byte, bool) {
	l.number = l.passed + 1
	l.tooLong, l.unended = false, false
	n := l.find('\n', 0)
	if n < 0 {
		switch {
		case l.w-l.r > MaxRow:
			return l.skip(), true
		case l.w == l.r:
			return nil, false
		}
		n = l.w - l.r
		l.unended = true
	} else if bytes.IndexByte(l.buf[l.r:l.r+n], '"') >= 0 && l.buf[l.r] != '#' {
		n = l.rowEnd(n)
		l.unended = l.r+n == l.w
		l.passed += bytes.Count(l.buf[l.r:l.r+n], newline)
	}
	row := l.buf[l.r : l.r+n]
	l.r += n
	l.passed++
	if !l.unended {
		l.r++
	}
	if len(row) > 0 && row[len(row)-1] == '\r' {
		row = row[:len(row)-1]
	}
	if len(row) > MaxRow {
		l.tooLong = true
		return nil, true
	}
	return row, true
}

var newline = []byte{'\n'}

// skip skips a line that is longer than the buffer.
func (l *lineReader) skip() []byte {
	l.tooLong = true
	l.passed++
	for {
		if i := bytes.IndexByte(l.buf[l.r:l.w], '\n'); i >= 0 {
			l.r += i + 1
			return nil
		}
		l.r = l.w
		if !l.fill() {
			l.unended = true
			return nil
		}
	}
}

// rowEnd returns the end of a row whose first line contains quotes and ends at eol. Indices are relative to l.r.
func (l *lineReader) rowEnd(eol int) int {
	at := 0
	for column := 0; ; column++ {
		end, ok := l.quoted(at)
		if ok && column == l.flat && bytes.IndexByte(l.buf[l.r+at:l.r+end], '\n') >= 0 {
			ok = false
		}
		if ok {
			if end == l.w-l.r || l.buf[l.r+end] != l.sep {
				return l.lineEnd(end)
			}
			at = end + 1
			continue
		}
		if at > eol {
			eol = l.lineEnd(at)
		}
		i := bytes.IndexByte(l.buf[l.r+at:l.r+eol], l.sep)
		if i < 0 {
			return eol
		}
		at += i + 1
	}
}

// lineEnd returns the index of the first line break at or after from, or the end of the text.
func (l *lineReader) lineEnd(from int) int {
	if n := l.find('\n', from); n >= 0 {
		return n
	}
	return l.w - l.r
}

// quoted returns the end of a quoted field that begins at l.r+at; false if there is no quote, or it is not properly
// closed.
func (l *lineReader) quoted(at int) (end int, ok bool) {
	if at >= l.w-l.r || l.buf[l.r+at] != '"' {
		return 0, false
	}
	for from := at + 1; ; {
		i := l.find('"', from)
		if i < 0 {
			return 0, false
		}
		for l.w-l.r < i+3 && l.fill() {
		}
		rest := l.buf[l.r+i+1 : l.w]
		switch {
		case len(rest) > 0 && rest[0] == '"':
			from = i + 2
		case len(rest) == 0 || rest[0] == l.sep || rest[0] == '\n' || rest[0] == '\r' && (len(rest) == 1 || rest[1] == '\n'):
			return i + 1, true
		default:
			return 0, false
		}
	}
}

// find returns the index, relative to l.r, of the first c at or after from; it reads on as needed. It returns -1 if
// there is none in the rest of the text, or within the maximum length of a row.
func (l *lineReader) find(c byte, from int) int {
	for {
		if i := bytes.IndexByte(l.buf[l.r+from:l.w], c); i >= 0 {
			return from + i
		}
		from = l.w - l.r
		if from > MaxRow || !l.fill() {
			return -1
		}
	}
}

// fill reads more after l.w; false at the end.
func (l *lineReader) fill() bool {
	if l.err != nil {
		return false
	}
	l.shift()
	if l.err != nil {
		return false
	}
	if l.w == len(l.buf) {
		if l.w == maxBuffer {
			return false
		}
		l.buf = append(l.buf, make([]byte, min(l.w, maxBuffer-l.w))...)
	}
	for range 100 {
		var n int
		n, l.err = l.src.Read(l.buf[l.w:min(l.w+readChunk, len(l.buf))])
		l.w += n
		if n > 0 || l.err != nil {
			return n > 0
		}
	}
	l.err = io.ErrNoProgress
	return false
}

// shift moves the unread rest to the start of the buffer, or of another one.
func (l *lineReader) shift() {
	if l.r == 0 {
		return
	}
	rest := l.buf[l.r:l.w]
	if l.swap != nil {
		l.buf = l.swap(len(rest))
	}
	l.w = copy(l.buf, rest)
	l.r = 0
}
