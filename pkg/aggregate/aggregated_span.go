package aggregate

// aggregatedSpan is the requests of one client in ten seconds: all of one size, or of several. An entry that was merged
// from n entries holds the sums of their averages and percentiles.
type aggregatedSpan struct {
	Single *aggregatedSingle `json:"single_sized_requests"`
	Multi  *aggregatedMulti  `json:"multi_sized_requests"`
}

type aggregatedSingle struct {
	Requests  int64           `json:"requests"`
	Size      int64           `json:"obj_size"`
	Merged    int64           `json:"merged_entries"`
	Average   float64         `json:"dur_avg_millis"`
	Median    float64         `json:"dur_median_millis"`
	P90       float64         `json:"dur_90_millis"`
	P99       float64         `json:"dur_99_millis"`
	Deviation float64         `json:"std_dev_millis"`
	Fastest   float64         `json:"fastest_millis"`
	Slowest   float64         `json:"slowest_millis"`
	FirstByte *aggregatedTTFB `json:"first_byte"`
}

type aggregatedMulti struct {
	BySize []struct {
		MinSize   int64           `json:"min_size"`
		MaxSize   int64           `json:"max_size"`
		Requests  int64           `json:"requests"`
		Merged    int64           `json:"merged_entries"`
		Average   float64         `json:"avg_duration_millis"`
		FirstByte *aggregatedTTFB `json:"first_byte"`
	} `json:"by_size"`
}

type aggregatedTTFB struct {
	Average   float64 `json:"average_millis"`
	P25       float64 `json:"p25_millis"`
	Median    float64 `json:"median_millis"`
	P75       float64 `json:"p75_millis"`
	P90       float64 `json:"p90_millis"`
	P99       float64 `json:"p99_millis"`
	Deviation float64 `json:"std_dev_millis"`
	Fastest   float64 `json:"fastest_millis"`
	Slowest   float64 `json:"slowest_millis"`
}

// add adds the span's times to x and its sizes to g.
func (s *aggregatedSpan) add(g *Group, x *Approx) {
	if r := s.Single; r != nil && r.Requests > 0 {
		n := float64(max(1, r.Merged))
		x.Latency.add(ApproxTimes{
			Requests: r.Requests, Mean: millis(r.Average / n), StdDev: millis(r.Deviation / n), Min: millis(r.Fastest), Max: millis(r.Slowest),
			P50: millis(r.Median / n), P90: millis(r.P90 / n), P99: millis(r.P99 / n),
		})
		r.FirstByte.add(x, r.Requests, n)
		g.addSizes(r.Size, r.Size)
	}
	if s.Multi == nil {
		return
	}
	for _, r := range s.Multi.BySize {
		if r.Requests > 0 {
			n := float64(max(1, r.Merged))
			x.Latency.add(ApproxTimes{Requests: r.Requests, Mean: millis(r.Average / n)})
			r.FirstByte.add(x, r.Requests, n)
			g.addSizes(r.MinSize, r.MaxSize)
		}
	}
}

// addSizes widens the sizes of g by those from least to most.
func (g *Group) addSizes(least, most int64) {
	g.MinSize, g.MaxSize = min(g.MinSize, max(0, least)), max(g.MaxSize, most)
}

// add adds the times to first byte of so many requests, merged from n entries.
func (t *aggregatedTTFB) add(x *Approx, requests int64, n float64) {
	if t == nil {
		return
	}
	x.TTFB.add(ApproxTimes{
		Requests: requests, Mean: millis(t.Average / n), StdDev: millis(t.Deviation / n), Min: millis(t.Fastest), Max: millis(t.Slowest),
		P25: millis(t.P25 / n), P50: millis(t.Median / n), P75: millis(t.P75 / n), P90: millis(t.P90 / n), P99: millis(t.P99 / n),
	})
}
