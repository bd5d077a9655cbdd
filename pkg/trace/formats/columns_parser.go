package formats

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"warp/internal/option"
	"warp/pkg/op"
	"warp/pkg/trace"
)

// columnParser reads logs by their columns.
type columnParser struct {
	paths  map[string][]string // of JSON
	places map[int][]string    // names by number of the column, from 0
	header bool                // columns have names, which are in the first line
	lines  int                 // number of lines so far, without comments
	unit   int64               // of latency
	sep    byte                // one of separators
	found  bool                // sep was found
	fine   bool                // times have fractions
	within within
	fields map[string][]byte // of the current line
}

// openColumns opens a log by its columns.
func openColumns(in *input) (source, error) {
	if len(in.columns) == 0 {
		return nil, option.Errorf("columns", "the format columns needs it, as in --columns time=msec,request=request,status=status")
	}
	return newBareLines(in.Reader, newColumnParser(in.columns)), nil
}

func newColumnParser(columns Columns) *columnParser {
	p := &columnParser{
		paths:  map[string][]string{},
		places: map[int][]string{},
		unit:   second,
		fields: map[string][]byte{},
	}
	for name, path := range columns {
		if name == "latency" {
			var unit string
			if path, unit, _ = strings.Cut(path, ":"); unit != "" {
				p.unit = latencyUnits[unit]
			}
		}
		p.paths[name] = strings.Split(path, ".")
		if n, err := strconv.Atoi(path); err == nil && n > 0 {
			p.places[n-1] = append(p.places[n-1], name)
		} else {
			p.header = true
		}
	}
	return p
}

func (p *columnParser) parse(line []byte, out *events) error {
	clear(p.fields)
	switch {
	case line[0] == '{':
		if !p.object(line, 0, "") {
			return errJSON
		}
	case line[0] == '#':
		return nil
	case p.header:
		return p.readHeader(line)
	default:
		p.lines++
		if p.found = p.found || p.findSeparator(line); !p.found && p.lines == 1 && isHeading(line) {
			return nil
		}
		p.split(line)
	}
	return p.event(out)
}

// object sets the fields from a JSON object at a depth of the paths, below a path.
func (p *columnParser) object(b []byte, depth int, below string) bool {
	return eachField(b, func(name, value []byte) {
		for column, path := range p.paths {
			if len(path) <= depth || path[depth] != string(name) || depth > 0 && strings.Join(path[:depth], ".") != below {
				continue
			}
			if len(path) == depth+1 {
				p.fields[column] = textOf(value)
				continue
			}
			p.object(value, depth+1, strings.Join(path[:depth+1], "."))
		}
	})
}

// readHeader sets the places of columns from the line that names them. It tries all separators, and takes the first that finds all columns.
func (p *columnParser) readHeader(line []byte) error {
	var missing string
	for _, p.sep = range separators {
		places, missed := p.placesBy(line)
		if missed == "" {
			p.places, p.header, p.found = places, false, true
			return nil
		}
		if missing == "" || p.sep == spaces {
			missing = missed
		}
	}
	return fmt.Errorf("the first line names no column %q", missing)
}

// placesBy returns the places of columns in the line that names them, and a column that is missing there.
func (p *columnParser) placesBy(line []byte) (places map[int][]string, missing string) {
	places = maps.Clone(p.places)
	found := map[string]bool{}
	at := 0
	for rest := line; rest != nil; at++ {
		var field []byte
		field, rest = p.cut(rest)
		for column, path := range p.paths {
			if strings.Join(path, ".") == string(field) {
				places[at], found[column] = append(slices.Clone(places[at]), column), true
			}
		}
	}
	for _, column := range slices.Sorted(maps.Keys(p.paths)) {
		path := p.paths[column]
		if _, err := strconv.Atoi(path[0]); err != nil && !found[column] {
			return nil, strings.Join(path, ".")
		}
	}
	return places, ""
}

// split sets the fields from a line.
func (p *columnParser) split(line []byte) {
	clear(p.fields)
	at := 0
	for rest := line; rest != nil; at++ {
		var field []byte
		field, rest = p.cut(rest)
		for _, column := range p.places[at] {
			p.fields[column] = field
		}
	}
}

