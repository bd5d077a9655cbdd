package report

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// missing stands in a table for an unknown figure.
const missing = "-"

// columnGap separates columns.
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

// rowWidth returns the maximum length of lines with such columns.
func rowWidth(widths []int) int {
	width := len(columnGap) * (len(widths) - 1)
	for _, w := range widths {
		width += w
	}
	return width
}

// alignRow returns a row in columns: words left-aligned, figures right-aligned.
func alignRow(cells []string, widths []int, words func(column int) bool) string {
	var line strings.Builder
	for i, cell := range cells {
		if i > 0 {
			line.WriteString(columnGap)
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

// dropColumns removes columns, by their heads and in this order, until the rows fit into a width; 0: any.
func dropColumns(rows [][]string, width int, heads ...string) {
	for _, head := range heads {
		if width == 0 || rowWidth(columnWidths(rows)) <= width {
			return
		}
		k := slices.Index(rows[0], head)
		for i := range rows {
			rows[i] = slices.Concat(rows[i][:k], rows[i][k+1:])
		}
	}
}

// table prints rows in columns below their heads.
func (p *printer) table(rows [][]string, words func(column int) bool) {
	widths := columnWidths(rows)
	for i, row := range rows {
		color := p.title
		if i > 0 {
			color = nil
		}
		p.emit(color, alignRow(row, widths, words))
	}
}

// firstColumn reports whether a column is the first, the only one with words in most tables.
func firstColumn(column int) bool { return column == 0 }

// alignRows aligns rows of figures, each with a name first.
func alignRows(rows [][]string) (lines []string) {
	widths := columnWidths(rows)
	for _, row := range rows {
		lines = append(lines, alignRow(row, widths, firstColumn))
	}
	return lines
}

// dropColumn removes a column by its head.
func dropColumn(rows [][]string, head string) { dropColumns(rows, 1, head) }
