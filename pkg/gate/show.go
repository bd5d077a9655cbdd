package gate

import (
	"math"
	"strconv"
	"time"

	"warp/pkg/compare"
)

// show writes a figure with four significant digits, in a unit that fits.
func (r Rule) show(v float64) string {
	switch r.unit() {
	case compare.Nanoseconds:
		return time.Duration(math.Round(significant(v))).String()
	case compare.BytesPerSec:
		units := []string{"B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"}
		for len(units) > 1 && math.Abs(v) >= 1024 {
			v, units = v/1024, units[1:]
		}
		return digits(v) + units[0]
	case compare.ObjectsPerSec:
		return digits(v) + "/s"
	}
	if r.Percent {
		return digits(100*v) + "%"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// showChange writes a relative change: "+12.3%".
func showChange(v float64) string {
	sign := ""
	if v >= 0 {
		sign = "+"
	}
	if math.IsInf(v, 0) {
		return "more than 0 after 0"
	}
	return sign + digits(100*v) + "%"
}

func digits(v float64) string {
	if math.Abs(v) >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(significant(v), 'f', -1, 64)
}

// significant is v with four significant digits.
func significant(v float64) float64 {
	if v == 0 {
		return 0
	}
	text := strconv.FormatFloat(v, 'e', 3, 64)
	rounded, _ := strconv.ParseFloat(text, 64) // it was just written
	return rounded
}
