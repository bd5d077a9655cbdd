package cli

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/search"
	"warp/pkg/units"
	"warp/view/terminal"
)

// watcher shows the progress of a run.
type watcher struct {
	quiet    bool
	screen   *fullScreen // nil: the run has no whole screen
	mu       sync.Mutex
	progress terminal.Progress
	stage    *stageView
	stop     func()
	once     sync.Once

	phases  []string                                 // titles of those of the plan
	threads func(phase int, since time.Duration) int // at work so long after the start of a phase; 0: their number does not change. May be nil
	profile *profiling
	limit   *errorLimit  // nil: none
	rules   *ruleWatches // nil: none
	errors  *errorRules  // of a run by clients; nil: none
	views   *views       // nil: nobody else is shown the run
}

func newWatcher(e *Env, form string, quiet, color bool) *watcher {
	w := &watcher{quiet: quiet}
	w.progress = terminal.New(e.Stderr, terminal.Options{
		Terminal: form != uiPlain,
		Quiet:    quiet,
		Color:    color,
		ASCII:    e.ascii(),
		Width:    e.Width,
		Guard:    e.guard,
	})
	w.stop = every(refresh, w.show)
	return w
}

// every calls a function at intervals, until the function that it returns is called.
func every(interval time.Duration, do func()) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				do()
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

// show puts the present figures on the screen.
func (w *watcher) show() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.update()
}

func (w *watcher) update() {
	if w.stage == nil {
		return
	}
	now := clock.Now()
	u := terminal.Update{Elapsed: now.Sub(w.stage.start), Done: int64(w.stage.done())}
	if w.stage.recent != nil {
		w.errors.observe(fill(&u, w.stage, now))
	}
	if w.stage.name == bench.StageBenchmark {
		u.Threads = w.threadsAt(w.stage)
		w.limit.observe(now, u.Ops, u.Errors)
		w.rules.observe(now)
	}
	w.progress.Update(u)
	w.screen.show(w.stage, now)
}

// fill adds what the live statistics say about the stage, and returns them by kind. Before its first operation is over they still speak
// of the stage before.
func fill(u *terminal.Update, s *stageView, now time.Time) []aggregate.Figures {
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
	several := slices.ContainsFunc(r.Kinds, func(k aggregate.Figures) bool { return k.Phase != r.Kinds[0].Phase })
	for _, k := range r.Kinds {
		name := string(k.Kind)
		if several {
			name = k.Phase + " " + name
		}
		u.Kinds = append(u.Kinds, terminal.Kind{Name: name, Errors: k.Errors, BytesPerSec: k.BytesPerSec, ObjPerSec: k.ObjectsPerSec, P50: k.P50, P99: k.P99})
	}
	return r.Kinds
}

// Stage begins to show a stage.
func (w *watcher) Stage(s bench.Stage) {
	if s.Name == bench.StageBenchmark && w.profile != nil {
		w.profile.begin(w.Notice)
	}
	v := viewOf(s)
	if s.Live != nil && w.views != nil {
		s.Live.CountMore()
	}
	if s.Live != nil && w.screen != nil {
		s.Live.Watch()
		v.detail = func(second, now time.Time) (aggregate.Detail, []aggregate.ClientFigures) {
			return s.Live.Detail(second, now), nil
		}
	}
	w.begin(v)
}

// phasesOf returns the titles of all phases, if a stage is one of several.
func (w *watcher) phasesOf(s *stageView) []string {
	if s.name != bench.StageBenchmark || len(w.phases) < 2 {
		return nil
	}
	return w.phases
}

// begin begins to show a stage.
func (w *watcher) begin(s stageView) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.update() // the last figures of the stage before
	w.stage = &s
	shown := terminal.Stage{Phases: w.phasesOf(&s), Phase: s.phase, Name: s.title(), Total: int64(s.total), Noun: s.noun, Warmup: s.warmup, Duration: s.duration}
	if s.start.After(clock.Now()) {
		shown.Start = s.start
	}
	w.progress.Stage(shown)
	w.views.stage(&s, s.name == bench.StageBenchmark, func() int { return w.threadsAt(&s) })
}

// threadsAt returns how many threads are at work; 0 if their number does not change.
func (w *watcher) threadsAt(s *stageView) int {
	since := clock.Now().Sub(s.start)
	if w.threads == nil || s.name != bench.StageBenchmark || since < 0 {
		return 0
	}
	return w.threads(s.phase, since)
}

// phase returns the index of the phase that is being performed; more is false outside of phases, and in the last one.
func (w *watcher) phase() (phase int, more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stage == nil || w.stage.name != bench.StageBenchmark {
		return 0, false
	}
	return w.stage.phase, w.stage.phase+1 < len(w.phases)
}

// Trial prints how a trial of a search went.
func (w *watcher) Trial(number int, o *search.Observation, v search.Verdict) {
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
	w.inform(text)
}

// Notice prints a line above the progress.
func (w *watcher) Notice(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.views.message(text)
	w.progress.Message(text)
}

// inform prints a line above the progress, unless --quiet is set.
func (w *watcher) inform(text string) {
	if w.quiet {
		w.views.message(text)
		return
	}
	w.Notice(text)
}

// measured ends the profile, and takes the progress off the screen.
func (w *watcher) measured() {
	if w.profile != nil {
		if err := w.profile.finish(); err != nil {
			w.Notice(err.Error())
		}
	}
	w.pause()
}

// observed has the screen show by what this machine is the bottleneck.
func (w *watcher) observed(self *observe.Observer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.screen != nil {
		w.screen.self = self
	}
}

// pause takes the progress off the screen until the next stage.
func (w *watcher) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.update()
	w.stage = nil
	w.progress.Close()
}

// close ends showing.
func (w *watcher) close() {
	w.once.Do(func() {
		w.stop()
		w.pause()
	})
}
