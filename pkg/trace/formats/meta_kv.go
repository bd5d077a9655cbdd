package formats

import (
	"errors"
	"strings"

	"warp/pkg/op"
	"warp/pkg/trace"
)

// metaKV reads key-value cache traces of Meta, whose header names the columns. A line stands for op_count operations.
type metaKV struct {
	header []string
	within within
	lines  int64
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
			p.header = append(p.header, strings.TrimSpace(name))
		}
		return nil
	}
	var key, command []byte
	at, size, count := int64(trace.Unknown), int64(trace.Unknown), int64(1)
	ok, columns := true, 0
	for rest := line; rest != nil && columns < len(p.header); columns++ {
		var field []byte
		good := true
		field, rest = cutField(rest, ',')
		switch p.header[columns] {
		case "op_time":
			at, good = number(field)
		case "key":
			key = field
		case "op":
			command = field
		case "size":
			size, good = optional(field)
		case "op_count":
			count, good = number(field)
		}
		ok = ok && good
	}
	if columns < len(p.header) || len(key) == 0 {
		return errFields
	}
	if !ok || at >= 1<<33 || count < 1 || count > maxRepeat {
		return errors.New("a number that is invalid or out of range")
	}
	kind, known := cacheKind(command)
	if !known {
		out.skip(command)
		return nil
	}
	for range count {
		e := out.add()
		e.Kind, e.Key, e.Size = kind, key, size
		if e.Start = p.lines * (second / 1000); at >= 0 { // without times: an operation each millisecond
			e.Start = p.within.spread(at * second)
		}
		p.lines++
		if kind == op.Get && size == 0 {
			e.Size = trace.Unknown
		}
	}
	return nil
}
