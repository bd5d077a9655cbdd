package recording

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"time"

	"warp/pkg/op"
)

// keyBlock is how many bytes of keys are allocated at once.
const keyBlock = 16 << 10

// rowParser parses rows into operations.
type rowParser struct {
	layout *layout
	op     *op.Op // being filled
	unread int64  // of op, in nanoseconds; negative: unknown

	kinds, phases, clients, endpoints, errors, buckets interner

	stamps struct{ start, firstByte, sent, end, due stampReader }
	keys   strings.Builder // keys are cut from blocks, which is cheaper than allocating each
	plain  []byte          // unescaped copy of the last field with doubled quotes
}

// parse parses a row into o.
func (p *rowParser) parse(row []byte, o *op.Op) error {
	p.begin(o)
	sep, cols := p.layout.sep, p.layout.cols
	rest, more := row, true
	for i, col := range cols {
		if !more {
			return fmt.Errorf("%d columns (want %d)", i, len(cols))
		}
		var field []byte
		if len(rest) > 0 && rest[0] == '"' {
			field, rest, more = p.quoted(rest)
		} else if n := indexSep(rest, sep); n >= 0 {
			field, rest = rest[:n], rest[n+1:]
		} else {
			field, rest, more = rest, nil, false
		}
		if col == colOther {
			continue
		}
		if what := p.set(col, field); what != "" {
			return fmt.Errorf("column %d (%s): invalid value %s (want %s)", i+1, p.layout.names[i], excerpt(field), what)
		}
	}
	if more {
		return fmt.Errorf("%d columns (want %d)", len(cols)+1+bytes.Count(rest, []byte{sep}), len(cols))
	}
	p.finish()
	return nil
}

// begin makes o the operation that is filled.
func (p *rowParser) begin(o *op.Op) {
	*o = op.Op{Objects: 1}
	p.op, p.unread = o, -1
}

// finish sets what follows from several columns.
func (p *rowParser) finish() {
	p.op.Kind = kindOf(p.op.Kind, p.op.Phase)
	if p.unread >= 0 {
		p.op.Arrived = p.op.End.Add(-time.Duration(p.unread))
	}
}

// quoted splits off the first field of row, which begins with a quote. A field that does not end with a quote is taken
// literally.
func (p *rowParser) quoted(row []byte) (field, rest []byte, more bool) {
	sep := p.layout.sep
	p.plain = p.plain[:0]
	for from := 1; ; {
		n := bytes.IndexByte(row[from:], '"')
		if n < 0 {
			break
		}
		n += from
		switch {
		case n+1 == len(row):
			return append(p.plain, row[from:n]...), nil, false
		case row[n+1] == sep:
			return append(p.plain, row[from:n]...), row[n+2:], true
		case row[n+1] == '"':
			p.plain = append(p.plain, row[from:n+1]...)
			from = n + 2
			continue
		}
		break
	}
	field, rest, more = bytes.Cut(row, []byte{sep})
	return field, rest, more
}

// set assigns a field to the operation. On failure it returns what was expected.
func (p *rowParser) set(col column, field []byte) (want string) {
	ok := true
	var n int64
	switch col {
	case colKind:
		p.op.Kind = op.Kind(p.kinds.get(field))
	case colClient:
		p.op.Client = p.clients.get(field)
	case colPhase:
		p.op.Phase = p.phases.get(field)
	case colBucket:
		p.op.Bucket = p.buckets.get(field)
	case colSource:
		p.op.Source = string(field)
	case colEndpoint:
		p.op.Endpoint = p.endpoints.get(field)
	case colErr:
		p.op.Err = p.errors.get(field)
	case colKey:
		p.op.Key = p.key(field)
	case colStart:
		p.op.Start, ok = p.stamps.start.parse(field)
	case colEnd:
		p.op.End, ok = p.stamps.end.parse(field)
	case colFirstByte:
		p.op.FirstByte, ok = p.stamps.firstByte.parseKnown(field)
	case colSent:
		p.op.Sent, ok = p.stamps.sent.parseKnown(field)
	case colDue:
		p.op.Due, ok = p.stamps.due.parseKnown(field)
	case colOwnLate, colUnread, colResent:
		if len(field) == 0 {
			return ""
		}
		n, ok = parseInt(field)
		return p.setNumber(col, n, ok && n >= 0)
	default:
		n, ok = parseInt(field)
		return p.setNumber(col, n, ok)
	}
	if !ok {
		return "a time (RFC 3339)"
	}
	return ""
}

