package formats

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"warp/internal/jsonscan"
)

// maxRecord is the maximum length of a record; longer ones cannot be read.
const maxRecord = 1 << 20

var (
	errLong = fmt.Errorf("longer than %d bytes", maxRecord)
	errCut  = errors.New("truncated at the end of the file")
)

// lineSplitter returns lines without their ends, and no empty ones.
type lineSplitter struct {
	in   *bufio.Reader
	line int64
	bare bool  // a last line without an end is whole
	err  error // of reading
}

func (s *lineSplitter) next() (record []byte, number int64, more bool, bad error) {
	for {
		line, err := s.in.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			s.line++
			bad, err = errLong, s.skip()
			line = nil
		} else if len(line) > 0 {
			s.line++
		}
		if err != nil && err != io.EOF {
			s.err = err
		}
		cut := err != nil && len(line) > 0
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 || bad != nil {
			if cut && (s.err != nil || !s.bare) {
				return line, s.line, true, errCut
			}
			return line, s.line, true, bad
		}
		if err != nil {
			return nil, 0, false, nil
		}
	}
}

// skip leaves out the rest of a line.
func (s *lineSplitter) skip() error {
	for {
		_, err := s.in.ReadSlice('\n')
		if err != bufio.ErrBufferFull {
			return err
		}
	}
}

// objectSplitter returns the JSON objects of a file: the items of an array "Records", or a sequence of objects with anything between.
type objectSplitter struct {
	in     *bufio.Reader
	line   int64
	record []byte
	err    error
}

func (s *objectSplitter) next() (record []byte, number int64, more bool, bad error) {
	for {
		c, err := s.byte()
		if err != nil {
			return nil, 0, false, nil
		}
		if c != '{' {
			continue
		}
		if s.enterList() {
			continue
		}
		number = s.line + 1
		bad = s.object()
		return s.record, number, true, bad
	}
}

// byte reads a byte between records.
func (s *objectSplitter) byte() (byte, error) {
	c, err := s.in.ReadByte()
	if err != nil && err != io.EOF {
		s.err = err
	}
	if c == '\n' {
		s.line++
	}
	return c, err
}

// enterList passes over "Records":[ after the brace of the object that has it.
func (s *objectSplitter) enterList() bool {
	const most = 64
	head, _ := s.in.Peek(most)
	i := jsonscan.Blanks(head, 0)
	rest, ok := bytes.CutPrefix(head[i:], []byte(`"Records"`))
	if !ok {
		return false
	}
	i = jsonscan.Blanks(rest, 0)
	if i >= len(rest) || rest[i] != ':' {
		return false
	}
	if i = jsonscan.Blanks(rest, i+1); i >= len(rest) || rest[i] != '[' {
		return false
	}
	n := len(head) - len(rest) + i + 1
	s.line += int64(bytes.Count(head[:n], []byte{'\n'}))
	_, err := s.in.Discard(n)
	return err == nil
}

// object reads the rest of an object whose brace was read. A line break within a string shows that the object is damaged.
func (s *objectSplitter) object() error {
	s.record = append(s.record[:0], '{')
	depth, inText, escaped := 1, false, false
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			if err != io.EOF {
				s.err = err
			}
			return errCut
		}
		if len(s.record) < maxRecord {
			s.record = append(s.record, c)
		}
		switch {
		case c == '\n':
			if s.line++; inText {
				return errors.New("a text has no end")
			}
		case escaped:
			escaped = false
		case inText:
			escaped, inText = c == '\\', c != '"'
		case c == '"':
			inText = true
		case c == '{':
			depth++
		case c == '}':
			depth--
		}
		if depth > 0 {
			continue
		}
		if len(s.record) == maxRecord {
			return errLong
		}
		return nil
	}
}

// fixedSplitter returns records of one length.
type fixedSplitter struct {
	in     *bufio.Reader
	record []byte // of that length
	count  int64
	err    error
}

func (s *fixedSplitter) next() (record []byte, number int64, more bool, bad error) {
	n, err := io.ReadFull(s.in, s.record)
	if n == 0 || err != nil && err != io.ErrUnexpectedEOF {
		if err != io.EOF {
			s.err = err
		}
		return nil, 0, false, nil
	}
	s.count++
	if err != nil {
		bad = errCut
	}
	return s.record[:n], s.count, true, bad
}

// splitter cuts a file into records.
type splitter interface {
	// next returns the next record, valid until the call after it, and its number: of the line where it begins, or counted from 1. bad is
	// what is wrong with the record. more is false at the end.
	next() (record []byte, number int64, more bool, bad error)
	// failure returns the error that ended reading; nil at the end of the file.
	failure() error
}

func (s *lineSplitter) failure() error { return s.err }

func (s *objectSplitter) failure() error { return s.err }

func (s *fixedSplitter) failure() error { return s.err }
