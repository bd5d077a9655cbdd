package responder

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxRecords is how many bytes of records a message holds at most.
const maxRecords = 64 << 10

// query responds with the rows of an object of CSV that a query selects, as a stream of events.
func (x about) query() {
	text, err := io.ReadAll(x.R.Body)
	if err != nil || !x.ready() {
		return // the client hung up, or has its response
	}
	var request struct{ Expression string }
	if err := xml.Unmarshal(text, &request); err != nil {
		x.Fail(http.StatusBadRequest, "MalformedXML")
		return
	}
	q, ok := parseQuery(request.Expression)
	if !ok {
		x.Fail(http.StatusBadRequest, "UnsupportedSqlStructure")
		return
	}
	o, found := x.object()
	if !found {
		return
	}
	if x.Fault.Misstate {
		o = object{}
	}
	x.W.Header().Set("Content-Type", "application/vnd.amazon.event-stream")
	x.Status(http.StatusOK)
	e := events{w: x.W}
	if err := q.run(o.reader(0, o.size), &e); err != nil {
		e.send(nil, ":message-type", "error", ":error-code", "CSVParsingError", ":error-message", err.Error())
		return
	}
	e.flush()
	const stats = "<Stats><BytesScanned>%d</BytesScanned><BytesProcessed>%[1]d</BytesProcessed><BytesReturned>%d</BytesReturned></Stats>"
	e.event("Stats", fmt.Appendf(nil, stats, o.size, e.returned))
	e.event("End", nil)
	x.s.kinds.of(x.Kind).sent.Add(e.returned)
}

// query is an SQL query on objects of CSV without a header.
type query struct {
	columns []int  // from 0, in the order of the result; nil: all
	where   int    // column that must have a value; -1: every row is selected
	value   string // of that column
	limit   int    // of rows; -1: none
}

var queryForm = regexp.MustCompile(`(?i)^\s*SELECT\s+(\*|(?:\w+\.)?_\d+(?:\s*,\s*(?:\w+\.)?_\d+)*)\s+FROM\s+S3Object(?:\s+\w+)??` +
	`(?:\s+WHERE\s+((?:\w+\.)?_\d+)\s*=\s*'([^']*)')?(?:\s+LIMIT\s+(\d+))?\s*$`)

// parseQuery returns the query of an expression, or false if it is not one of the few that are known.
func parseQuery(expression string) (q query, ok bool) {
	m := queryForm.FindStringSubmatch(expression)
	if m == nil {
		return q, false
	}
	q = query{where: -1, limit: -1, value: m[3]}
	if m[1] != "*" {
		for name := range strings.SplitSeq(m[1], ",") {
			q.columns = append(q.columns, columnOf(name))
		}
	}
	if m[2] != "" {
		q.where = columnOf(m[2])
	}
	if m[4] != "" {
		q.limit, _ = strconv.Atoi(m[4]) // digits
	}
	return q, !slices.Contains(append(q.columns, max(0, q.where)), -1)
}

// columnOf parses the name of a column, such as s._1. It returns -1 if the name is invalid.
func columnOf(name string) int {
	n, err := strconv.Atoi(name[strings.LastIndexByte(name, '_')+1:])
	if err != nil {
		return -1
	}
	return n - 1
}

// run sends the selected rows.
func (q query) run(r io.Reader, e *events) error {
	in := csv.NewReader(r)
	in.FieldsPerRecord, in.LazyQuotes, in.ReuseRecord = -1, true, true
	out := csv.NewWriter(e)
	for n := 0; n != q.limit; {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		field := func(i int) string {
			if i < len(row) {
				return row[i]
			}
			return ""
		}
		if q.where >= 0 && field(q.where) != q.value {
			continue
		}
		n++
		if q.columns != nil {
			selected := make([]string, len(q.columns))
			for i, c := range q.columns {
				selected[i] = field(c)
			}
			row = selected
		}
		_ = out.Write(row) // the client may be gone
	}
	out.Flush()
	return nil
}

// events sends a stream of events.
type events struct {
	w        io.Writer
	records  bytes.Buffer
	returned int64
}

// Write sends records, when there are enough.
func (e *events) Write(p []byte) (int, error) {
	e.records.Write(p)
	if e.records.Len() >= maxRecords {
		e.flush()
	}
	return len(p), nil
}

// flush sends the records so far.
func (e *events) flush() {
	if e.records.Len() > 0 {
		e.returned += int64(e.records.Len())
		e.event("Records", e.records.Bytes())
		e.records.Reset()
	}
}

func (e *events) event(kind string, payload []byte) {
	e.send(payload, ":message-type", "event", ":event-type", kind)
}

// send sends a message with headers, by name and value.
func (e *events) send(payload []byte, headers ...string) {
	const text = 7 // type of values
	var h []byte
	for pair := range slices.Chunk(headers, 2) {
		h = append(append(h, byte(len(pair[0]))), pair[0]...)
		h = append(binary.BigEndian.AppendUint16(append(h, text), uint16(len(pair[1]))), pair[1]...)
	}
	m := binary.BigEndian.AppendUint32(nil, uint32(len(h)+len(payload)+16))
	m = binary.BigEndian.AppendUint32(m, uint32(len(h)))
	m = binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m))
	m = append(append(m, h...), payload...)
	_, _ = e.w.Write(binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m))) // the client may be gone
}
