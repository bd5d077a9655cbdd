package cli

import (
	"runtime"
	"time"

	"warp/internal/option"
	"warp/pkg/bench"
	"warp/view/terminal"
)

const uiFull = "full" // the whole screen

const uiLine = "line" // a bar and a few figures in place

const uiPlain = "plain" // a line now and then

// longRun is how long a run must be planned to last to have the whole screen by itself.
const longRun = time.Minute

// checkUI rejects a form that is not possible here.
func (o *outputFlags) checkUI(e *Env) error {
	if o.ui == "" {
		return nil
	}
	if err := option.OneOf("ui", o.ui, uiFull, uiLine, uiPlain); err != nil {
		return err
	}
	switch {
	case o.ui == uiFull && (e.Keys == nil || !terminal.Foreground(e.Keys)):
		return option.Errorf("ui", "full needs a terminal at standard input and standard error (want line or plain)")
	case o.ui == uiLine && !e.TTY:
		return option.Errorf("ui", "line needs a terminal at standard error (want plain)")
	}
	return nil
}

// form returns the form in which a run is shown that is planned to last so long; 0: nobody knows.
func (o *outputFlags) form(e *Env, length time.Duration) string {
	term := e.Getenv("TERM")
	switch {
	case o.ui != "":
		return o.ui
	case !e.TTY || term == "dumb" || e.Getenv("CI") != "":
		return uiPlain
	case length <= longRun || o.quiet || e.Keys == nil || !terminal.Foreground(e.Keys):
		return uiLine
	case term == "" && runtime.GOOS != "windows":
		return uiLine
	}
	return uiFull
}

// planned returns how long a plan measures; longer than any run if a search decides, 0 if a number of operations does.
func planned(p *bench.Plan) (length time.Duration) {
	for i := range p.Phases {
		if p.Phases[i].Search != nil {
			return 2 * longRun
		}
		length += p.Phases[i].LongestWarmup() + p.Phases[i].Measured()
	}
	return length
}
