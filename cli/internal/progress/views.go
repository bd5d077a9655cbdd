package progress

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/internal/clock"
	"warp/pkg/aggregate"
	"warp/pkg/metrics"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/report"
	"warp/pkg/runinfo"
	"warp/view/monitor"
	"warp/view/page"
	"warp/view/web"
)

// Views show a run to others while it goes on. Methods of a nil *views do nothing.
type Views struct {
	env     *process.Env
	quiet   bool
	flags   *flags.HTTP
	monitor *monitor.Monitor
	server  *web.Server     // nil: none
	pusher  *metrics.Pusher // nil: none
	notice  atomic.Pointer[func(string)]
	stop    func() // ends the present run; set before it begins
}

// OpenViews begins to serve and to send, if flags say so; title is that of the page. The caller must call close.
func OpenViews(e *process.Env, h *flags.HTTP, p *flags.Push, quiet bool, title string) (*Views, error) {
	receivers, errs := p.Receivers()
	if err := process.UsageErrors(errs...); err != nil || h.Addr == "" && len(receivers) == 0 {
		return nil, err
	}
	e.InterruptsHandled() // the page can end the run
	v := &Views{env: e, quiet: quiet, flags: h}
	changed := func() {}
	if h.Addr != "" {
		var err error
		collector := metrics.NewCollector(func() metrics.Figures { return v.monitor.Figures() })
		v.server, err = h.Listen(e, web.Options{Title: title, Metrics: metrics.Handler(collector), Stop: func() bool { return v.monitor.Stop() }})
		if err != nil {
			return nil, err
		}
		changed = v.server.Changed
	}
	v.monitor = monitor.Start(changed)
	if v.server != nil {
		v.server.Serve(v.monitor)
		if !quiet || strings.HasSuffix(h.Addr, ":0") { // or nobody would know the port
			fmt.Fprintf(e.Stderr, "Serving %s (metrics at %smetrics).\n", v.server.URL(), v.server.URL())
		}
	}
	if len(receivers) > 0 {
		about := metrics.About{
			ID:       runinfo.NewID() + runinfo.NewID(),
			Hostname: runinfo.ThisMachine().Hostname,
			Version:  process.Version(),
			Start:    clock.Now(),
		}
		v.pusher = metrics.Push(v.monitor.Figures, about, p.Interval, receivers, v.warn)
	}
	return v, nil
}

// warn prints a warning, above the progress if there is one.
func (v *Views) warn(text string) {
	if notice := v.notice.Load(); notice != nil {
		(*notice)(text)
		return
	}
	fmt.Fprintln(v.env.Stderr, text)
}

// NoticeWith says what prints warnings while a run goes on; nil: nothing does.
func (v *Views) NoticeWith(notice func(string)) {
	switch {
	case v == nil:
	case notice == nil:
		v.notice.Store(nil)
	default:
		v.notice.Store(&notice)
	}
}

// Close ends serving, after the time that flags say, or at an interrupt.
func (v *Views) Close() {
	if v == nil {
		return
	}
	v.monitor.End()
	if v.pusher != nil {
		v.pusher.Close()
	}
	if v.server == nil {
		v.monitor.Close()
		return
	}
	if linger := v.flags.Linger; linger > 0 {
		if !v.quiet {
			fmt.Fprintf(v.env.Stderr, "Serving %s for %v more. Interrupt (Ctrl-C) ends it.\n", v.server.URL(), linger)
		}
		ctx, stop := v.env.CancelOnInterrupt(context.Background())
		select {
		case <-ctx.Done():
		case <-time.After(linger):
		}
		stop()
	}
	v.monitor.Close()
	v.server.Close()
}

// Show begins to show a run of this machine, or of clients, whose samples are not known.
func (v *Views) Show(head *runinfo.Header, samples func() []observe.Sample) error {
	if v == nil {
		return nil
	}
	plan, err := json.Marshal(head.Plan)
	if err != nil {
		return fmt.Errorf("encode the plan: %w", err)
	}
	v.monitor.Begin(monitor.Run{
		Document: report.Document{
			WarpVersion: head.Version,
			Command:     head.Command,
			Engine:      head.Engine,
			Store:       report.Store(head.Store),
			Embedded:    head.Embedded,
			Baseline:    head.Baseline,
			Plan:        plan,
			Environment: head.Environment,
		},
		Phases:  titles(head.Plan),
		Samples: samples,
		Stop:    v.stop,
	})
	return nil
}

// Read begins to show recordings that are being read; progress returns how many bytes of how many were.
func (v *Views) Read(progress func() (done, size int64)) {
	v.monitor.Begin(monitor.Run{Document: report.Document{WarpVersion: process.Version(), Command: "analyze"}, Reads: true})
	v.monitor.Stage(monitor.Stage{
		Title:    "reading",
		Start:    clock.Now(),
		Noun:     "byte",
		Progress: progress,
	})
}

// Partial returns what shows the figures of what was read so far, at most once a second; nil without views.
func (v *Views) Partial() func(func() *aggregate.Snapshot) {
	if v == nil {
		return nil
	}
	last := clock.Now()
	return func(snapshot func() *aggregate.Snapshot) {
		if now := clock.Now(); now.Sub(last) >= time.Second {
			v.monitor.Partial(snapshot())
			last = clock.Now()
		}
	}
}

// UntilInterrupt goes on serving until an interrupt.
func (v *Views) UntilInterrupt() {
	if !v.quiet {
		fmt.Fprintf(v.env.Stderr, "Serving %s. Interrupt (Ctrl-C) ends it.\n", v.server.URL())
	}
	v.monitor.End()
	ctx, stop := v.env.CancelOnInterrupt(context.Background())
	<-ctx.Done()
	stop()
}

// stage shows a stage.
func (v *Views) stage(s *stageView, measures bool, threads func() int) {
	if v == nil {
		return
	}
	prepares := !measures
	v.monitor.Stage(monitor.Stage{
		Title:    s.title(),
		Phase:    s.phase,
		Measures: measures,
		Total:    s.total,
		Noun:     s.noun,
		Warmup:   s.warmup,
		Duration: s.duration,
		Start:    s.start,
		Done:     s.done,
		Threads:  threads,
		Recent:   s.recent,
		Counts:   s.counts,
		Belongs:  func(phase string) bool { return (phase == op.PhasePrepare) == prepares },
	})
}

// message shows a notice or warning.
func (v *Views) message(text string) {
	if v != nil {
		v.monitor.Message(text)
	}
}

// Stopping shows that the run was asked to end.
func (v *Views) Stopping() {
	if v != nil {
		v.monitor.Stopping()
	}
}

// Report shows the final report.
func (v *Views) Report(run page.Run) {
	if v != nil {
		v.monitor.Report(run)
	}
}

// StopWith says what ends the run that begins next.
func (v *Views) StopWith(stop func()) {
	if v != nil {
		v.stop = stop
	}
}
