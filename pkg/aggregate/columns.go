package aggregate

// Columns returns segments as at most so many, for a chart that has no room for more: each is the sum of a number of
// neighbours, counts and histograms, and the last of what is left. It returns the segments themselves if they are few.
func Columns(segments []Segment, most int) (columns []Segment, each int) {
	each = (len(segments) + most - 1) / most
	if each <= 1 {
		return segments, 1
	}
	columns = make([]Segment, (len(segments)+each-1)/each)
	for i := range segments {
		columns[i/each].Merge(&segments[i])
	}
	return columns, each
}
