package recording

import (
	"encoding/binary"
	"math"
	"math/bits"
	"time"

	"warp/pkg/op"
)

// The fast path of the parser
//
// Nearly all rows look alike: no quotes, times in UTC within the minute of the row before, non-negative numbers. quick
// parses exactly such rows, in one pass from left to right that finds the ends of columns while it reads their values,
// eight bytes at a time. For anything else it gives up and parse, which knows every form and all errors, reads the row from
// its start; both give the same result (FuzzQuick). It makes BenchmarkReader/text 1.1 to 1.5 times as fast on one core
// (five runs in turn), which analysis at the speed of decompression needs.

// step is a wanted column, and the number of unwanted ones before it.
type step struct {
	skip int
	col  column
}

// plan sets the steps of l.
func (l *layout) plan() *layout {
	l.steps, l.rest = nil, 0
	for _, col := range l.cols {
		if col == colOther {
			l.rest++
			continue
		}
		l.steps = append(l.steps, step{l.rest, col})
		l.rest = 0
	}
	return l
}

// quick parses a row without quotes into o. If it returns false, the row must be parsed by parse.
func (p *rowParser) quick(row []byte, o *op.Op) bool {
	p.begin(o)
	sep, at := p.layout.sep, 0 // where the next column begins; one behind the row if there is none
	for _, s := range p.layout.steps {
		if at += skipColumns(row, at, sep, s.skip); at > len(row) {
			return false
		}
		n := p.quickField(s.col, row[at:], o)
		if n < 0 {
			return false
		}
		at += n + 1
	}
	at += skipColumns(row, at, sep, p.layout.rest)
	p.finish()
	return at == len(row)+1
}

// quickField parses the column at the start of b, and returns its length; -1 for any unusual form.
func (p *rowParser) quickField(col column, b []byte, o *op.Op) int {
	sep := p.layout.sep
	switch col {
	case colKind:
		s, n := p.kinds.lead(b, sep)
		o.Kind = op.Kind(s)
		return n
	case colClient:
		s, n := p.clients.lead(b, sep)
		o.Client = s
		return n
	case colEndpoint:
		s, n := p.endpoints.lead(b, sep)
		o.Endpoint = s
		return n
	case colErr:
		s, n := p.errors.lead(b, sep)
		o.Err = s
		return n
	case colPhase:
		s, n := p.phases.lead(b, sep)
		o.Phase = s
		return n
	case colBucket:
		s, n := p.buckets.lead(b, sep)
		o.Bucket = s
		return n
	case colSource:
		n := fieldLen(b, sep)
		o.Source = string(b[:n])
		return n
	case colKey:
		n := fieldLen(b, sep)
		o.Key = p.key(b[:n])
		return n
	case colStart:
		return p.stamps.start.lead(b, sep, &o.Start)
	case colEnd:
		return p.stamps.end.lead(b, sep, &o.End)
	case colFirstByte:
		return p.stamps.firstByte.leadKnown(b, sep, &o.FirstByte)
	case colSent:
		return p.stamps.sent.leadKnown(b, sep, &o.Sent)
	case colDue:
		return p.stamps.due.leadKnown(b, sep, &o.Due)
	case colOwnLate, colUnread, colResent:
		if len(b) == 0 || b[0] == sep {
			return 0
		}
	}
	return p.quickNumber(col, b, o)
}

// quickNumber is quickField for numbers: digits only.
func (p *rowParser) quickNumber(col column, b []byte, o *op.Op) int {
	const most = 18 // digits that always fit into an int64
	var v int64
	n := 0
	for n < len(b) && n <= most && b[n]-'0' <= 9 {
		v = v*10 + int64(b[n]-'0')
		n++
	}
	if n == 0 || n > most || n < len(b) && b[n] != p.layout.sep {
		return -1
	}
	switch col {
	case colThread:
		o.Thread = uint32(v)
	case colCat:
		o.Cat = uint32(v)
	case colBytes:
		o.Bytes = v
		return n
	case colCopied:
		o.Copied = v
		return n
	case colObjects:
		o.Objects = int(v)
		return n
	case colStatus:
		o.Status = int(v)
		return n
	case colRetries:
		o.Retries = int(v)
		return n
	case colOwnLate:
		o.OwnLate = time.Duration(v)
		return n
	case colUnread:
		p.unread = v
		return n
	case colResent:
		o.Resent = int(v)
		return n
	}
	if v > math.MaxUint32 {
		return -1
	}
	return n
}

