// Package progress shows runs while they go on: in the terminal, and to others over the network.
package progress

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/rules"
	"warp/internal/clock"
	"warp/pkg/aggregate/live"
	"warp/pkg/bench"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/runinfo"
	"warp/pkg/search"
	"warp/pkg/units"
	"warp/view/terminal"
)

// Watcher shows the progress of a run.
type Watcher struct {
	quiet    bool
	env      *process.Env
	plan     *bench.Plan // nil if no run is shown
	clients  int         // that perform it together; 0: it is performed here
	screen   *fullScreen // nil: the run has no whole screen
	mu       sync.Mutex
	progress terminal.Progress
	stage    *stageView
	stop     func()
	once     sync.Once

	profile *profiling // nil without one
	limit   *rules.ErrorLimit
	rules   *rules.Watches
	errors  *rules.ErrorRules
	views   *Views
}

// Options say what a watcher shows, and what ends the run that it watches.
type Options struct {
	Form         string // flags.Full, flags.Line or flags.Plain
	Quiet, Color bool

	Plan    *bench.Plan // of the run that is shown; nil without one
	Clients int         // that perform it together; 0: it is performed here
	Views   *Views      // may be nil
	Where   string      // what the run is measured on, for the whole screen
	Rates   *bench.Rates

	Limit  *rules.ErrorLimit // nil without one
	Rules  *rules.Watches    // nil without rules on sliding windows, or if clients judge them
	Errors *rules.ErrorRules // of a run by clients; nil without one
}

// New begins to show progress. The caller must call close.
func New(e *process.Env, o Options) *Watcher {
	w := &Watcher{
		quiet:   o.Quiet,
		env:     e,
		plan:    o.Plan,
		clients: o.Clients,
		limit:   o.Limit,
		rules:   o.Rules,
		errors:  o.Errors,
		views:   o.Views,
	}
	w.progress = terminal.New(e.Stderr, terminal.Options{
		Terminal: o.Form != flags.Plain,
		Quiet:    o.Quiet,
		Color:    o.Color,
		ASCII:    e.ASCII(),
		Width:    e.Width,
		Guard:    e.Guard,
	})
	if o.Form == flags.Full {
		w.screen = newFullScreen(e, w.progress, &o)
		w.progress = w.screen.Screen
	}
	w.stop = clock.Every(process.Refresh, w.show)
	return w
}

// show puts the present figures on the screen.
func (w *Watcher) show() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.update()
}

func (w *Watcher) update() {
	if w.stage == nil {
		return
	}
	now := clock.Now()
	u := terminal.Update{Elapsed: now.Sub(w.stage.start), Done: int64(w.stage.done())}
	if w.stage.recent != nil {
		w.errors.Observe(fill(&u, w.stage, now))
	}
	if w.stage.name == bench.StageBenchmark {
		u.Threads = w.threadsAt(w.stage)
		w.limit.Observe(now, u.Ops, u.Errors)
		w.rules.Observe(now)
	}
	w.progress.Update(u)
	w.screen.show(w.stage, now)
}

// fill adds what the live statistics say about the stage, and returns them by kind. Before its first operation is over they still speak
// of the stage before.
func fill(u *terminal.Update, s *stageView, now time.Time) []live.Figures {
	r, ok := s.recent(now)
	if !ok || (r.Phase == op.PhasePrepare) != (s.name == bench.StagePrepare) {
		return nil
	}
	t := r.Total
	u.Ops, u.Errors, u.Resent = t.Ops, t.Errors, t.Resent
	u.BytesPerSec, u.ObjPerSec, u.P50, u.P99 = t.BytesPerSec, t.ObjectsPerSec, t.P50, t.P99
	if len(r.Kinds) < 2 {
		return r.Kinds
	}
	several := slices.ContainsFunc(r.Kinds, func(k live.Figures) bool { return k.Phase != r.Kinds[0].Phase })
	for _, k := range r.Kinds {
		name := string(k.Kind)
		if several {
			name = k.Phase + " " + name
		}
		u.Kinds = append(u.Kinds, terminal.Kind{
			Name:        name,
			Errors:      k.Errors,
			BytesPerSec: k.BytesPerSec,
			ObjPerSec:   k.ObjectsPerSec,
			P50:         k.P50,
			P99:         k.P99,
		})
	}
	return r.Kinds
}

