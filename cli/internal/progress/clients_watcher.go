package progress

import (
	"cmp"
	"slices"
	"time"

	"warp/cli/internal/rules"
	"warp/pkg/aggregate/live"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/protocol"
	"warp/pkg/gate"
)

// ClientsWatcher shows the progress of a distributed run.
type ClientsWatcher struct {
	*Watcher
	watches  *rules.Watches
	measured func(*coordinator.Result)
	reported []string // warnings that are in the report
}

// ForClients returns what shows a run by clients. It has their operations judged, and calls measured when they are done.
// Without rules on sliding windows, watches may be nil.
func (w *Watcher) ForClients(watches *rules.Watches, measured func(*coordinator.Result)) *ClientsWatcher {
	return &ClientsWatcher{Watcher: w, watches: watches, measured: measured}
}

// Warn tells of warnings that are not in the report.
func (w *ClientsWatcher) Warn(warnings []string) {
	for _, text := range warnings {
		if !slices.Contains(w.reported, text) {
			w.Notice("Warning: " + text)
		}
	}
}

// Stage begins to show a stage of all clients.
func (w *ClientsWatcher) Stage(s coordinator.Stage) {
	_, total := s.Progress()
	var hosts live.HostRates
	w.begin(stageView{
		name:     s.Name,
		phase:    s.Phase,
		step:     s.Step,
		workload: s.Workload,
		total:    cmp.Or(s.Total, total),
		noun:     nounOf(s.Name, s.Step),
		warmup:   s.Warmup,
		duration: s.Duration,
		start:    s.Start,
		recent:   s.Recent,
		counts:   s.Counts,
		detail: func(second, now time.Time) (live.Detail, []live.ClientFigures) {
			d := s.Detail(second, now)
			return detailOfClients(&d, s.Counts(), &hosts, now), d.Clients
		},
		done: func() uint64 { done, _ := s.Progress(); return done },
	})
}

// Steps judges rules on sliding windows of all clients together.
func (w *ClientsWatcher) Steps(of protocol.Watch, steps []gate.Step, until time.Time) {
	w.watches.Add(of, steps, until)
}

// Measured has the report printed.
func (w *ClientsWatcher) Measured(r *coordinator.Result) {
	w.reported = r.Warnings
	w.measured(r)
}

// detailOfClients returns what the whole screen shows of all clients together.
func detailOfClients(d *coordinator.Detail, counts []live.Count, hosts *live.HostRates, now time.Time) live.Detail {
	all := live.Detail{Seconds: d.Seconds, Errors: live.CountedErrors(counts), Hosts: hosts.Add(now, counts)}
	for i := range counts {
		if slices.ContainsFunc(d.Seconds, func(s live.Second) bool { return s.Phase == counts[i].Phase }) {
			all.Late += counts[i].Late
		}
	}
	return all
}
