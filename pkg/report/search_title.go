package report

import (
	"fmt"
	"math"
	"strings"

	"warp/pkg/search"
	"warp/pkg/units"
)

// searchTitle names a search, which may be one of several in a run, and its objectives.
func searchTitle(stream string, objectives []string) string {
	name := "Search"
	if stream != "" {
		name += " " + stream
	}
	return fmt.Sprintf("%s: the highest load with %s", name, strings.Join(objectives, " and "))
}

// Load writes a load of the kind that a search varied.
func Load(c search.Control, v float64) string {
	if c == search.Threads {
		if whole := math.Trunc(v); whole == v {
			return units.Plural(int64(v), "thread")
		}
		return units.Digits(v) + " threads" // estimates lie between them
	}
	return units.PerSecond(v) + " op/s"
}