// Stage begins to show a stage.
func (w *Watcher) Stage(s bench.Stage) {
	if s.Name == bench.StageBenchmark && w.profile != nil {
		w.profile.begin(w.Notice)
	}
	v := viewOf(s)
	if s.Live != nil && w.views != nil {
		s.Live.CountMore()
	}
	if s.Live != nil && w.screen != nil {
		s.Live.Watch()
		v.detail = func(second, now time.Time) (live.Detail, []live.ClientFigures) {
			return s.Live.Detail(second, now), nil
		}
	}
	w.begin(v)
}

// phasesOf returns the titles of all phases, if a stage is one of several.
func (w *Watcher) phasesOf(s *stageView) []string {
	if s.name != bench.StageBenchmark || w.plan == nil || len(w.plan.Phases) < 2 {
		return nil
	}
	return titles(w.plan)
}

// begin begins to show a stage.
func (w *Watcher) begin(s stageView) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.update() // the last figures of the stage before
	w.stage = &s
	shown := terminal.Stage{
		Phases:   w.phasesOf(&s),
		Phase:    s.phase,
		Name:     s.title(),
		Total:    int64(s.total),
		Noun:     s.noun,
		Warmup:   s.warmup,
		Duration: s.duration,
	}
	if s.start.After(clock.Now()) {
		shown.Start = s.start
	}
	w.progress.Stage(shown)
	w.views.stage(&s, s.name == bench.StageBenchmark, func() int { return w.threadsAt(&s) })
}

// threadsAt returns how many threads are at work; 0 if their number does not change.
func (w *Watcher) threadsAt(s *stageView) int {
	since := clock.Now().Sub(s.start)
	if w.plan == nil || s.name != bench.StageBenchmark || since < 0 {
		return 0
	}
	return bench.ThreadsAt(&w.plan.Phases[s.phase], since) * max(1, w.clients)
}

// Phase returns the index of the phase that is being performed; more is false outside of phases, and in the last one.
func (w *Watcher) Phase() (phase int, more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.plan == nil || w.stage == nil || w.stage.name != bench.StageBenchmark {
		return 0, false
	}
	return w.stage.phase, w.stage.phase+1 < len(w.plan.Phases)
}

// Keys has a q call quit, until the function that it returns is called.
func (w *Watcher) Keys(quit func()) (restore func()) {
	if w.screen != nil {
		return w.screen.keys(quit)
	}
	return w.env.OnQuit(quit)
}

// Marked returns the moments that were marked on the whole screen.
func (w *Watcher) Marked() []runinfo.Mark { return w.screen.marked() }

// Counts reports whether figures of kinds and hosts are shown.
func (w *Watcher) Counts() bool { return w.views != nil || w.screen != nil }

// Checks begins to show that a store is examined, in a number of steps.
func (w *Watcher) Checks(steps int, done func() uint64) {
	w.begin(stageView{
		name:  stageExamine,
		total: uint64(steps),
		noun:  "check",
		start: clock.Now(),
		done:  done,
	})
}

// Trial prints how a trial of a search went.
func (w *Watcher) Trial(number int, o *search.Observation, v search.Verdict) {
	text := fmt.Sprintf("Trial %d, %s: ", number, o.Trial)
	switch {
	case o.Purpose == search.Capacity:
		text += units.PerSecond(o.Achieved) + " op/s"
	case o.ClientLimited:
		text += string(v) + ", " + o.Limit
	case o.Aborted:
		text += string(v) + ", the backlog was too long"
	default:
		text += string(v)
	}
	w.Inform(text)
}

// Notice prints a line above the progress.
func (w *Watcher) Notice(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.views.message(text)
	w.progress.Message(text)
}

// Inform prints a line above the progress, unless --quiet is set.
func (w *Watcher) Inform(text string) {
	if w.quiet {
		w.views.message(text)
		return
	}
	w.Notice(text)
}

// Measured ends the profile, and takes the progress off the screen.
func (w *Watcher) Measured() {
	if w.profile != nil {
		if err := w.profile.finish(); err != nil {
			w.Notice(err.Error())
		}
	}
	w.Pause()
}

// Observe has the screen show whether this machine is the bottleneck, and the server profile itself; profile may be nil.
func (w *Watcher) Observe(self *observe.Observer, profile *profiling) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.profile = profile
	if w.screen != nil {
		w.screen.self = self
	}
}

// Pause takes the progress off the screen until the next stage.
func (w *Watcher) Pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.update()
	w.stage = nil
	w.progress.Close()
}

// Close ends showing.
func (w *Watcher) Close() {
	w.once.Do(func() {
		w.stop()
		w.Pause()
	})
}
