package monitor

import (
	"io"
	"slices"
	"time"

	"warp/internal/clock"
	"warp/pkg/aggregate/live"
	"warp/pkg/metrics"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/report"
	"warp/view/page"
)

// recentSamples is how much of the client's own samples counts as the present.
const recentSamples = 5

// Data returns the data of the page, as JSON.
func (m *Monitor) Data() ([]byte, error) {
	run, live := m.present()
	return page.Data(run, live)
}

// WriteReport writes the report so far as one HTML file, which needs no server.
func (m *Monitor) WriteReport(w io.Writer) error {
	run, _ := m.present()
	return page.Write(w, run)
}

// WriteJSON writes the report so far as JSON.
func (m *Monitor) WriteJSON(w io.Writer) error {
	run, _ := m.present()
	return report.JSON(w, run.Document)
}

// present returns what there is to show: the final report, or the figures so far.
func (m *Monitor) present() (page.Run, *page.Live) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := clock.Now()
	live := m.live(now)
	if m.final != nil {
		if live.State != page.Over {
			live.State = page.Reported
		}
		return *m.final, live
	}
	run := page.Run{Document: m.run.Document}
	run.Snapshot = m.partial
	if run.Snapshot == nil {
		run.Snapshot = m.history.Snapshot()
	}
	why := goesOn
	switch m.state {
	case page.Reading:
		why = isRead
	case page.Over:
		why = noReport
	}
	run.Incomplete = append(slices.Clone(run.Incomplete), why)
	if m.run.Samples != nil {
		run.Samples = m.run.Samples()
		live.Limit = observe.First(m.limits(run.Samples, now))
	}
	return run, live
}

// limits returns the ways the client was the bottleneck in the last seconds; m.mu is held.
func (m *Monitor) limits(samples []observe.Sample, now time.Time) []observe.Limit {
	var recent live.Recent
	if m.stage != nil && m.stage.Recent != nil {
		recent, _ = m.stage.Recent(now)
	}
	s := observe.Summarize(samples, now.Add(-recentSamples*time.Second), time.Time{})
	return s.Limits(recent.Shares()...)
}

// live returns where the run stands; m.mu is held.
func (m *Monitor) live(now time.Time) *page.Live {
	l := &page.Live{
		State:    m.state,
		At:       unix(now),
		Phases:   m.run.Phases,
		Messages: slices.Clone(m.messages),
		Stop:     m.run.Stop != nil && m.final == nil,
	}
	s := m.stage
	if s == nil || m.state == page.Over {
		l.Phase = len(m.run.Phases)
		return l
	}
	l.Stage, l.Phase, l.Noun, l.Total = s.Title, s.Phase, s.Noun, int64(s.Total)
	if !s.Measures {
		l.Phases = nil
	}
	l.Elapsed, l.Warmup, l.Duration = now.Sub(s.Start).Seconds(), s.Warmup.Seconds(), s.Duration.Seconds()
	if s.Done != nil {
		l.Done = int64(s.Done())
	}
	if s.Progress != nil {
		l.Done, l.Total = s.Progress()
	}
	if s.Threads != nil {
		l.Threads = s.Threads()
	}
	if s.Recent != nil {
		l.Rates = rates(s, now)
	}
	return l
}

// rates returns the figures of the last moments: the total first where there are several kinds.
func rates(s *Stage, now time.Time) (list []page.Rate) {
	r, ok := s.Recent(now)
	if !ok || s.Belongs != nil && !s.Belongs(r.Phase) {
		return nil
	}
	if len(r.Kinds) != 1 {
		list = append(list, rateOf("", &r.Total))
	}
	several := slices.ContainsFunc(r.Kinds, func(k live.Figures) bool { return k.Phase != r.Kinds[0].Phase })
	for i := range r.Kinds {
		name := string(r.Kinds[i].Kind)
		if several {
			name = r.Kinds[i].Phase + " " + name
		}
		list = append(list, rateOf(name, &r.Kinds[i]))
	}
	return list
}

func rateOf(name string, f *live.Figures) page.Rate {
	return page.Rate{
		Name: name, Ops: f.Ops, Errors: f.Errors, Resent: f.Resent,
		BytesPerSec: f.BytesPerSec, ObjectsPerSec: f.ObjectsPerSec, OpsPerSec: f.OpsPerSec,
		P50: float64(f.P50) / 1e6, P99: float64(f.P99) / 1e6,
	}
}

// Figures returns what metrics say: totals of all runs, and the present state.
func (m *Monitor) Figures() metrics.Figures {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts != nil && m.final == nil {
		m.latest = m.counts()
	}
	about := &m.run.Document
	f := metrics.Figures{
		Counts:   m.totals(),
		InFlight: m.inFlight,
		Version:  about.WarpVersion,
		Command:  about.Command,
		Store:    about.Store.Dialect,
	}
	if f.Store == "" && !m.run.Reads {
		f.Store = "s3"
	}
	if s := m.stage; s != nil && m.state != page.Over && m.final == nil {
		f.Phase, f.PhaseStart = s.Title, s.Start
		if s.Measures && s.Phase < len(m.run.Phases) {
			f.Phase = m.run.Phases[s.Phase]
		}
	}
	if m.run.Samples != nil {
		f.Samples = m.run.Samples()
		f.Limited = f.Phase != "" && len(m.limits(f.Samples, clock.Now())) > 0
	}
	return f
}

// totals returns the counts of all runs, phases of a kind added up, without preparation and warm-up; m.mu is held.
func (m *Monitor) totals() []live.Count {
	list := slices.Clone(m.past)
	for i := range m.latest {
		c := m.latest[i]
		if c.Phase != op.PhasePrepare && c.Phase != op.PhaseWarmup {
			c.Phase = ""
		}
		if k := slices.IndexFunc(list, func(p live.Count) bool { return p.Phase == c.Phase && p.Kind == c.Kind }); k >= 0 {
			list[k].Add(&c)
			continue
		}
		list = append(list, c)
	}
	return list
}
