package s3

import (
	"fmt"
	"io"
)

const (
	// MaxEntries is the most that S3 lists in a page, or deletes in a request.
	MaxEntries = 1000
	// maxDocument is the longest XML document that is read: room for that many entries of 16 KiB, of which a key of 1,024
	// bytes takes 6 KiB when each byte is escaped.
	maxDocument = MaxEntries * 16 << 10
	// maxDepth is how deep its elements may be nested. S3's are four deep.
	maxDepth = 32
)

// limited reads at most left bytes. Unlike io.LimitedReader it fails if there are more.
type limited struct {
	r    io.Reader
	left int64
}

// Read reads on.
func (l *limited) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, errTooLong()
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left+1)])
	if l.left -= int64(n); l.left < 0 {
		return n - 1, errTooLong()
	}
	return n, err
}

func errTooLong() *Error {
	return &Error{Class: classBadAnswer, Message: fmt.Sprintf("the response has more than %d MiB; S3 sends at most %d entries at once", maxDocument>>20, MaxEntries)}
}
