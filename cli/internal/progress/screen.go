package progress

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"warp/cli/internal/process"
	"warp/pkg/bench"
	"warp/pkg/observe"
	"warp/pkg/runinfo"
	"warp/pkg/units"
	"warp/view/screen"
	"warp/view/terminal"
)

// limitSpan is how far back it is looked whether this machine is the bottleneck.
const limitSpan = 10 * time.Second

// fullScreen is a watcher that has the whole screen.
type fullScreen struct {
	*screen.Screen
	env   *process.Env
	rates *bench.Rates
	self  *observe.Observer // may be nil
	last  time.Time         // the second that was shown last

	mu      sync.Mutex
	marks   []runinfo.Mark
	quit    func() // stops the run
	restore func() // the keys of the line that follows the screen
}

// newFullScreen takes the whole screen. The line follows when it is left.
func newFullScreen(e *process.Env, line terminal.Progress, o *Options) *fullScreen {
	f := &fullScreen{env: e, rates: o.Rates}
	f.Screen = screen.New(screen.Options{
		In:        e.Keys,
		Out:       e.Screen,
		Text:      e.Stderr,
		Line:      line,
		Color:     o.Color,
		ASCII:     e.ASCII(),
		Where:     o.Where,
		Guard:     e.Guard.Screen,
		Quit:      func() { f.mu.Lock(); quit := f.quit; f.mu.Unlock(); quit() },
		Interrupt: f.interrupt,
		Detached:  f.detached,
		Mark:      f.mark,
		Rate:      f.change,
	})
	return f
}

// keys has the screen call quit, instead of keys being read here.
func (f *fullScreen) keys(quit func()) (restore func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.quit, f.restore = quit, func() {}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.restore()
		f.quit, f.restore = func() {}, func() {}
	}
}

// detached has the keys read again that the line has.
func (f *fullScreen) detached() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.quit != nil {
		f.restore = f.env.OnQuit(f.quit)
	}
}

// interrupt does what Ctrl-C does where the terminal sends a signal for it.
func (f *fullScreen) interrupt() {
	select {
	case f.env.Signals <- os.Interrupt:
	default: // several wait to be handled
	}
}

// mark keeps a moment for the recording.
func (f *fullScreen) mark(m screen.Mark) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.marks = append(f.marks, runinfo.Mark{At: m.At.UTC(), Text: m.Text})
}

// marked returns the moments that were marked.
func (f *fullScreen) marked() []runinfo.Mark {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.marks
}

// change changes the rate by a factor, and returns what to mark; an error says why it stays.
func (f *fullScreen) change(factor float64) (list []screen.Mark, err error) {
	changes := f.rates.Change(factor)
	for _, c := range changes {
		text := fmt.Sprintf("rate changed from %s/s to %s/s", units.PerSecond(c.From), units.PerSecond(c.To))
		if len(changes) > 1 {
			text = c.Stream + ": " + text
		}
		list = append(list, screen.Mark{At: c.At, Text: text})
	}
	if list == nil {
		return nil, errors.New("the rate stays: only one that does not change by itself can be changed, after the warm-up, and not on clients")
	}
	return list, nil
}

// show shows what happened in the last second that is complete by now, once.
func (f *fullScreen) show(s *stageView, now time.Time) {
	if f == nil || s.detail == nil {
		return
	}
	// Operations reach the statistics up to a second late.
	complete := now.Truncate(time.Second).Add(-2 * time.Second)
	if !complete.After(f.last) {
		return
	}
	f.last = complete
	m := screen.Moment{At: complete, Rate: f.rate()}
	m.Detail, m.Clients = s.detail(complete, now)
	if f.self != nil {
		self := f.self.Summary(now.Add(-limitSpan), now)
		recent, _ := s.recent(now)
		if list := self.Limits(recent.Shares()...); len(list) > 0 {
			m.Limit = list[0].Brief()
		}
	}
	f.Moment(m)
}

// rate returns the rates that can be changed.
func (f *fullScreen) rate() string {
	var list []string
	for _, c := range f.rates.Now() {
		list = append(list, units.PerSecond(c.To)+"/s")
	}
	return strings.Join(list, ", ")
}
