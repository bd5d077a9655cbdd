package formats

import "bufio"

// source yields the events of one file.
type source interface {
	// next sets out to the events of the next record; bad is the error of a malformed one.
	next(out *events) (more bool, bad error)
	number() int64 // of the record
	failure() error
	close() error
}

// input is a file whose format is known.
type input struct {
	*bufio.Reader        // its text, without a byte order mark
	name          string // of the file
	columns       Columns
	compacts      uint64 // files in the compact form that were read before
}