// setNumber assigns the number n to the operation; ok reports whether it is valid.
func (p *rowParser) setNumber(col column, n int64, ok bool) (want string) {
	switch col {
	case colThread:
		p.op.Thread = uint32(n)
		ok = ok && n >= 0 && n <= math.MaxUint32
	case colCat:
		p.op.Cat = uint32(n)
		ok = ok && n >= 0 && n <= math.MaxUint32
	case colBytes:
		p.op.Bytes = n
	case colCopied:
		p.op.Copied = n
	case colObjects:
		p.op.Objects = int(n)
	case colStatus:
		p.op.Status = int(n)
	case colRetries:
		p.op.Retries = int(n)
	case colOwnLate:
		p.op.OwnLate = time.Duration(n)
	case colUnread:
		p.unread = n
	case colResent:
		p.op.Resent = int(n)
	}
	switch {
	case ok:
		return ""
	case col == colThread || col == colCat:
		return "a number from 0 to 4294967295"
	case col == colOwnLate || col == colUnread || col == colResent:
		return "a whole number, 0 or more"
	}
	return "a whole number"
}

// key returns b as a string.
func (p *rowParser) key(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if p.keys.Cap()-p.keys.Len() < len(b) {
		p.keys = strings.Builder{}
		p.keys.Grow(max(keyBlock, len(b)))
	}
	start := p.keys.Len()
	p.keys.Write(b)
	return p.keys.String()[start:]
}

// parseInt parses a decimal number.
func parseInt(b []byte) (n int64, ok bool) {
	digits := b
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		digits = b[1:]
	}
	if len(digits) == 0 || len(digits) > 19 {
		return 0, false
	}
	var u uint64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		u = u*10 + uint64(c-'0')
	}
	if u > math.MaxInt64 {
		return 0, false
	}
	if negative {
		return -int64(u), true
	}
	return int64(u), true
}

// excerpt quotes a field for a message, shortened to 40 bytes.
func excerpt(field []byte) string {
	const most = 40
	if len(field) > most {
		return fmt.Sprintf("%q...", field[:most])
	}
	return fmt.Sprintf("%q", field)
}

const (
	internRecent  = 16      // strings that an interner finds without a map
	internEntries = 4096    // strings kept by an interner
	internBytes   = 1 << 20 // bytes of strings kept by an interner
)

// interner returns the same string for equal bytes, so that recurring text is kept once. Its memory is bounded: error
// texts that contain request ids are all different. The zero value is ready for use.
type interner struct {
	recent [internRecent]string // by length and last byte, which mostly distinguish names of kinds, hosts and clients
	seen   map[string]string
	size   int // bytes in seen
}

// get returns b as a string.
func (t *interner) get(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	slot := &t.recent[(len(b)*7+int(b[len(b)-1]))%internRecent]
	if string(b) == *slot {
		return *slot
	}
	s, ok := t.seen[string(b)]
	if !ok {
		s = string(b)
		t.keep(s)
	}
	*slot = s
	return s
}

// keep stores s; if there is no more room, it drops everything else first.
func (t *interner) keep(s string) {
	if t.seen == nil {
		t.seen = make(map[string]string)
	}
	if len(t.seen) >= internEntries || t.size+len(s) > internBytes {
		clear(t.seen)
		t.size = 0
	}
	if len(s) <= internBytes {
		t.seen[s] = s
		t.size += len(s)
	}
}

// kindOf returns the kind of an operation from the column op and the phase.
func kindOf(kind op.Kind, phase string) op.Kind {
	if phase == op.PhasePrepare {
		return op.Kind(strings.TrimPrefix(string(kind), prepared))
	}
	return kind
}
