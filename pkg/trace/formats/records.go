package formats

import "bufio"

// parser makes events of the records of one file. It keeps state between records, such as the names of columns.
type parser interface {
	// parse adds the events of a record. A record that is not an operation adds none, or calls events.skip.
	parse(record []byte, out *events) error
}

// ender is a parser that keeps events until the end of the file.
type ender interface {
	// end adds the events that were kept.
	end(out *events)
}

// records is a source that splits a file into records and parses these.
type records struct {
	splitter
	parser parser
	at     int64
	ended  bool
}

// opener returns the source of a file.
type opener func(*input) (source, error)

// lines opens files with a record on each line. A last line without a line break is truncated.
func lines(parser func() parser) opener {
	return func(in *input) (source, error) {
		return &records{splitter: &lineSplitter{in: in.Reader}, parser: parser()}, nil
	}
}

// bareLines is lines for formats whose last line may lack the line break.
func bareLines(parser func() parser) opener {
	return func(in *input) (source, error) { return newBareLines(in.Reader, parser()), nil }
}

func newBareLines(in *bufio.Reader, parser parser) source {
	return &records{splitter: &lineSplitter{in: in, bare: true}, parser: parser}
}

// objects opens files of JSON objects.
func objects(parser func() parser) opener {
	return func(in *input) (source, error) {
		return &records{splitter: &objectSplitter{in: in.Reader}, parser: parser()}, nil
	}
}

// fixed opens files whose records have a fixed length in bytes.
func fixed(length int, parser func() parser) opener {
	return func(in *input) (source, error) {
		return &records{splitter: &fixedSplitter{in: in.Reader, record: make([]byte, length)}, parser: parser()}, nil
	}
}

func (s *records) next(out *events) (more bool, bad error) {
	record, number, more, bad := s.splitter.next()
	if !more {
		return s.end(out), nil
	}
	if s.at = number; bad == nil {
		bad = s.parser.parse(record, out)
	}
	return true, bad
}

// end adds the events that the parser has kept to out, and reports whether there are any.
func (s *records) end(out *events) bool {
	p, keeps := s.parser.(ender)
	if !keeps || s.ended {
		return false
	}
	s.ended, out.kept = true, true
	p.end(out)
	return len(out.list) > 0
}

func (s *records) number() int64 { return s.at }

func (*records) close() error { return nil }
