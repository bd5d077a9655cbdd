package formats

// Sample is a text of a format, and how it is read.
type Sample struct {
	Options
	Text string
}

// Samples returns a text of each format.
func Samples() (list []Sample) {
	for _, s := range samples {
		o := Options{Format: s.format, MaxMalformed: Limit{Percent: 100}}
		if s.columns != "" {
			o.Columns, _ = ParseColumns(s.columns)
		}
		list = append(list, Sample{o, s.text})
	}
	return list
}
