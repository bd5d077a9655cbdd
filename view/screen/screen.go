package screen

import (
	"io"
	"os"
	"sync"
	"time"

	"charm.land/lipgloss/v2"

	"warp/internal/clock"
	"warp/view/terminal"
)

// Options says where a Screen is shown, and what its keys do. Functions are called by goroutines of their own, and may block.
type Options struct {
	In, Out   *os.File          // the terminal
	Text      io.Writer         // the terminal, for what stays on it
	Line      terminal.Progress // shows what comes before the first stage, and after the screen
	Color     bool
	ASCII     bool
	Where     string              // what is measured
	Guard     func() (end func()) // protects the terminal until end is called; nil: nothing does
	Quit      func()              // stop and report
	Interrupt func()              // Ctrl-C, which sends no signal in this mode of the terminal
	Detached  func()              // the screen was left, and the run goes on
	Mark      func(Mark)          // keeps a mark
	Rate      func(factor float64) ([]Mark, error)
}

// Screen shows a run on the whole screen, as a terminal.Progress. It begins with the first stage, and ends with Close or when a person
// leaves it; then it is what Options.Line is. Its methods never wait for the terminal, except where it ends.
type Screen struct {
	opts Options

	mu      sync.Mutex
	state   state
	events  []any // for the program, in their order
	update  *terminal.Update
	wake    chan struct{}
	log     []string // lines that stay when the screen is left
	current terminal.Current
	program *program
}

// state is how far a Screen is.
type state int

const (
	waiting state = iota // for the first stage
	shown
	left // what is to be shown goes to Options.Line
)

// Events for the program, in addition to Moment.
type (
	stageEvent   struct{ terminal.Stage }
	updateEvent  struct{ terminal.Update }
	messageEvent struct{ text string }
)

// New returns a Screen, which shows nothing yet.
func New(o Options) *Screen { return &Screen{opts: o, wake: make(chan struct{}, 1)} }

// Stage begins to show a stage.
func (s *Screen) Stage(st terminal.Stage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == left {
		s.opts.Line.Stage(st)
		return
	}
	s.endStage()
	s.current = terminal.Current{Stage: st}
	s.send(stageEvent{st})
	if s.state == waiting {
		s.state = shown
		s.program = startProgram(s)
	}
}

// endStage keeps what is said of the stage that is over.
func (s *Screen) endStage() {
	if s.current.Name != "" {
		text := s.current.Summary()
		s.log = append(s.log, text)
		s.send(messageEvent{text})
	}
	s.current = terminal.Current{}
}

// Update shows where the stage stands.
func (s *Screen) Update(u terminal.Update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == left {
		s.opts.Line.Update(u)
		return
	}
	s.current.Last = u
	s.update = &u
	s.wakeUp()
}

// Moment shows what happened in a second.
func (s *Screen) Moment(m Moment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == shown {
		s.send(m)
	}
}

// maxEvents is how many events wait for a terminal that does not move; further moments are dropped.
const maxEvents = 1000

// send queues an event.
func (s *Screen) send(event any) {
	if _, ok := event.(Moment); ok && len(s.events) >= maxEvents {
		return
	}
	s.events = append(s.events, event)
	s.wakeUp()
}

func (s *Screen) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// take returns what is queued.
func (s *Screen) take() []any {
	s.mu.Lock()
	defer s.mu.Unlock()
	events := s.events
	if s.update != nil {
		events = append(events, updateEvent{*s.update})
	}
	s.events, s.update = nil, nil
	return events
}

// Message shows a notice. It stays when the screen is left.
func (s *Screen) Message(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != shown {
		s.opts.Line.Message(text)
		return
	}
	s.log = append(s.log, text)
	s.send(messageEvent{text})
}

// Close leaves the screen. What it showed last stays on the terminal.
func (s *Screen) Close() {
	s.mu.Lock()
	running := s.program
	s.mu.Unlock()
	if running != nil {
		running.stop()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == left {
		s.opts.Line.Close()
	}
	s.state = left
}

// leave is called when the program has ended: the terminal is as it was. Of the run goes on, the line shows it from here.
func (s *Screen) leave(final string, goesOn bool) {
	s.mu.Lock()
	s.program = nil
	s.state = left
	if !goesOn {
		s.endStage()
	}
	_, _ = lipgloss.Fprint(s.opts.Text, final) // reduces colours to what the terminal has
	for _, text := range s.log {
		s.opts.Line.Message(text)
	}
	s.log = nil
	if goesOn && s.current.Name != "" {
		s.opts.Line.Stage(s.current.Stage)
		s.opts.Line.Update(s.current.Last)
	}
	s.mu.Unlock()
	if goesOn && s.opts.Detached != nil {
		s.opts.Detached()
	}
}

// mark keeps a moment, and says so.
func (s *Screen) mark(m Mark) {
	s.opts.Mark(m)
	s.Message("Mark at " + m.At.Local().Format(time.TimeOnly) + ": " + m.Text)
}

// rate changes the rate, and returns the marks of it.
func (s *Screen) rate(factor float64) []Mark {
	marks, err := s.opts.Rate(factor)
	if err != nil {
		s.Message(err.Error())
	}
	for _, m := range marks {
		s.mark(m)
	}
	return marks
}

func now() time.Time { return clock.Now() }
