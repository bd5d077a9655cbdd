package aggregate

// Columns joins segments to at most limit columns, for a chart without room for more. Each column is the sum of the same number of
// neighbours, the last one of the rest. If the segments are few, it returns them.
func Columns(segments []Segment, limit int) (columns []Segment, each int) {
	each = (len(segments) + limit - 1) / limit
	if each <= 1 {
		return segments, 1
	}
	columns = make([]Segment, (len(segments)+each-1)/each)
	for i := range segments {
		columns[i/each].Merge(&segments[i])
	}
	return columns, each
}
