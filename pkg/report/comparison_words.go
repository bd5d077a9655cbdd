package report

import (
	"math"
	"strconv"

	"warp/pkg/compare"
	"warp/pkg/units"
)

// unclaimed follows every figure that is not shown to be more than chance.
const notSignificant = " ~"

// severalSegments reports whether runs have more than one segment; otherwise it is the fastest, median and slowest in
// one.
func severalSegments(k *compare.Kind) bool {
	return k.Before.Segments > k.Before.Runs && k.After.Segments > k.After.Runs
}

// enough reports whether there is a change between figures with enough samples.
func enough(c *compare.Change) bool { return c != nil && c.Before.Enough && c.After.Enough }

// mark follows a figure without a claim.
func mark(c *compare.Change) string {
	if c.Significant {
		return ""
	}
	return notSignificant
}

// percentChange returns the relative change: "+2.10%"; "from 0" if there is none.
func percentChange(c *compare.Change) string {
	if c.Relative == nil {
		return "from 0"
	}
	return units.Change(*c.Relative)
}

// level formats a confidence or a threshold: "95%", "99.9%".
func level(v float64) string {
	return strconv.FormatFloat(math.Round(units.Finite(v)*1e6)/1e4, 'f', -1, 64) + "%"
}
