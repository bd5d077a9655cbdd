package formats

import (
	"errors"
	"strings"

	"warp/pkg/op"
	"warp/pkg/trace"
)

// metaKV reads key-value cache traces of Meta, whose header names the columns. A line stands for op_count operations.
type metaKV struct {
	header []metaColumn
	line   metaLine
	within within
	count  int64 // of operations
}

// metaLine is the line being read.
type metaLine struct {
	key, command     []byte
	at, size, repeat int64
	invalid          bool // a number is invalid
}

// metaColumn sets a field of a line from a column; nil ignores the column.
type metaColumn func(l *metaLine, field []byte)

var metaColumns = map[string]metaColumn{
	"op_time":  func(l *metaLine, field []byte) { l.at = l.number(number(field)) },
	"key":      func(l *metaLine, field []byte) { l.key = field },
	"op":       func(l *metaLine, field []byte) { l.command = field },
	"size":     func(l *metaLine, field []byte) { l.size = l.number(optional(field)) },
	"op_count": func(l *metaLine, field []byte) { l.repeat = l.number(number(field)) },
}

// number returns n, and notes whether it is invalid.
func (l *metaLine) number(n int64, valid bool) int64 {
	l.invalid = l.invalid || !valid
	return n
}

func newMetaKV() parser { return new(metaKV) }

func isMetaKV(head []byte) bool {
	line := string(firstLine(head))
	return strings.Contains(line, "op_count") && strings.Contains(line, "key_size")
}

// maxRepeat is the maximum number of operations that a line may stand for.
const maxRepeat = 1 << 16

func (p *metaKV) parse(line []byte, out *events) error {
	if p.header == nil {
		if !isMetaKV(line) {
			return errors.New("no header with op_count and key_size")
		}
		for name := range strings.SplitSeq(string(line), ",") {
			p.header = append(p.header, metaColumns[strings.TrimSpace(name)])
		}
		return nil
	}
	p.line = metaLine{at: trace.Unknown, size: trace.Unknown, repeat: 1}
	l, columns := &p.line, 0
	for rest := line; rest != nil && columns < len(p.header); columns++ {
		var field []byte
		field, rest = cutField(rest, ',')
		if set := p.header[columns]; set != nil {
			set(l, field)
		}
	}
	if columns < len(p.header) || len(l.key) == 0 {
		return errFields
	}
	if l.invalid || l.at >= 1<<33 || l.repeat < 1 || l.repeat > maxRepeat {
		return errors.New("a number that is invalid or out of range")
	}
	kind, known := cacheKind(l.command)
	if !known {
		out.skip(l.command)
		return nil
	}
	for range l.repeat {
		e := out.add()
		e.Kind, e.Key, e.Size = kind, l.key, l.size
		if e.Start = p.count * (second / 1000); l.at >= 0 { // without times: an operation each millisecond
			e.Start = p.within.spread(l.at * second)
		}
		p.count++
		if kind == op.Get && l.size == 0 { // a miss
			e.Size = trace.Unknown
		}
	}
	return nil
}
