package formats

import (
	"bytes"
	"errors"
	"fmt"

	"warp/pkg/op"
	"warp/pkg/trace"
)

// twitter reads cache traces of Twitter: time in seconds, key, its length, that of the value, client, command, time to live. Keys may
// have commas.
type twitter struct{ within within }

func newTwitter() parser { return new(twitter) }

func isTwitter(head []byte) bool {
	line := firstLine(head)
	if bytes.Count(line, []byte(",")) < 6 {
		return false
	}
	var out events
	return new(twitter).parse(line, &out) == nil && len(out.list) == 1
}

func (p *twitter) parse(line []byte, out *events) error {
	stamp, rest := cutField(line, ',')
	var fields [5][]byte // length of the key, of the value, client, command, time to live
	for i := len(fields) - 1; i >= 0; i-- {
		var ok bool
		if rest, fields[i], ok = cutLast(rest, ','); !ok {
			return errFields
		}
	}
	at, ok := number(stamp)
	if !ok || at >= 1<<33 {
		return fmt.Errorf("%w %q", errTime, stamp)
	}
	_, ok1 := number(fields[0])
	size, ok2 := number(fields[1])
	_, ok3 := number(fields[4])
	if !ok1 || !ok2 || !ok3 {
		return errors.New("invalid length or time to live")
	}
	kind, known := cacheKind(fields[3])
	if !known {
		out.skip(fields[3])
		return nil
	}
	e := out.add()
	e.Start, e.Kind, e.Key, e.Client, e.Size = p.within.spread(at*second), kind, rest, fields[2], size
	if kind == op.Get && size == 0 { // a miss
		e.Size = trace.Unknown
	}
	return nil
}
