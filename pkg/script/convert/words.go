package convert

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"warp/pkg/bench"
	"warp/pkg/units"
)

// Words is a stream in the words of the tools that it may have been converted from, for reports in their formats. What a stream does
// not say is 0 or empty.
type Words struct {
	Statement string // of object-store-bench
	Naming    string // the strategy of its names, of an upload
	Seed      string // of these names
	Prefix    string // of the keys of s3bench, or of any
	Batch     int    // objects of s3bench whose keys have a directory in common
	Ranges    bool   // of objects are read
	Objects   uint64 // of the data set, as far as the stream says
	Size      int64  // of each of them, in bytes
	PartSize  int64  // of transfers in parts, in bytes
}

// streamParams is what Words needs of the parameters of a workload.
type streamParams struct {
	Objects   uint64          `json:"objects"`
	Access    string          `json:"access"`
	PartSize  json.RawMessage `json:"part_size"`
	Range     bool            `json:"range"`
	RangeSize json.RawMessage `json:"range_size"`
	List      json.RawMessage `json:"ranges"`
}

// WordsOf returns a stream of a plan in the words of other tools.
func WordsOf(p *bench.Plan, s *bench.Stream) Words {
	var params streamParams
	_ = json.Unmarshal(s.Params, &params) // of a later version: nothing is known
	spec := p.Data
	if s.Set != "" {
		spec = p.Sets[s.Set]
	}
	w := Words{
		Objects:  params.Objects,
		Ranges:   params.Range || sizeOf(params.RangeSize) > 0 || len(params.List) > len(`""`),
		PartSize: sizeOf(params.PartSize),
	}
	switch s.Workload {
	case "put", "multipart-put":
		w.Objects = max(w.Objects, s.Ops)
	}
	w.Prefix, w.Batch = s3benchKeys(spec.Keys)
	if w.Prefix == "" && spec.Keys == "" {
		w.Prefix = spec.Prefix
	}
	if size, fixed := spec.Sizes.Fixed(); fixed {
		w.Size = size
	}
	w.Statement = osbText(s, &params, w.Size)
	if s.Workload == "put" {
		w.Naming, w.Seed = osbNaming(spec.Keys)
	}
	return w
}

// sizeOf returns a size as workloads write it, in bytes or with a unit.
func sizeOf(text json.RawMessage) int64 {
	n, err := units.ParseSize(strings.Trim(string(text), `"`))
	if err != nil {
		return 0
	}
	return n
}

var s3benchTemplate = regexp.MustCompile(`^(.*)/\{i/([0-9]+)\}/\{i%([0-9]+)\}$`)

// s3benchKeys returns the prefix of a template of keys, and how many keys have a directory in common. In a template of another form the
// prefix is what precedes its first part.
func s3benchKeys(keys string) (prefix string, batch int) {
	prefix = keys
	if m := s3benchTemplate.FindStringSubmatch(keys); m != nil && m[2] == m[3] {
		prefix = m[1]
		batch, _ = strconv.Atoi(m[2])
	} else if i := strings.IndexByte(strings.ReplaceAll(keys, "{{", "  "), '{'); i >= 0 {
		prefix = keys[:i]
	}
	return strings.NewReplacer("{{", "{", "}}", "}").Replace(prefix), batch
}

var (
	osbConstantKeys = regexp.MustCompile(`^` + regexp.QuoteMeta(osbConstant) + `/.*/\{sha256\}/object-(.*)$`)
	osbRandomKeys   = regexp.MustCompile(`^/([^/]*)/.*/\{sha256\}/object$`)
)

// osbNaming returns the strategy and the seed of names that osbKeys made; empty for others.
func osbNaming(keys string) (naming, seed string) {
	if m := osbConstantKeys.FindStringSubmatch(keys); m != nil {
		return "CONSTANT PREFIX", m[1]
	}
	if m := osbRandomKeys.FindStringSubmatch(keys); m != nil {
		return "RANDOM PREFIX", m[1]
	}
	return "", ""
}

