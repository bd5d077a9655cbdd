package report

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"
)

// missing stands in a table for an unknown figure.
const missing = "-"

// columnGap separates columns where there is room.
const columnGap = "  "

// columnWidths returns the width of the widest cell of each column.
func columnWidths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// rowWidth returns the maximum length of lines with such columns and gaps.
func rowWidth(widths []int, gap string) int {
	width := len(gap) * (len(widths) - 1)
	for _, w := range widths {
		width += w
	}
	return width
}

// alignRow returns a row in columns: words left-aligned, figures right-aligned.
func alignRow(cells []string, widths []int, gap string, words func(column int) bool) string {
	var line strings.Builder
	for i, cell := range cells {
		if i > 0 {
			line.WriteString(gap)
		}
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if words(i) {
			line.WriteString(cell + pad)
		} else {
			line.WriteString(pad + cell)
		}
	}
	return strings.TrimRight(line.String(), " ")
}

// fitColumns makes rows fit into a width (0: any) and returns the gap between columns: first the gap shrinks, then columns are dropped, by
// their heads and in this order.
func fitColumns(rows [][]string, width int, drop ...string) (gap string) {
	fits := func(gap string) bool { return width == 0 || rowWidth(columnWidths(rows), gap) <= width }
	if fits(columnGap) {
		return columnGap
	}
	for _, head := range drop {
		if fits(" ") {
			break
		}
		dropColumn(rows, head)
	}
	return " "
}

// dropColumn removes a column by its head, if it is there.
func dropColumn(rows [][]string, head string) {
	k := slices.Index(rows[0], head)
	if k < 0 {
		return
	}
	for i := range rows {
		rows[i] = slices.Concat(rows[i][:k], rows[i][k+1:])
	}
}

// dropEmpty removes columns without values, by their heads.
func dropEmpty(rows [][]string, heads ...string) {
	for _, head := range heads {
		k := slices.Index(rows[0], head)
		if k >= 0 && !slices.ContainsFunc(rows[1:], func(row []string) bool { return row[k] != missing && row[k] != "" }) {
			dropColumn(rows, head)
		}
	}
}

// table prints rows in columns below their heads; see fitColumns.
func (p *printer) table(rows [][]string, words func(column int) bool, drop ...string) {
	p.paintedTable(rows, make([]*color.Color, len(rows)), words, drop...)
}

// paintedTable is table with a colour for each row below the heads.
func (p *printer) paintedTable(rows [][]string, colors []*color.Color, words func(column int) bool, drop ...string) {
	colors[0] = p.title
	gap := fitColumns(rows, p.width, drop...)
	widths := columnWidths(rows)
	for i, row := range rows {
		p.emit(colors[i], alignRow(row, widths, gap, words))
	}
}

// firstColumn reports whether a column is the first, the only one with words in most tables.
func firstColumn(column int) bool { return column == 0 }

// alignRows aligns rows of figures, each with a name first.
func alignRows(rows [][]string) (lines []string) {
	widths := columnWidths(rows)
	for _, row := range rows {
		lines = append(lines, alignRow(row, widths, columnGap, firstColumn))
	}
	return lines
}