// lead returns the text of the column at the start of b, and its length. It is nearly always that of the previous row.
func (t *interner) lead(b []byte, sep byte) (string, int) {
	if len(b) == 0 || b[0] == sep {
		return "", 0
	}
	if n := len(t.last); n < len(b) && b[n] == sep && string(b[:n]) == t.last {
		return t.last, n
	}
	n := fieldLen(b, sep)
	t.last = t.get(b[:n])
	return t.last, n
}

// lead parses the time at the start of b, of the cached minute and in UTC; see quickField.
func (s *stampReader) lead(b []byte, sep byte, t *time.Time) int {
	const digits = stampLen + 3 // start of the fraction's digits
	if len(b) < digits+8 || string(b[:stampLen]) != string(s.prefix[:]) {
		return -1
	}
	tens, ones := b[stampLen]-'0', b[stampLen+1]-'0'
	if tens > 5 || ones > 9 {
		return -1
	}
	n := digits + 8
	ns, ok := eightDigits(binary.LittleEndian.Uint64(b[digits:]))
	if ok && b[digits-1] == '.' && n+1 < len(b) && b[n]-'0' <= 9 {
		ns = ns*10 + int64(b[n]-'0')
		n++
	} else {
		ns, n = parseFraction(b[digits-1:])
		n += digits - 1
	}
	if n >= len(b) || b[n] != 'Z' || n+1 < len(b) && b[n+1] != sep {
		return -1
	}
	*t = time.Unix(s.base+int64(tens)*10+int64(ones), ns).UTC()
	return n + 1
}

// leadKnown is lead for optional times.
func (s *stampReader) leadKnown(b []byte, sep byte, t *time.Time) int {
	if len(b) == 0 || b[0] == sep {
		return 0
	}
	return s.lead(b, sep, t)
}

const (
	ones  = 0x0101010101010101 // multiplied by a byte: that byte eight times
	highs = 0x80 * ones
)

// eightDigits returns the value of eight decimal digits, the first in the lowest byte; false if they are not digits.
func eightDigits(x uint64) (n int64, ok bool) {
	x ^= '0' * ones
	if (x|(x+0x76*ones))&highs != 0 { // 0x76 + 10 = 0x80
		return 0, false
	}
	x = x*10 + x>>8 // pairs, in every second byte
	const low = 0x000000ff000000ff
	x = (x&low*(100+1_000_000<<32) + x>>16&low*(1+10_000<<32)) >> 32
	return int64(x), true
}

// fieldLen returns the length of the column at the start of b.
func fieldLen(b []byte, sep byte) int {
	if n := indexSep(b, sep); n >= 0 {
		return n
	}
	return len(b)
}

// skipColumns returns the length of n columns from row[at], each with the separator after it. The end of the row counts as a
// separator; with fewer columns the result lies beyond it.
func skipColumns(row []byte, at int, sep byte, n int) int {
	if n == 0 {
		return 0
	}
	if at > len(row) {
		return 1
	}
	b := row[at:]
	i := 0
	for ; i+8 <= len(b); i += 8 {
		hits := matches(binary.LittleEndian.Uint64(b[i:]), sep)
		if found := bits.OnesCount64(hits); found < n {
			n -= found
			continue
		}
		for ; n > 1; n-- {
			hits &= hits - 1
		}
		return i + bits.TrailingZeros64(hits)/8 + 1
	}
	for ; i < len(b); i++ {
		if b[i] == sep {
			if n--; n == 0 {
				return i + 1
			}
		}
	}
	return len(b) + n
}

// matches sets the highest bit of each byte of x that equals c.
func matches(x uint64, c byte) uint64 {
	x ^= ones * uint64(c)
	return ^((x&^highs + ^uint64(highs)) | x | ^uint64(highs))
}
