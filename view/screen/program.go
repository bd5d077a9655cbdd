package screen

import (
	"context"
	"fmt"
	"sync"

	tea "charm.land/bubbletea/v2"

	"warp/view/terminal"
)

// framesPerSecond is how often the screen is drawn at most.
const framesPerSecond = 10

// rateStep is by how much a key changes the rate.
const rateStep = 1.1

// program is a Screen that has the terminal.
type program struct {
	tea    *tea.Program
	cancel context.CancelFunc
	done   chan struct{} // closed when the terminal is as it was
}

// startProgram takes the terminal over.
func startProgram(s *Screen) *program {
	ctx, cancel := context.WithCancel(context.Background())
	v := &view{screen: s, style: newStyle(s.opts.Color, s.opts.ASCII), model: &Model{Where: s.opts.Where}}
	p := &program{cancel: cancel, done: make(chan struct{})}
	p.tea = tea.NewProgram(v, tea.WithInput(s.opts.In), tea.WithOutput(s.opts.Out), tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond))
	end := func() {}
	if s.opts.Guard != nil {
		end = s.opts.Guard()
	}
	var wg sync.WaitGroup
	wg.Go(func() { forward(ctx, s, p.tea) })
	go func() {
		defer close(p.done)
		_, err := p.tea.Run()
		cancel()
		wg.Wait()
		end()
		if err != nil && !v.detach {
			v.detach = true // the display failed; the run goes on
			s.log = append(s.log, fmt.Sprintf("The screen cannot be shown: %v", err))
		}
		final := ""
		if v.width > 0 {
			final = Final(v.model, v.style, v.width, v.height)
		}
		s.leave(final, v.detach)
	}()
	return p
}

// stop gives the terminal back.
func (p *program) stop() {
	p.tea.Quit()
	<-p.done
}

// forward passes on what a Screen has been told. If the terminal does not take what is written to it, only this goroutine waits.
func forward(ctx context.Context, s *Screen, p *tea.Program) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		for _, event := range s.take() {
			p.Send(event)
		}
	}
}

// view is the Model of a Screen in terms of the library.
type view struct {
	screen        *Screen
	style         *Style
	model         *Model // the newest
	held          *Model // the one that is shown while the display is paused; else nil
	width, height int
	detach        bool
}

// Init does nothing: everything comes as a message.
func (v *view) Init() tea.Cmd { return nil }

// Update handles a message.
func (v *view) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		v.width, v.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return v, v.press(msg.String())
	case marksEvent:
		v.model.Marks = append(v.model.Marks, msg...)
	case stageEvent:
		v.model.Begin(msg.Stage)
	case updateEvent:
		v.model.Current.Last = msg.Update
	case messageEvent:
		v.model.say(msg.text)
	case Moment:
		v.model.add(msg)
	}
	return v, nil
}

// View draws the model.
func (v *view) View() tea.View {
	var text string
	if v.width > 0 {
		m := v.model
		if v.held != nil {
			m = v.held
		}
		text = Render(m, v.style, v.width, v.height)
	}
	shown := tea.NewView(text)
	shown.AltScreen = true
	shown.DisableBracketedPasteMode = true
	return shown
}

// marksEvent is marks that were made.
type marksEvent []Mark

// press does what a key does.
func (v *view) press(key string) tea.Cmd {
	switch key {
	case "q", "Q":
		if v.model.Stopping {
			return nil
		}
		v.model.Stopping = true
		return v.call(v.screen.opts.Quit)
	case "ctrl+c":
		return v.call(v.screen.opts.Interrupt)
	case "ctrl+z":
		return tea.Suspend
	case "d":
		v.detach = true
		return tea.Quit
	case "m":
		m := Mark{At: now(), Text: fmt.Sprintf("mark %d", len(v.model.Marks)+1)}
		v.model.Marks = append(v.model.Marks, m)
		return v.call(func() { v.screen.mark(m) })
	case "+", "=":
		return v.change(rateStep)
	case "-", "_":
		return v.change(1 / rateStep)
	default:
		v.look(key)
	}
	return nil
}

// call calls a function in a goroutine of its own.
func (v *view) call(do func()) tea.Cmd {
	return func() tea.Msg {
		do()
		return nil
	}
}

// change changes the rate.
func (v *view) change(factor float64) tea.Cmd {
	return func() tea.Msg {
		if marks := v.screen.rate(factor); len(marks) > 0 {
			return marksEvent(marks)
		}
		return nil
	}
}

// look changes what is shown.
func (v *view) look(key string) {
	apply := func(m *Model) {
		switch key {
		case "1", "2", "3", "4", "5":
			m.open(Panel(key[0] - '1'))
		case "tab":
			next := (m.panel() + 1) % panels
			if !m.shows(next) {
				next++
			}
			m.open(next)
		case "?", "h":
			m.Help = !m.Help
		case "esc":
			m.Help = false
		case "s":
			m.Order, m.Top = (m.Order+1)%orders, 0
		case "z":
			m.Whole = !m.Whole
		case "up", "k":
			m.Top = max(0, m.Top-1)
		case "down", "j":
			m.Top = min(m.Top+1, max(0, count(m)-1))
		case "space":
			m.Paused = !m.Paused
		}
	}
	apply(v.model)
	if v.held != nil {
		apply(v.held)
	}
	switch {
	case !v.model.Paused:
		v.held = nil
	case v.held == nil:
		v.held = v.model.frozen()
	}
}

var _ terminal.Progress = (*Screen)(nil)
