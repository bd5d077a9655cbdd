package osb

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"warp/pkg/bench"
	"warp/pkg/script/convert/draft"
)

var (
	constantKeys = regexp.MustCompile(`^` + regexp.QuoteMeta(ConstantPrefix) + `/.*/\{sha256\}/object-.*$`)
	randomKeys   = regexp.MustCompile(`^/[^/]*/.*/\{sha256\}/object$`)
)

// Seed returns the seed in a name of a strategy.
func Seed(naming, key string) string {
	if naming == namingConstant {
		return key[strings.LastIndex(key, "/object-")+len("/object-"):]
	}
	seed, _, _ := strings.Cut(strings.TrimPrefix(key, "/"), "/")
	return seed
}

// The strategies of names.
const (
	namingConstant = "CONSTANT PREFIX"
	namingRandom   = "RANDOM PREFIX"
)

// Naming returns the strategy of names that a template of keys makes; empty for others.
func Naming(keys string) string {
	if constantKeys.MatchString(keys) {
		return namingConstant
	}
	if randomKeys.MatchString(keys) {
		return namingRandom
	}
	return ""
}

// Statement returns a stream as a statement of object-store-bench; empty if that has none for it.
func Statement(s *bench.Stream, access string, ranges bool, size int64) string {
	verb, ok := map[string]string{"put": "PUT", "get": "GET", "delete": "DELETE"}[s.Workload]
	if !ok || len(s.Tasks) > 0 || ranges || s.Passes > 0 && verb != "DELETE" {
		return ""
	}
	clauses := []string{verb}
	add := func(format string, args ...any) { clauses = append(clauses, fmt.Sprintf(format, args...)) }
	var first, last uint64
	if n, _ := fmt.Sscanf(access, "range(%d..%d)", &first, &last); n == 2 {
		add("%d OBJECTS", last-first+1)
	} else if verb == "PUT" && s.Ops > 0 {
		add("%d OBJECTS", s.Ops)
	}
	limit, ok := rateText(s, add)
	if !ok {
		return ""
	}
	if s.Concurrency < limit {
		add("MAX %d CONCURRENT", s.Concurrency)
	}
	if s.Duration > 0 {
		add("RUNTIME %s", durationText(s.Duration))
	}
	if s.Set != "" && s.Set != "default" {
		add("IN CONTEXT %q", s.Set)
	}
	if verb == "PUT" && size > 0 {
		add("OF SIZE %s", sizeText(size))
	}
	return strings.Join(clauses, " ")
}

// rateText adds the rate of a stream, and returns how many operations at a time are no limit to it. ok is false if its load has
// another form.
func rateText(s *bench.Stream, add func(format string, args ...any)) (limit int, ok bool) {
	rate := s.Rate
	if level, steady := s.Schedule.Steady(); steady {
		rate = level
	} else if text := s.Schedule.String(); text != "" {
		var warmup time.Duration
		if rate, warmup, ok = parseWarmup(text); !ok {
			return 0, false
		}
		add("AT RATE %s PER SECOND WARMUP %s", draft.Decimal(rate), durationText(warmup))
		return Unlimited(rate), true
	}
	switch {
	case rate > 0:
		add("AT RATE %s PER SECOND", draft.Decimal(rate))
		return Unlimited(rate), true
	case s.Ops > 0:
		return int(min(s.Ops, MaxThreads)), true
	}
	return math.MaxInt, true
}

// parseWarmup returns the rate and the warm-up of a schedule that Rate made.
func parseWarmup(text string) (rate float64, warmup time.Duration, ok bool) {
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
	for i, v := range Rate(rate, warmup, &head) {
		if i >= len(stages) || v.Text != stages[i] {
			return 0, 0, false
		}
	}
	return rate, warmup, true
}

// durationText returns a duration as a clause has it.
func durationText(d time.Duration) string {
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

// sizeText returns a size as a clause has it.
func sizeText(n int64) string {
	unit := "BYTES"
	for _, larger := range []string{"KB", "MB", "GB"} {
		if n%1024 != 0 {
			break
		}
		n, unit = n/1024, larger
	}
	return fmt.Sprintf("%d %s", n, unit)
}
