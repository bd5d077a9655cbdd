package report

import (
	"warp/pkg/aggregate"
	"warp/pkg/search"
)

type (
	sweepJSON struct {
		Stream string      `json:"stream,omitempty"`
		Over   []string    `json:"over"`
		Curves []curveJSON `json:"curves"`
	}

	curveJSON struct {
		Op      string            `json:"op"`
		Fixed   map[string]string `json:"fixed,omitempty"`
		Points  []sweepPointJSON  `json:"points"`
		Best    string            `json:"best"`
		Trend   string            `json:"trend,omitempty"`
		Knee    *kneeJSON         `json:"knee,omitempty"`
		USL     *uslJSON          `json:"usl,omitempty"`
		Limit   *limitJSON        `json:"limit,omitempty"`
		Servers *serversJSON      `json:"servers,omitempty"`
		Size    *sizeFitJSON      `json:"latency_of_size,omitempty"`
	}

	sweepPointJSON struct {
		Value    string       `json:"value"`
		Number   float64      `json:"number"`
		Phases   []string     `json:"phases"`
		Requests int64        `json:"requests"`
		Errors   int64        `json:"errors"`
		Ops      float64      `json:"ops_per_sec"`
		Bytes    float64      `json:"bytes_per_sec,omitempty"`
		CI       []float64    `json:"ci,omitempty"`
		Latency  *latencyJSON `json:"latency_ms,omitempty"`
		Own      *latencyJSON `json:"own_ms,omitempty"`
	}

	kneeJSON struct {
		Level     float64   `json:"level"`
		CI        []float64 `json:"ci"`
		Kneedle   float64   `json:"kneedle"`
		Confirmed bool      `json:"confirmed"`
	}

	uslJSON struct {
		One        float64  `json:"one_per_sec"`
		Contention float64  `json:"contention"`
		Crosstalk  float64  `json:"crosstalk"`
		Peak       *float64 `json:"peak_threads,omitempty"`
	}

	limitJSON struct {
		One     float64 `json:"one_per_sec"`
		Threads float64 `json:"threads"`
	}

	serversJSON struct {
		Count   float64 `json:"count"`
		Service float64 `json:"service_ms"`
	}

	sizeFitJSON struct {
		Base  float64 `json:"base_ms"`
		Bytes float64 `json:"bytes_per_sec,omitempty"`
	}
)

// sweepOf returns a sweep in JSON.
func sweepOf(sw *search.Sweep, s *aggregate.Snapshot) sweepJSON {
	out := sweepJSON{Stream: sw.Stream, Over: sw.Over, Curves: []curveJSON{}}
	for _, c := range sweepCurves(sw, s) {
		curve := curveJSON{Op: string(c.kind), Points: []sweepPointJSON{}, Best: c.rows[c.Best].value.Text, Trend: string(c.Trend)}
		for i, v := range c.fixed {
			if curve.Fixed == nil {
				curve.Fixed = map[string]string{}
			}
			curve.Fixed[sw.Over[i+1]] = v.Text
		}
		for i := range c.rows {
			curve.Points = append(curve.Points, pointOf(c, i))
		}
		curve.addFits(&c.Curve)
		out.Curves = append(out.Curves, curve)
	}
	return out
}

func pointOf(c *sweepCurve, i int) sweepPointJSON {
	row, p := &c.rows[i], &c.Points[i]
	out := sweepPointJSON{
		Value: row.value.Text, Number: row.value.Number, Phases: row.phases, Requests: row.requests, Errors: row.errors,
		Ops: p.Throughput, Bytes: row.bytes, Latency: latencyOf(row.latency), Own: latencyOf(row.own.All),
	}
	if ci, ok := p.Interval(); ok {
		out.CI = ci[:]
	}
	return out
}

func (c *curveJSON) addFits(f *search.Curve) {
	if k := f.Knee; k != nil {
		c.Knee = &kneeJSON{k.Level, k.CI[:], k.Kneedle, k.Confirmed}
	}
	if u := f.USL; u != nil {
		c.USL = &uslJSON{One: u.One, Contention: u.Contention, Crosstalk: u.Crosstalk}
		if peak := f.PeakThreads(); peak > 0 {
			c.USL.Peak = &peak
		}
	}
	if l := f.Limit; l != nil {
		c.Limit = &limitJSON{l.One, l.Threads}
	}
	if v := f.Servers; v != nil {
		c.Servers = &serversJSON{v.Count, 1000 * v.Service}
	}
	if l := f.Size; l != nil {
		c.Size = &sizeFitJSON{Base: 1000 * l.Base}
		if l.PerByte > 0 {
			c.Size.Bytes = 1 / l.PerByte
		}
	}
}
