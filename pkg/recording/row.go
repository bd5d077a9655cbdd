package recording

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"warp/pkg/op"
)

// prepared stands before the kind of an operation of the preparation in a recording. The established tool knows no phases; it
// takes such operations for a kind of their own, and does not count them with those that were measured.
const prepared = "PREPARE_"

// rowWriter writes operations as rows of a recording.
type rowWriter struct {
	rows   uint64 // written so far
	stamps struct{ start, firstByte, sent, end, due stamper }
}

// append appends o to b as one row. It allocates only where b has no room.
func (r *rowWriter) append(b []byte, o *op.Op) []byte {
	b = strconv.AppendUint(b, r.rows, 10)
	b = strconv.AppendUint(append(b, '\t'), uint64(o.Thread), 10)
	b = appendKind(append(b, '\t'), o)
	b = appendText(append(b, '\t'), o.Client)
	b = strconv.AppendInt(append(b, '\t'), int64(o.Objects), 10)
	b = strconv.AppendInt(append(b, '\t'), o.Bytes, 10)
	b = appendText(append(b, '\t'), o.Endpoint)
	b = appendText(append(b, '\t'), o.Key)
	b = appendText(append(b, '\t'), o.Err)
	b = r.stamps.start.append(append(b, '\t'), o.Start)
	b = appendKnown(append(b, '\t'), &r.stamps.firstByte, o.FirstByte)
	b = appendKnown(append(b, '\t'), &r.stamps.sent, o.Sent)
	b = r.stamps.end.append(append(b, '\t'), o.End)
	b = strconv.AppendInt(append(b, '\t'), int64(o.Service()), 10)
	b = strconv.AppendUint(append(b, '\t'), uint64(o.Cat), 10)
	b = appendKnown(append(b, '\t'), &r.stamps.due, o.Due)
	b = strconv.AppendInt(append(b, '\t'), int64(o.Status), 10)
	b = strconv.AppendInt(append(b, '\t'), int64(o.Retries), 10)
	b = appendText(append(b, '\t'), o.Phase)
	r.rows++
	return append(b, '\n')
}

// appendKind appends what kind of operation o is.
func appendKind(b []byte, o *op.Op) []byte {
	kind := string(o.Kind)
	switch {
	case o.Phase != op.PhasePrepare:
		return appendText(b, kind)
	case needsQuotes(kind):
		return appendText(b, prepared+kind)
	}
	return appendText(append(b, prepared...), kind)
}

// kindOf is the kind of an operation of a phase, as its row has it.
func kindOf(kind op.Kind, phase string) op.Kind {
	if phase == op.PhasePrepare {
		return op.Kind(strings.TrimPrefix(string(kind), prepared))
	}
	return kind
}

// appendKnown appends t, or nothing if it is zero.
func appendKnown(b []byte, s *stamper, t time.Time) []byte {
	if t.IsZero() {
		return b
	}
	return s.append(b, t)
}

// appendText appends s, in quotes where the format asks for them, and cut to maxText.
func appendText(b []byte, s string) []byte {
	if len(s) > maxText {
		s = s[:maxText-3] + "..."
	}
	if !needsQuotes(s) {
		return append(b, s...)
	}
	b = append(b, '"')
	for {
		i := strings.IndexByte(s, '"')
		if i < 0 {
			break
		}
		b = append(b, s[:i+1]...)
		b = append(b, '"')
		s = s[i+1:]
	}
	b = append(b, s...)
	return append(b, '"')
}

// needsQuotes tells whether s would not be read back as it is without quotes.
func needsQuotes(s string) bool {
	if s == "" {
		return false
	}
	for i := range len(s) {
		switch s[i] {
		case '\t', '"', '\r', '\n':
			return true
		}
	}
	if s[0] < utf8.RuneSelf {
		return s[0] == ' ' || s[0] == '\v' || s[0] == '\f'
	}
	first, _ := utf8.DecodeRuneInString(s)
	return unicode.IsSpace(first)
}
