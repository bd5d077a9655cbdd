package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/pkg/units"
)

// maxRows bounds the block, so that it stays within a small screen.
const maxRows = 9

// column is a figure of each row.
type column struct {
	cells    []string
	priority int // the column with the lowest is left out first where they do not all fit
	paint    func(a ...any) string
}

// rows lays figures out in columns of the same width, so that they can be read down and do not jump. Columns that are
// empty in all rows are left out, and so are those that do not fit in width.
func rows(kinds []Kind, width int, paint palette) []string {
	if len(kinds) > maxRows {
		kinds = kinds[:maxRows]
	}
	columns := fill(kinds, paint)
	for total(columns) > width && len(columns) > 0 {
		lowest := slices.MinFunc(columns, func(a, b column) int { return cmp.Compare(a.priority, b.priority) }).priority
		columns = slices.DeleteFunc(columns, func(c column) bool { return c.priority == lowest })
	}
	if len(columns) == 0 {
		return nil
	}
	lines := make([]string, len(kinds))
	for i := range kinds {
		var line strings.Builder
		for _, c := range columns {
			line.WriteString("  " + c.paint(pad(c.cells[i], widest(c.cells))))
		}
		lines[i] = line.String()
	}
	return lines
}

// fill makes the columns that hold something.
func fill(kinds []Kind, paint palette) (columns []column) {
	plainly := func(a ...any) string { return fmt.Sprint(a...) }
	bytesPriority, objectsPriority := 5, 3
	if len(kinds) > 1 { // what all of them have, rather than what only some have
		bytesPriority, objectsPriority = 3, 5
	}
	for _, c := range []struct {
		priority int
		paint    func(a ...any) string
		cell     func(k *Kind) string
	}{
		{6, plainly, func(k *Kind) string { return Shorten(units.Line(k.Name), 12) }},
		{bytesPriority, plainly, func(k *Kind) string { return figure(k.BytesPerSec, 7, units.MiBs(k.BytesPerSec, 1), "MiB/s") }},
		{objectsPriority, plainly, func(k *Kind) string { return figure(k.ObjPerSec, 6, objects(k.ObjPerSec), "obj/s") }},
		{1, paint.faint, func(k *Kind) string { return latency("p50", k.P50) }},
		{2, paint.faint, func(k *Kind) string { return latency("p99", k.P99) }},
		{4, paint.bad, func(k *Kind) string { return errorCount(k.Errors) }},
	} {
		col := column{priority: c.priority, paint: c.paint}
		for i := range kinds {
			col.cells = append(col.cells, c.cell(&kinds[i]))
		}
		if widest(col.cells) > 0 {
			columns = append(columns, col)
		}
	}
	return columns
}

// figure is a number, aligned to the right, and its unit; empty if there is nothing to show.
func figure(v float64, width int, number, unit string) string {
	if v <= 0 {
		return ""
	}
	return fmt.Sprintf("%*s %s", width, number, unit)
}

// objects prints a rate as whole objects, unless there are few.
func objects(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return units.PerSecond(v)
}

func latency(name string, d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return fmt.Sprintf("%s %6s", name, units.Duration(d))
}

func errorCount(n int64) string {
	if n == 0 {
		return ""
	}
	return units.Plural(n, "error")
}

// elapsed is a time that goes on: tenths of a second would only be restless.
func elapsed(d time.Duration) string { return d.Truncate(time.Second).String() }

func total(columns []column) (cells int) {
	for _, c := range columns {
		cells += 2 + widest(c.cells)
	}
	return cells
}

func widest(cells []string) (w int) {
	for _, c := range cells {
		w = max(w, Cells(c))
	}
	return w
}

func pad(s string, cells int) string {
	return s + strings.Repeat(" ", max(0, cells-Cells(s)))
}
