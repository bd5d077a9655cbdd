package load

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Shape is a level over time: operations per second, or threads. It is plain data, with a text form:
//
//	100                        always
//	100..1000/5m               a ramp that takes 5 minutes; then 1000
//	100/1m,200/4m,400..800/5m  one stage after the other; the last level stays
//	100,200@1m,400..800@5m/5m  the same, by the times at which stages begin
//	repeat(100/9s,0/1s)        stages that repeat
//	burst(200,5s)              200 operations at once every 5 seconds
//	sine(100,500,24h)          up from 100 to 500 and down again, every 24 hours
//
// The zero value is no shape.
type Shape struct {
	stages []stage // one after the other
	repeat bool    // after the last stage the first one begins again
	burst  uint64  // instead of stages: this number of operations at once, every period
	period time.Duration
	text   string // text form of a shape whose stages follow from a formula
}

// stage is a part of a shape: the level goes from one value to another.
type stage struct {
	from, to float64
	length   time.Duration // 0, in the last stage only: without end
}

// Limits of a shape, which may come over the network.
const (
	maxStages = 10_000
	maxLength = 10 * 365 * 24 * time.Hour
	maxBurst  = 1e9
	maxText   = 64 * maxStages
)

// wantShape is how a shape is written, in errors.
const wantShape = "a level as in 100, a ramp as in 100..1000/5m, stages as in 100,200@1m,400..800@5m/5m, " +
	"repeat(100/9s,0/1s), burst(200,5s) or sine(100,500,24h)"

// Constant returns the shape of a level that stays.
func Constant(level float64) Shape { return Shape{stages: []stage{{from: level, to: level}}} }

// Steady returns the level of a shape that has only one; ok is false for others.
func (s Shape) Steady() (level float64, ok bool) {
	if len(s.stages) != 1 || s.repeat || s.stages[0].from != s.stages[0].to || s.stages[0].length != 0 {
		return 0, false
	}
	return s.stages[0].to, true
}

// ParseShape returns the shape of a text.
func ParseShape(text string) (Shape, error) {
	if len(text) > maxText {
		return Shape{}, fmt.Errorf("%d characters (want at most %d)", len(text), maxText)
	}
	name, args, isFunc := function(text)
	switch {
	case !isFunc:
		return shapeOf(parseStages(text))
	case name == "repeat":
		s, err := parseStages(args)
		s.repeat = true
		return shapeOf(s, err)
	case name == "burst":
		return shapeOf(parseBurst(args))
	case name == "sine":
		return shapeOf(parseSine(args))
	}
	return Shape{}, fmt.Errorf("unknown shape %q (want %s)", name, wantShape)
}

// shapeOf checks what was parsed.
func shapeOf(s Shape, err error) (Shape, error) {
	if err == nil {
		err = s.validate()
	}
	if err != nil {
		return Shape{}, err
	}
	return s, nil
}

// function splits a text of the form name(arguments).
func function(text string) (name, args string, ok bool) {
	text = strings.TrimSpace(text)
	name, args, ok = strings.Cut(text, "(")
	if !ok || !strings.HasSuffix(args, ")") {
		return "", "", false
	}
	return strings.TrimSpace(name), args[:len(args)-1], true
}

func parseBurst(args string) (s Shape, err error) {
	size, every, _ := strings.Cut(args, ",")
	n, err := parseLevel(size)
	if err != nil {
		return s, err
	}
	if s.period, err = parseLength(every); err != nil {
		return s, err
	}
	if n < 1 || n > maxBurst || n != math.Trunc(n) {
		return s, fmt.Errorf("burst of %q (want a whole number from 1 to %.0e)", size, maxBurst)
	}
	s.burst = uint64(n)
	return s, nil
}

// sineStages is the number of straight stages of a sine wave: they are within 0.3% of its range.
const sineStages = 48

// parseSine parses the lowest and the highest level of a sine wave, and its period. It begins at the lowest.
func parseSine(args string) (s Shape, err error) {
	parts := strings.Split(args, ",")
	if len(parts) != 3 {
		return s, fmt.Errorf("sine of %q (want the lowest level, the highest and a period, as in sine(100,500,24h))", args)
	}
	low, err := parseLevel(parts[0])
	if err != nil {
		return s, err
	}
	high, err := parseLevel(parts[1])
	if err != nil {
		return s, err
	}
	period, err := parseLength(parts[2])
	switch {
	case err != nil:
		return s, err
	case !(high > low):
		return s, fmt.Errorf("sine of %q (want the lowest level first, and a higher one)", args)
	case period < time.Second:
		return s, fmt.Errorf("sine of %q (want a period of at least 1s)", args)
	}
	at := func(i int) float64 {
		return low + (high-low)*(1-math.Cos(2*math.Pi*float64(i)/sineStages))/2
	}
	for i := range sineStages {
		s.stages = append(s.stages, stage{at(i), at(i + 1), period*time.Duration(i+1)/sineStages - period*time.Duration(i)/sineStages})
	}
	s.repeat, s.text = true, fmt.Sprintf("sine(%s,%s,%s)", number(low), number(high), shortest(period))
	return s, nil
}

