package formats

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/option"
)

// Columns maps the fields of a log to their places: a path in JSON objects, or the number or the name of a column.
type Columns map[string]string

// columnNames are the fields that a log can have.
var columnNames = []string{
	"time", "end", "request", "method", "op", "uri", "bucket", "key", "client", "status", "size", "sent", "received", "range", "latency",
}

// ParseColumns parses "time=ts,uri=request.path,latency=took:ms".
func ParseColumns(text string) (Columns, error) {
	c := Columns{}
	for part := range strings.SplitSeq(text, ",") {
		name, path, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok || path == "" {
			return nil, fmt.Errorf("invalid column %q (want NAME=PATH, as in time=msec)", part)
		}
		if !slices.Contains(columnNames, name) {
			return nil, fmt.Errorf("unknown column %q (want %s)", name, option.List(columnNames...))
		}
		c[name] = path
	}
	has := func(name string) bool { return c[name] != "" }
	switch {
	case has("time") == has("end"):
		return nil, errors.New("want time or end, which is when requests began or ended")
	case has("end") && !has("latency"):
		return nil, errors.New("with end, latency is needed too")
	case !has("request") && !has("uri") && !has("key"):
		return nil, errors.New("no column says what requests were about (want request, uri or key)")
	case !has("request") && !has("method") && !has("op"):
		return nil, errors.New("no column says what requests did (want request, method or op)")
	}
	if _, unit, has := strings.Cut(c["latency"], ":"); has && latencyUnits[unit] == 0 {
		return nil, fmt.Errorf("invalid unit %q of latency (want s, ms, us or ns)", unit)
	}
	return c, nil
}

// latencyUnits are the units of the column latency, in nanoseconds.
var latencyUnits = map[string]int64{"s": second, "ms": second / 1000, "us": second / 1_000_000, "ns": 1}
