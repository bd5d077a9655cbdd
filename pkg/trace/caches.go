package trace

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"warp/pkg/op"
)

// cacheKinds are the commands of caches.
var cacheKinds = map[string]op.Kind{
	"get": op.Get, "gets": op.Get, "get_lease": op.Get, "getlease": op.Get, "read": op.Get, "gat": op.Get, "gats": op.Get,
	"set": op.Put, "add": op.Put, "replace": op.Put, "cas": op.Put, "append": op.Put, "prepend": op.Put, "incr": op.Put, "decr": op.Put,
	"set_lease": op.Put, "write": op.Put,
	"delete": op.Delete,
}

func cacheKind(command []byte) (op.Kind, bool) {
	if kind, ok := cacheKinds[string(command)]; ok {
		return kind, true
	}
	kind, ok := cacheKinds[strings.ToLower(string(command))]
	return kind, ok
}

// twitter reads cache traces of Twitter: time in seconds, key, its length, that of the value, client, command, time to live. Keys may
// have commas.
type twitter struct{ within within }

func newTwitter(*Options) (parser, error) { return new(twitter), nil }

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
		e.Size = Unknown
	}
	return nil
}

// metaKV reads key-value cache traces of Meta, whose header names the columns. A line stands for op_count operations.
type metaKV struct {
	header []string
	within within
	lines  int64
}

func newMetaKV(*Options) (parser, error) { return new(metaKV), nil }

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
	at, size, count := int64(Unknown), int64(Unknown), int64(1)
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
			e.Size = Unknown
		}
	}
	return nil
}

// kvCache reads key-value cache traces of MLPerf Storage.
type kvCache struct{ header []string }

func newKVCache(*Options) (parser, error) { return new(kvCache), nil }

func isKVCache(head []byte) bool {
	line := string(firstLine(head))
	return strings.HasPrefix(line, "Timestamp,Operation,Object_Size_Bytes")
}

func (p *kvCache) parse(line []byte, out *events) error {
	if p.header == nil {
		if !isKVCache(line) {
			return errors.New("no header Timestamp,Operation,Object_Size_Bytes")
		}
		p.header = strings.Split(string(line), ",")
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

// oracleRecord is the length of a record of libCacheSim: time u32, object u64, size u32, next access i64, little-endian.
const oracleRecord = 24

// oracle reads traces of libCacheSim in the form oracleGeneral: reads only.
type oracle struct{ within within }

func newOracle(*Options) (parser, error) { return new(oracle), nil }

func splitOracle(in *bufio.Reader) splitter {
	return &fixedSplitter{in: in, record: make([]byte, oracleRecord)}
}

func (p *oracle) parse(record []byte, out *events) error {
	e := out.add()
	e.Kind = op.Get
	e.Start = p.within.spread(int64(binary.LittleEndian.Uint32(record)) * second)
	e.Key = record[4:12]
	e.Size = int64(binary.LittleEndian.Uint32(record[12:]))
	return nil
}
