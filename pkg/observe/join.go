package observe

// Join merges neighbours of samples in order of time, until there are few enough.
func Join(samples []Sample, limit int) []Sample {
	each := (len(samples) + limit - 1) / limit
	if each <= 1 {
		return samples
	}
	joined := make([]Sample, 0, limit)
	for i, s := range samples {
		if i%each == 0 {
			joined = append(joined, s)
			continue
		}
		last := &joined[len(joined)-1]
		*last = last.merge(s)
	}
	return joined
}
