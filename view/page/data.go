package page

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/observe"
)

// dataVersion is the version of the data. Only the script of the same file reads it.
const dataVersion = 1

// data is what the script reads. Figures that do not exist are null.
type data struct {
	Version    int             `json:"version"`
	Report     json.RawMessage `json:"report,omitempty"`     // the JSON report, without the samples of the client
	Comparison json.RawMessage `json:"comparison,omitempty"` // as JSON, one or several, in place of a report
	Trace      json.RawMessage `json:"trace,omitempty"`      // as JSON, in place of a report
	Remarks    []string        `json:"remarks,omitempty"`
	Phases     []phase         `json:"phases,omitempty"`
	Charts     []*chart        `json:"charts,omitempty"`
	Omitted    int             `json:"omitted,omitempty"` // kinds of operations without charts
	Client     *client         `json:"client,omitempty"`
	Sides      []side          `json:"sides,omitempty"` // of a comparison
	Live       *Live           `json:"live,omitempty"`  // of a page that is served

	ClientLines []string `json:"client_lines,omitempty"` // remarks about clients
}

// side is what is compared with others.
type side struct {
	Name    string   `json:"name"`
	Charts  []*chart `json:"charts"`
	Omitted int      `json:"omitted,omitempty"` // kinds of operations without charts
}

// phase is when a phase ran, in seconds of Unix time.
type phase struct {
	Name string  `json:"name"`
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

// phasesOf returns the phases in order of their start.
func phasesOf(s *aggregate.Snapshot) (list []phase) {
	for _, g := range s.Groups {
		if g.First.IsZero() {
			continue
		}
		from, to := unix(g.First), unix(g.Last)
		if n := len(list); n > 0 && list[n-1].Name == g.Phase {
			list[n-1].From, list[n-1].To = min(list[n-1].From, from), max(list[n-1].To, to)
			continue
		}
		list = append(list, phase{g.Phase, from, to})
	}
	return list
}

// client is how the client did over time: one figure for each sample.
type client struct {
	Start    figures `json:"start"` // seconds of Unix time
	CPU      figures `json:"cpu"`   // percent of what is available
	Quota    figures `json:"quota"` // percent of the quota of the cgroup
	Late     figures `json:"late"`  // 99th percentile of lateness, ms
	Pause    figures `json:"pause"` // of the garbage collector, ms
	Heap     figures `json:"heap"`  // bytes
	Sent     figures `json:"sent"`  // bytes per second
	Received figures `json:"received"`
	Loopback figures `json:"loopback"`
	Resent   figures `json:"resent"` // segments
}

// clientOf returns the samples of a client by figure; nil without any.
func clientOf(samples []observe.Sample) *client {
	if len(samples) == 0 {
		return nil
	}
	c := &client{}
	for i := range samples {
		c.add(&samples[i])
	}
	return c
}

func (c *client) add(s *observe.Sample) {
	c.Start = append(c.Start, unix(s.Start))
	cpu, quota, late, pause, heap := math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()
	sent, received, loopback, resent := math.NaN(), math.NaN(), math.NaN(), math.NaN()
	if s.CPU != nil {
		cpu = s.CPU.Percent
	}
	if s.Cgroup != nil {
		quota = s.Cgroup.QuotaPercent
	}
	if s.Lateness != nil {
		late = s.Lateness.P99Millis
	}
	if s.GC != nil {
		pause = s.GC.PauseMillis
	}
	if s.Memory != nil {
		heap = float64(s.Memory.HeapBytes)
	}
	if n := s.Network; n != nil && s.Seconds > 0 {
		sent, received, loopback = float64(n.SentBytes)/s.Seconds, float64(n.ReceivedBytes)/s.Seconds, float64(n.LoopbackBytes)/s.Seconds
	}
	if s.TCP != nil {
		resent = float64(s.TCP.RetransmittedSegments)
	}
	c.CPU, c.Quota, c.Late = append(c.CPU, cpu), append(c.Quota, quota), append(c.Late, late)
	c.Pause, c.Heap, c.Resent = append(c.Pause, pause), append(c.Heap, heap), append(c.Resent, resent)
	c.Sent, c.Received = append(c.Sent, math.Round(sent)), append(c.Received, math.Round(received))
	c.Loopback = append(c.Loopback, math.Round(loopback))
}

// withoutSamples returns what the JSON report has of a client as JSON without its samples, which the page has by figure.
func withoutSamples(c any) any {
	if c == nil || reflect.ValueOf(c).Kind() == reflect.Pointer && reflect.ValueOf(c).IsNil() {
		return nil
	}
	text, err := json.Marshal(c)
	var fields map[string]json.RawMessage
	if err != nil || json.Unmarshal(text, &fields) != nil {
		return c
	}
	delete(fields, "samples")
	return fields
}

// figures are numbers with at most six decimals; NaN is null.
type figures []float64

// MarshalJSON writes them in their shortest form.
func (f figures) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, v := range f {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			b = append(b, "null"...)
			continue
		}
		b = strconv.AppendFloat(b, math.Round(v*1e6)/1e6, 'f', -1, 64)
	}
	return append(b, ']'), nil
}

// unix returns a time in seconds.
func unix(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }

// milliseconds converts nanoseconds to ms.
func milliseconds(ns int64) float64 { return float64(ns) / 1e6 }
