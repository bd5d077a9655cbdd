package report

import (
	"math"
	"time"

	"warp/pkg/units"
)

func millis(v float64) string { return units.Duration(time.Duration(v * 1e6)) }

func percent(v float64) string { return units.Digits(100*v) + "%" }

func inSeconds(v float64) time.Duration { return time.Duration(v * float64(time.Second)) }

// ran formats how long operations went on; from ten seconds, in whole seconds.
func ran(d time.Duration) string {
	if d >= 10*time.Second {
		d = d.Round(time.Second)
	}
	return units.Span(d)
}

// perSec formats a figure per second, with its unit.
func perSec(v float64, unit string) string { return units.PerSecond(v) + " " + unit + "/s" }

func duration(ns int64) string { return units.Duration(time.Duration(ns)) }

// nanoseconds formats a computed figure, which may be a fraction of nanoseconds.
func nanoseconds(ns float64) string { return duration(int64(math.Round(units.Finite(ns)))) }