// cut cuts a field off, without the quotes or brackets around it.
func (p *columnParser) cut(b []byte) (field, rest []byte) {
	sep := p.sep
	if sep == spaces {
		sep = ' '
		b = bytes.TrimLeft(b, " ")
	}
	if len(b) > 0 && (b[0] == '"' || b[0] == '[' && p.sep == spaces) {
		end := byte('"')
		if b[0] == '[' {
			end = ']'
		}
		for at := 1; at < len(b); at++ {
			if n := bytes.IndexByte(b[at:], end); n >= 0 {
				at += n
			} else {
				break
			}
			if at+1 == len(b) {
				return b[1:at], nil
			}
			if b[at+1] == sep && b[at-1] != '\\' {
				return b[1:at], b[at+2:]
			}
		}
	}
	return cutField(b, sep)
}

// event adds an event from the fields.
func (p *columnParser) event(out *events) error {
	e := out.add()
	f := p.fields
	stamp := f["time"]
	if stamp == nil {
		stamp = f["end"]
	}
	at, coarse, ok := anyTime(stamp)
	if !ok {
		return fmt.Errorf("%w %q", errTime, stamp)
	}
	if !p.request(e, out) {
		method, _ := cutField(f["request"], ' ')
		out.skip(slices.Concat(method, f["op"], f["method"]))
		return nil
	}
	if p.fine = p.fine || !coarse; coarse && !p.fine {
		at = p.within.spread(at)
	}
	status, ok1 := optional(f["status"])
	size, ok2 := optional(f["size"])
	sent, ok3 := optional(f["sent"])
	received, ok4 := optional(f["received"])
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return errors.New("invalid status or number of bytes")
	}
	if took := f["latency"]; len(took) > 0 && string(took) != "-" {
		if e.Latency, ok = scaled(took, p.unit); !ok {
			return fmt.Errorf("invalid latency %q", took)
		}
	}
	e.Status, e.Start = int(max(0, status)), at
	if f["end"] != nil {
		e.Start -= max(0, e.Latency)
	}
	e.Client = f["client"]
	e.setMoved(size, received, sent)
	e.setRange(f["range"])
	return nil
}

// scaled parses a decimal number of units, and returns nanoseconds.
func scaled(b []byte, unit int64) (int64, bool) {
	switch unit {
	case 1:
		return decimal(b, 0)
	case second / 1_000_000:
		return decimal(b, 3)
	case second / 1000:
		return decimal(b, 6)
	}
	return decimal(b, 9)
}

// request sets kind, bucket and key; it returns false if the record is not an operation.
func (p *columnParser) request(e *event, out *events) bool {
	f := p.fields
	e.Bucket = f["bucket"]
	if line := f["request"]; line != nil {
		return e.setRequest(line, out)
	}
	var query []byte
	if uri := f["uri"]; uri != nil {
		var bucket []byte
		if bucket, e.Key, query = out.pathOf(uri); e.Bucket == nil {
			if e.Bucket = bucket; isService(bucket, e.Key) && f["key"] == nil {
				return false
			}
		}
	}
	if key := f["key"]; key != nil {
		e.Key = key
	}
	if method := f["method"]; method != nil {
		var ok bool
		e.Kind, ok = methodKind(string(method), e.Key, query)
		e.setQuery(query, out)
		return ok
	}
	known := p.operation(e, string(f["op"]))
	e.setQuery(query, out)
	return known
}

// operation sets the kind by the name of the operation.
func (*columnParser) operation(e *event, name string) bool {
	for _, known := range []map[string]op.Kind{apiKinds, s3Operations, cacheKinds} {
		if kind, ok := known[name]; ok {
			e.Kind = kind
			return true
		}
	}
	name = strings.ToUpper(name)
	for _, kind := range trace.Kinds {
		if name == string(kind) {
			e.Kind = kind
			return true
		}
	}
	e.Kind = op.Stat
	return name == "HEAD"
}

// findSeparator finds the separator from a line of values: the first with enough columns, and with a time in the column of times. It
// returns false if there is none; the next line decides then.
func (p *columnParser) findSeparator(line []byte) bool {
	highest := 0
	for at := range p.places {
		highest = max(highest, at+1)
	}
	for _, p.sep = range separators {
		if p.count(line) < highest {
			continue
		}
		p.split(line)
		stamp := p.fields["time"]
		if stamp == nil {
			stamp = p.fields["end"]
		}
		if _, _, ok := anyTime(stamp); ok {
			return true
		}
	}
	p.sep = spaces
	if bytes.IndexByte(line, '\t') >= 0 {
		p.sep = '\t'
	}
	return false
}

// count returns the number of columns.
func (p *columnParser) count(line []byte) (n int) {
	for rest := line; rest != nil; n++ {
		_, rest = p.cut(rest)
	}
	return n
}
