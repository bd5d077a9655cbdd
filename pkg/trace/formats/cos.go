package formats

import (
	"errors"
	"fmt"

	"warp/pkg/op"
)

// ibmCOS reads the object store traces of IBM: "ms REST.GET.OBJECT id size first last", whose times begin at 0.
type ibmCOS struct{}

func newIBMCOS() parser { return ibmCOS{} }

func isIBMCOS(head []byte) bool {
	stamp, rest := cutField(firstLine(head), ' ')
	operation, id := cutField(rest, ' ')
	_, isNumber := number(stamp)
	_, known := s3Operations[string(operation)]
	return isNumber && known && len(id) > 0
}

func (ibmCOS) parse(line []byte, out *events) error {
	stamp, rest := cutField(line, ' ')
	operation, rest := cutField(rest, ' ')
	id, rest := cutField(rest, ' ')
	ms, ok := number(stamp)
	if !ok {
		return fmt.Errorf("%w %q", errTime, stamp)
	}
	if len(id) == 0 {
		return errFields
	}
	kind, known := s3Operations[string(operation)]
	if !known {
		out.skip(operation)
		return nil
	}
	size, rest := cutField(rest, ' ')
	first, rest := cutField(rest, ' ')
	last, _ := cutField(rest, ' ')
	bytes, ok1 := optional(size)
	from, ok2 := optional(first)
	to, ok3 := optional(last)
	if !ok1 || !ok2 || !ok3 {
		return errors.New("invalid size or range")
	}
	e := out.add()
	e.Start, e.Kind, e.Key, e.Size = ms*(second/1000), kind, id, bytes
	if kind == op.Get && from >= 0 && to >= from && to-from+1 != bytes {
		e.Offset, e.Length = from, to-from+1
	}
	return nil
}
