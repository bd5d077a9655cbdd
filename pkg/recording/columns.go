package recording

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// column identifies what a column holds.
type column uint8

const (
	colOther column = iota // not a field of op.Op
	colThread
	colKind
	colClient
	colObjects
	colBytes
	colEndpoint
	colKey
	colErr
	colStart
	colFirstByte
	colSent
	colEnd
	colCat
	colDue
	colStatus
	colRetries
	colPhase
	colOwnLate
	colUnread
	colResent
	colBucket
	colSource
	colCopied
)

// columns maps the names of columns to what they hold.
var columns = map[string]column{
	"thread": colThread, "op": colKind, "client_id": colClient, "n_objects": colObjects, "bytes": colBytes,
	"endpoint": colEndpoint, "file": colKey, "error": colErr, "start": colStart, "first_byte": colFirstByte,
	"last_byte": colSent, "end": colEnd, "cat": colCat, "due": colDue, "status": colStatus, "retries": colRetries,
	"phase":       colPhase,
	"own_late_ns": colOwnLate, unreadColumn: colUnread, "resent": colResent,
	bucketColumn: colBucket, sourceColumn: colSource, copiedColumn: colCopied,
}

// required are the columns that every recording must have. (Without error, failures would count as successes.)
var required = []string{"thread", "op", "bytes", "error", "start", "end"}

// layout is what a header line says about the rows below it.
type layout struct {
	sep      byte
	names    []string
	cols     []column
	byWriter bool // written by Writer: every row ends with a line break
}

// only returns the layout with the columns in keep, by name; nil keeps all.
func (l *layout) only(keep []string) *layout {
	if keep == nil {
		return l
	}
	some := *l
	some.cols = slices.Clone(l.cols)
	for i, name := range l.names {
		if !slices.Contains(keep, name) {
			some.cols[i] = colOther
		}
	}
	return &some
}

// flat returns the column whose quotes contain no line breaks, -1 if there is none. MinIO warp writes keys without quoting;
// one that begins with a quote must not swallow the rows up to the next quote.
func (l *layout) flat() int {
	if l.byWriter {
		return -1
	}
	return slices.Index(l.cols, colKey)
}

// parseHeader parses a header line.
func parseHeader(line []byte) (*layout, error) {
	l := &layout{sep: ','}
	if bytes.IndexByte(line, '\t') >= 0 {
		l.sep = '\t'
	}
	seen := map[string]bool{}
	for _, name := range strings.Split(string(line), string(l.sep)) {
		name = strings.Trim(name, `" `)
		col := columns[name]
		if col != colOther && seen[name] {
			return nil, fmt.Errorf("duplicate column %q", name)
		}
		seen[name] = true
		l.names = append(l.names, name)
		l.cols = append(l.cols, col)
	}
	for _, name := range required {
		if !seen[name] {
			return nil, fmt.Errorf("missing column %q", name)
		}
	}
	l.byWriter = seen["due"] && seen["phase"]
	return l, nil
}
