package report

import (
	"fmt"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/op"
	"warp/pkg/units"
)

// LoadCurve is how a kind of operation did at each step of a load that changes over time.
type LoadCurve struct {
	Group *aggregate.Group
	Unit  string // of the load: threads or operations/s
	Steps []LoadStep
}

// LoadStep is a step of a load with the figures of the segments that lie wholly in it.
type LoadStep struct {
	op.Level
	Measured time.Duration // length of these segments; 0: the step has no figures
	Sum      aggregate.Segment
}

// NewLoadCurve returns the steps of the load of a phase that began at a time, with the figures of a group of it.
func NewLoadCurve(g *aggregate.Group, segment time.Duration, began time.Time, steps []op.Level, unit string) *LoadCurve {
	c := &LoadCurve{Group: g, Unit: unit}
	first := g.Window.Start.Sub(began) // of the first segment
	for _, step := range steps {
		one := LoadStep{Level: step}
		for i := range g.Segments {
			if from := first + time.Duration(i)*segment; from < step.Start || from+segment > step.End {
				continue
			}
			one.Sum.Merge(&g.Segments[i])
			one.Measured += segment
		}
		c.Steps = append(c.Steps, one)
	}
	return c
}

// Lines returns a line for each step that has figures.
func (c *LoadCurve) Lines() (lines []string) {
	for i := range c.Steps {
		step := &c.Steps[i]
		if step.Measured == 0 {
			continue
		}
		items := averageItems(c.Group, segmentRate(&step.Sum, step.Measured))
		for _, p := range []float64{50, 99} {
			if step.Sum.Latency == nil {
				break
			}
			if v, enough := step.Sum.Latency.Percentile(p); enough {
				items = append(items, fmt.Sprintf("p%g: %s", p, units.Duration(time.Duration(v))))
			}
		}
		if n := step.Sum.Errors; n > 0 {
			items = append(items, units.Plural(n, "error"))
		}
		lines = append(lines, fmt.Sprintf("%s at %s, for %s: %s", c.Group.Kind, levels(step.Level, c.Unit), units.Span(step.End-step.Start),
			strings.Join(items, ", ")))
	}
	return lines
}

// levels returns the level of a step, or both of a part of a ramp.
func levels(s op.Level, unit string) string {
	switch {
	case s.From == 1 && s.To == 1:
		return "1 " + strings.Replace(unit, "s", "", 1)
	case s.From == s.To:
		return fmt.Sprintf("%.6g %s", s.From, unit)
	}
	return fmt.Sprintf("%.6g to %.6g %s", s.From, s.To, unit)
}

type (
	loadCurveJSON struct {
		Op    string         `json:"op"`
		Phase string         `json:"phase,omitempty"`
		Unit  string         `json:"unit"`
		Steps []loadStepJSON `json:"steps"`
	}

	loadStepJSON struct {
		From     float64      `json:"from"`
		To       float64      `json:"to"`
		Start    float64      `json:"start_s"`
		End      float64      `json:"end_s"`
		Measured float64      `json:"measured_s"`
		Requests int64        `json:"requests"`
		Errors   int64        `json:"errors"`
		Ops      float64      `json:"ops_per_sec"`
		Bytes    float64      `json:"bytes_per_sec,omitempty"`
		Latency  *latencyJSON `json:"latency_ms,omitempty"`
		TTFB     *latencyJSON `json:"ttfb_ms,omitempty"`
	}
)

// loadCurveOf returns the steps of a load in JSON.
func loadCurveOf(c *LoadCurve) loadCurveJSON {
	out := loadCurveJSON{Op: string(c.Group.Kind), Phase: c.Group.Phase, Unit: c.Unit, Steps: []loadStepJSON{}}
	for i := range c.Steps {
		p := &c.Steps[i]
		one := loadStepJSON{
			From: p.From, To: p.To, Start: p.Start.Seconds(), End: p.End.Seconds(), Measured: p.Measured.Seconds(),
			Requests: p.Sum.Ended + p.Sum.Errors, Errors: p.Sum.Errors, Latency: latencyOf(p.Sum.Latency), TTFB: ttfbOf(p.Sum.TTFB),
		}
		if p.Measured > 0 {
			r := segmentRate(&p.Sum, p.Measured)
			one.Ops = float64(p.Sum.Ended) / p.Measured.Seconds()
			if c.Group.MovesBytes() {
				one.Bytes = r.bytes
			}
		}
		out.Steps = append(out.Steps, one)
	}
	return out
}
