package recording

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// column says what a column of a recording holds.
type column uint8

const (
	colOther column = iota // nothing that Op has
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
)

// columns gives what the columns of the recording format hold.
var columns = map[string]column{
	"thread": colThread, "op": colKind, "client_id": colClient, "n_objects": colObjects, "bytes": colBytes,
	"endpoint": colEndpoint, "file": colKey, "error": colErr, "start": colStart, "first_byte": colFirstByte,
	"last_byte": colSent, "end": colEnd, "cat": colCat, "due": colDue, "status": colStatus, "retries": colRetries,
	"phase": colPhase,
}

// required are the columns without which a file is no recording. (Without error, failures would count as successes.)
var required = []string{"thread", "op", "bytes", "error", "start", "end"}

// layout is what a header line says about the rows below it.
type layout struct {
	sep   byte
	names []string
	cols  []column
	ours  bool // written by Writer, so that every row ends with a line break

	steps []step // the columns that are wanted
	rest  int    // columns behind the last of them
}

// only is the layout without the columns that are not in keep, by name; nil keeps all.
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
	return some.plan()
}

// flat is the column in which quotes hold no line breaks, -1 if there is none. The established tool writes keys without
// quotes; one that begins with a quote must not swallow the rows up to the next quote.
func (l *layout) flat() int {
	if l.ours {
		return -1
	}
	return slices.Index(l.cols, colKey)
}

// parseHeader reads a header line.
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
			return nil, fmt.Errorf("column %q stands there twice", name)
		}
		seen[name] = true
		l.names = append(l.names, name)
		l.cols = append(l.cols, col)
	}
	for _, name := range required {
		if !seen[name] {
			return nil, fmt.Errorf("column %q is missing", name)
		}
	}
	l.ours = seen["due"] && seen["phase"]
	return l.plan(), nil
}