// osbText returns a stream as a statement of object-store-bench; empty if that has none for it.
func osbText(s *bench.Stream, params *streamParams, size int64) string {
	verb, ok := map[string]string{"put": "PUT", "get": "GET", "delete": "DELETE"}[s.Workload]
	if !ok || len(s.Tasks) > 0 || params.Range || s.Passes > 0 && verb != "DELETE" {
		return ""
	}
	clauses := []string{verb}
	add := func(format string, args ...any) { clauses = append(clauses, fmt.Sprintf(format, args...)) }
	var first, last uint64
	if n, _ := fmt.Sscanf(params.Access, "range(%d..%d)", &first, &last); n == 2 {
		add("%d OBJECTS", last-first+1)
	} else if verb == "PUT" && s.Ops > 0 {
		add("%d OBJECTS", s.Ops)
	}
	limit, ok := osbRateText(s, add)
	if !ok {
		return ""
	}
	if s.Concurrency < limit {
		add("MAX %d CONCURRENT", s.Concurrency)
	}
	if s.Duration > 0 {
		add("RUNTIME %s", osbDuration(s.Duration))
	}
	if s.Set != "" && s.Set != "default" {
		add("IN CONTEXT %q", s.Set)
	}
	if verb == "PUT" && size > 0 {
		add("OF SIZE %s", osbSizeText(size))
	}
	return strings.Join(clauses, " ")
}

// osbRateText adds the rate of a stream, and returns how many operations at a time are no limit to it. ok is false if its load has
// another form.
func osbRateText(s *bench.Stream, add func(format string, args ...any)) (limit int, ok bool) {
	rate := s.Rate
	if level, steady := s.Schedule.Steady(); steady {
		rate = level
	} else if text := s.Schedule.String(); text != "" {
		var warmup time.Duration
		if rate, warmup, ok = osbWarmup(text); !ok {
			return 0, false
		}
		add("AT RATE %s PER SECOND WARMUP %s", Decimal(rate), osbDuration(warmup))
		return osbUnlimited(rate), true
	}
	switch {
	case rate > 0:
		add("AT RATE %s PER SECOND", Decimal(rate))
		return osbUnlimited(rate), true
	case s.Ops > 0:
		return int(min(s.Ops, osbThreads)), true
	}
	return math.MaxInt, true
}

// osbWarmup returns the rate and the warm-up of a schedule that osbRate made.
func osbWarmup(text string) (rate float64, warmup time.Duration, ok bool) {
	stages := strings.Split(text, ",")
	rate, err := strconv.ParseFloat(stages[len(stages)-1], 64)
	if err != nil {
		return 0, 0, false
	}
	for _, stage := range stages[:len(stages)-1] {
		_, length, _ := strings.Cut(stage, "/")
		d, err := time.ParseDuration(length)
		if err != nil {
			return 0, 0, false
		}
		warmup += d
	}
	var head string
	for i, v := range osbRate(rate, warmup, &head) {
		if i >= len(stages) || v.Text != stages[i] {
			return 0, 0, false
		}
	}
	return rate, warmup, true
}

// osbDuration returns a duration as a clause has it.
func osbDuration(d time.Duration) string {
	for _, unit := range []struct {
		name   string
		length time.Duration
	}{{"HOUR", time.Hour}, {"MINUTE", time.Minute}, {"SECOND", time.Second}} {
		n := d / unit.length
		switch {
		case n == 0 || d%unit.length != 0:
		case n == 1:
			return "1 " + unit.name
		default:
			return fmt.Sprintf("%d %sS", n, unit.name)
		}
	}
	return fmt.Sprintf("%d MS", d.Milliseconds())
}

// osbSizeText returns a size as a clause has it.
func osbSizeText(n int64) string {
	unit := "BYTES"
	for _, larger := range []string{"KB", "MB", "GB"} {
		if n%1024 != 0 {
			break
		}
		n, unit = n/1024, larger
	}
	return fmt.Sprintf("%d %s", n, unit)
}
