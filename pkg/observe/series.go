package observe

// seriesLimit is the maximum number of samples in a series: a quarter of an hour of seconds, which as JSON is well
// below the largest row of a recording.
const seriesLimit = 900

// series holds samples in order of time. When it is full, neighbours are merged, and from then on each sample covers
// twice the time. The zero value is empty and ready.
type series struct {
	samples []Sample
	step    int    // intervals per sample; 0 counts as 1
	pending Sample // the next sample, being merged
	merged  int    // intervals in pending
}

func (s *series) add(t Sample) {
	if s.merged == 0 {
		s.pending = t
	} else {
		s.pending = s.pending.merge(t)
	}
	s.merged++
	if s.merged < s.step {
		return
	}
	s.samples = append(s.samples, s.pending)
	s.pending, s.merged = Sample{}, 0
	if len(s.samples) >= seriesLimit {
		s.halve()
	}
}

// extend merges t into the last sample.
func (s *series) extend(t Sample) {
	switch n := len(s.samples); {
	case s.merged > 0:
		s.pending = s.pending.merge(t)
	case n > 0:
		s.samples[n-1] = s.samples[n-1].merge(t)
	default:
		s.add(t)
	}
}

func (s *series) halve() {
	half := len(s.samples) / 2
	for i := range half {
		s.samples[i] = s.samples[2*i].merge(s.samples[2*i+1])
	}
	clear(s.samples[half:]) // release what they point to
	s.samples = s.samples[:half]
	s.step = 2 * max(1, s.step)
}

// all returns a copy, including the pending sample.
func (s *series) all() []Sample {
	all := append(make([]Sample, 0, len(s.samples)+1), s.samples...)
	if s.merged > 0 {
		all = append(all, s.pending)
	}
	return all
}
