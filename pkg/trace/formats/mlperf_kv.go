package formats

import (
	"errors"
	"fmt"
	"strings"
)

// kvCache reads key-value cache traces of MLPerf Storage.
type kvCache struct{ headed bool } // the header was read

func newKVCache() parser { return new(kvCache) }

func isKVCache(head []byte) bool {
	line := string(firstLine(head))
	return strings.HasPrefix(line, "Timestamp,Operation,Object_Size_Bytes")
}

func (p *kvCache) parse(line []byte, out *events) error {
	if !p.headed {
		if !isKVCache(line) {
			return errors.New("no header Timestamp,Operation,Object_Size_Bytes")
		}
		p.headed = true
		return nil
	}
	stamp, rest := cutField(line, ',')
	command, rest := cutField(rest, ',')
	size, rest := cutField(rest, ',')
	tier, rest := cutField(rest, ',')
	key, phase, ok := cutLast(rest, ',') // keys may have commas
	if !ok {
		return errFields
	}
	at, _, ok1 := anyTime(stamp)
	bytes, ok2 := decimal(size, 0)
	if !ok1 {
		return fmt.Errorf("%w %q", errTime, stamp)
	}
	if !ok2 {
		return fmt.Errorf("invalid size %q", size)
	}
	kind, known := cacheKind(command)
	if !known {
		out.skip(command)
		return nil
	}
	e := out.add()
	e.Start, e.Kind, e.Size, e.Bucket, e.Key, e.Client = at, kind, bytes, tier, key, phase
	return nil
}