// parseStages parses stages of the form LEVEL[..LEVEL][@START][/LENGTH].
func parseStages(text string) (s Shape, err error) {
	var end time.Duration // of the stages so far
	open := false         // the last of them has no length yet
	for part := range strings.SplitSeq(text, ",") {
		st, start, err := parseStage(part)
		if err != nil {
			return s, err
		}
		switch {
		case start < 0 && open:
			return s, fmt.Errorf("stage %q: the one before it has no end (want its length, as in 100/1m, or a start, as in 200@1m)", part)
		case start >= 0 && start < end, start >= 0 && open && start == end:
			return s, fmt.Errorf("stage %q begins before the one before it ends", part)
		case open:
			s.stages[len(s.stages)-1].length = start - end
		case start > end: // the level stays in between; before the first stage it is 0
			level := 0.0
			if n := len(s.stages); n > 0 {
				level = s.stages[n-1].to
			}
			s.stages = append(s.stages, stage{level, level, start - end})
		}
		end = max(start, end) + st.length
		open = st.length == 0
		s.stages = append(s.stages, st)
	}
	return s, nil
}

// parseStage parses a stage; start is negative if it does not say when it begins.
func parseStage(text string) (st stage, start time.Duration, err error) {
	levels, rest := text, ""
	if i := strings.IndexAny(text, "@/"); i >= 0 {
		levels, rest = text[:i], text[i:]
	}
	if after, ok := strings.CutPrefix(rest, "/s"); ok { // 500/s is 500
		rest = after
	}
	from, to, ramp := strings.Cut(levels, "..")
	if st.from, err = parseLevel(from); err != nil {
		return st, 0, err
	}
	if st.to = st.from; ramp {
		if st.to, err = parseLevel(to); err != nil {
			return st, 0, err
		}
	}
	at, length, hasLength := strings.Cut(rest, "/")
	start = -1
	if after, ok := strings.CutPrefix(at, "@"); ok {
		if start, err = parseStart(after); err != nil {
			return st, 0, err
		}
	} else if at != "" {
		return st, 0, fmt.Errorf("invalid unit %q (want /s, as in 100/s)", "/s"+at)
	}
	if hasLength {
		st.length, err = parseLength(length)
	} else if ramp {
		err = fmt.Errorf("ramp %q has no length (want one as in %s/5m)", text, text)
	}
	return st, start, err
}

// parseLevel parses a number, which may end in k or M.
func parseLevel(text string) (float64, error) {
	number, unit := strings.TrimSpace(text), 1.0
	if n, ok := strings.CutSuffix(number, "k"); ok {
		number, unit = n, 1e3
	} else if n, ok := strings.CutSuffix(number, "M"); ok {
		number, unit = n, 1e6
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, fmt.Errorf("invalid level %q (want %s)", text, wantShape)
	}
	return f * unit, nil
}

func parseStart(text string) (time.Duration, error) {
	d, err := time.ParseDuration(strings.TrimSpace(text))
	if err != nil || d < 0 || d > maxLength {
		return 0, fmt.Errorf("invalid start %q (want a time from the beginning, as in 90s)", text)
	}
	return d, nil
}

func parseLength(text string) (time.Duration, error) {
	d, err := time.ParseDuration(strings.TrimSpace(text))
	if err != nil || d <= 0 || d > maxLength {
		return 0, fmt.Errorf("invalid length %q (want one as in 90s, at most ten years)", text)
	}
	return d, nil
}

// validate checks what the text alone does not: levels, lengths, and that there is a load at all.
func (s Shape) validate() error {
	if s.burst > 0 {
		return nil
	}
	if len(s.stages) > maxStages {
		return fmt.Errorf("%d stages (want at most %d)", len(s.stages), maxStages)
	}
	highest, length := 0.0, time.Duration(0)
	for _, st := range s.stages {
		for _, level := range []float64{st.from, st.to} {
			if !(level >= 0 && level <= maxRate) { // also rejects NaN
				return fmt.Errorf("invalid level %v (want 0 to %.0e)", level, maxRate)
			}
			highest = max(highest, level)
		}
		if length += st.length; length > maxLength {
			return errors.New("longer than ten years")
		}
	}
	if highest == 0 {
		return errors.New("its level is always 0 (want more)")
	}
	if s.repeat && s.stages[len(s.stages)-1].length == 0 {
		return errors.New("the last stage repeated has no length (want one, as in 0/1s)")
	}
	return nil
}

// Bursts reports whether the shape is one of bursts.
func (s Shape) Bursts() bool { return s.burst > 0 }

// IsZero reports whether there is no shape.
func (s Shape) IsZero() bool { return len(s.stages) == 0 && s.burst == 0 }

// String returns the text form.
func (s Shape) String() string {
	if s.text != "" {
		return s.text
	}
	if s.burst > 0 {
		return fmt.Sprintf("burst(%d,%s)", s.burst, shortest(s.period))
	}
	var b strings.Builder
	for i, st := range s.stages {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(number(st.from))
		if st.to != st.from {
			b.WriteString(".." + number(st.to))
		}
		if st.length > 0 {
			b.WriteString("/" + shortest(st.length))
		}
	}
	if s.repeat {
		return "repeat(" + b.String() + ")"
	}
	return b.String()
}

// number returns a level without an exponent where it is short.
func number(f float64) string {
	if f == 0 || f >= 1e-3 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// shortest returns a duration as people write it: 5m, not 5m0s.
func shortest(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// MarshalText returns the text form.
func (s Shape) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses the text form.
func (s *Shape) UnmarshalText(text []byte) (err error) {
	*s, err = ParseShape(string(text))
	return err
}
