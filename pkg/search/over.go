package search

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"warp/internal/option"
	"warp/pkg/units"
)

// Over is a flag that a sweep varies, and its values.
type Over struct {
	Name   string
	Values []Value
}

// Value is a value of a flag, as text and as a number (bytes, for sizes).
type Value struct {
	Text   string  `json:"text"`
	Number float64 `json:"number"`
}

const (
	maxValues = 1000
	wantOver  = "values as in threads=1,2,4..256, rate=100,200..1000 or obj.size=4KiB..64MiB"
)

// parseOver parses the values of a sweep. "a,b..z" goes on from a and b in equal steps or equal factors, whichever reaches z; one value
// alone is doubled. The last value is always z.
func parseOver(text string) (Over, error) {
	name, list, ok := strings.Cut(text, "=")
	o := Over{Name: strings.TrimPrefix(strings.TrimSpace(name), "--")}
	if !ok || o.Name == "" {
		return o, option.Invalid("over", text, wantOver)
	}
	var err error
	for part := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(part, "..")
		if o.Values, err = appendValue(o.Values, from); err == nil && isRange {
			o.Values, err = continued(o.Values, to)
		}
		if err != nil {
			return o, option.Errorf("over", "%q: %w", units.Truncate(text, 100), err)
		}
	}
	return o, nil
}

// appendValue parses a value and appends it.
func appendValue(list []Value, text string) ([]Value, error) {
	text = strings.TrimSpace(text)
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		size, sizeErr := units.ParseSize(text)
		n, err = float64(size), sizeErr
	}
	if err != nil || !(n >= 0) || math.IsInf(n, 0) {
		return nil, fmt.Errorf("invalid value %q (want %s)", units.Truncate(text, 40), wantOver)
	}
	for _, v := range list {
		if v.Number == n {
			return nil, fmt.Errorf("%s is there twice", units.Truncate(text, 40))
		}
	}
	if len(list) == maxValues {
		return nil, fmt.Errorf("more than %d values", maxValues)
	}
	return append(list, Value{text, n}), nil
}

// continued appends what follows the values up to an end, and the end.
func continued(list []Value, text string) ([]Value, error) {
	end, err := appendValue(nil, text)
	if err != nil {
		return nil, err
	}
	last, z := list[len(list)-1], end[0]
	if z.Number <= last.Number {
		return nil, fmt.Errorf("%s..%s does not rise", last.Text, z.Text)
	}
	step, factor := progression(list, z.Number)
	for at := last.Number; ; {
		if at = at*factor + step; at >= z.Number*(1-1e-9) {
			return appendValue(list, z.Text)
		}
		at = math.Round(at*1e6) / 1e6
		if list, err = appendValue(list, formatLike(at, last.Text)); err != nil {
			return nil, err
		}
	}
}

// formatLike formats a value like another: as a number, or as a size in decimal or binary units.
func formatLike(v float64, like string) string {
	if _, err := strconv.ParseFloat(like, 64); err == nil { // its E is no unit
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	like = strings.ToUpper(like)
	if unit := strings.IndexAny(like, "KMGTPE"); unit >= 0 && !strings.Contains(like, "I") {
		power := math.Pow(1000, float64(strings.IndexByte(" KMGTPE", like[unit])))
		return strconv.FormatFloat(v/power, 'f', -1, 64) + like[unit:unit+1] + "B"
	}
	if strings.HasSuffix(like, "B") || strings.Contains(like, "I") {
		return units.ExactSize(int64(v))
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// progression returns how values rise: each is the one before it times factor, plus step.
func progression(list []Value, end float64) (step, factor float64) {
	n := len(list)
	if n == 1 || list[n-2].Number == 0 && n == 2 {
		if n == 2 {
			return list[1].Number, 1
		}
		return doubled(list[0].Number)
	}
	a, b := list[n-2].Number, list[n-1].Number
	if b <= a {
		return doubled(b)
	}
	ratio, difference := b/a, b-a
	if n > 2 && list[n-3].Number > 0 {
		before := list[n-3].Number
		switch {
		case near(a/before, ratio):
			return 0, ratio
		case near(a-before, difference):
			return difference, 1
		}
	}
	if factors := math.Log(end/b) / math.Log(ratio); near(factors, math.Round(factors)) {
		return 0, ratio
	}
	return difference, 1
}

// doubled returns the progression from a single value.
func doubled(v float64) (step, factor float64) {
	if v == 0 {
		return 1, 2
	}
	return 0, 2
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }
