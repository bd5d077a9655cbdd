package formats

import (
	"fmt"
	"strings"

	"github.com/cespare/xxhash/v2"

	"warp/pkg/op"
)

// elbencho reads operation logs of elbencho: a JSON object per line, one for the beginning and one for the end of each operation.
type elbencho struct {
	begun map[uint64]int64 // start times, by a hash of worker, object and offset
}

// maxBegun is the maximum number of operations in flight. Others get the time of their end as their start.
const maxBegun = 1 << 16

func newElbencho() parser { return &elbencho{begun: map[uint64]int64{}} }

func isElbencho(head []byte) bool { return isJSON(head, "worker_rank", "op_name", "entry_name") }

func (p *elbencho) parse(line []byte, out *events) error {
	e := out.add()
	var stamp, name []byte
	var offset, length int64
	finished, failed := true, false
	whole := eachField(line, func(field, value []byte) {
		switch string(field) {
		case "date":
			stamp = textOf(value)
		case "worker_rank":
			e.Client = textOf(value)
		case "op_name":
			name = textOf(value)
		case "entry_name":
			e.Key = textOf(value)
		case "offset":
			offset, _ = optional(textOf(value))
		case "length":
			length, _ = optional(textOf(value))
		case "is_finished":
			finished = isTrue(value)
		case "is_error":
			failed = isTrue(value)
		}
	})
	if !whole {
		return errJSON
	}
	at, _, ok := anyTime(stamp)
	if !ok {
		return fmt.Errorf("%w %q", errTime, stamp)
	}
	kind, known := elbenchoKind(string(name))
	if !known {
		out.skip(name)
		return nil
	}
	h := xxhash.New()
	_, _ = h.Write(e.Client)
	_, _ = fmt.Fprintf(h, "\n%s\n%d\n", kind, offset)
	_, _ = h.Write(e.Key)
	id := h.Sum64()
	if !finished {
		if len(p.begun) < maxBegun {
			p.begun[id] = at
		}
		out.list = out.list[:0] // its end makes the event
		return nil
	}
	e.Kind, e.Start = kind, at
	if from, ok := p.begun[id]; ok {
		e.Start, e.Latency = from, max(0, at-from)
		delete(p.begun, id)
	}
	if failed {
		e.Status = 500
	}
	p.extent(e, max(0, offset), max(0, length))
	return nil
}

// extent sets the size or the range of an operation. A read from offset 0 may be of the whole object or not: only other operations show
// that.
func (*elbencho) extent(e *event, offset, length int64) {
	switch {
	case e.Kind == op.Get && offset > 0:
		e.Offset, e.Length = offset, length
	case e.Kind == op.Put && offset > 0:
		e.Kind, e.Size = op.PutPart, length
	case e.Kind == op.Get, e.Kind == op.Put, e.Kind == op.PutPart:
		e.Size = length
	}
}

func isTrue(value []byte) bool {
	text := string(textOf(value))
	return text == "true" || text == "1"
}

// elbenchoKind returns the kind of an operation by its name.
func elbenchoKind(name string) (op.Kind, bool) {
	if kind, ok := apiKinds[name]; ok {
		return kind, true
	}
	name = strings.ToLower(name)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(name, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("bucket", "mkdir", "rmdir", "sync", "drop", "acl", "tag"):
		return "", false
	case has("abort"):
		return op.AbortUpload, true
	case has("complete"):
		return op.CompleteUpload, true
	case has("part"):
		return op.PutPart, true
	case has("head", "stat"):
		return op.Stat, true
	case has("list"):
		return op.List, true
	case has("delete", "remove", "unlink"):
		return op.Delete, true
	case has("get", "read", "download"):
		return op.Get, true
	case has("put", "write", "upload"):
		return op.Put, true
	}
	return "", false
}
