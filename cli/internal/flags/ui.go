package flags

import (
	"runtime"
	"time"

	"warp/cli/internal/process"
	"warp/internal/option"
	"warp/pkg/bench"
	"warp/view/terminal"
)

// Forms of progress.
const (
	Full  = "full"  // the whole screen
	Line  = "line"  // a bar and a few figures in place
	Plain = "plain" // a line now and then
)

// forms are all forms of progress.
var forms = []string{Full, Line, Plain}

// longRun is how long a run must be planned to last to have the whole screen by itself.
const longRun = time.Minute

// CheckUI rejects a form that is not possible here.
func (o *Output) CheckUI(e *process.Env) error {
	if o.UI == "" {
		return nil
	}
	if err := option.OneOf("ui", o.UI, forms...); err != nil {
		return err
	}
	switch {
	case o.UI == Full && (e.Keys == nil || !terminal.Foreground(e.Keys)):
		return option.Errorf("ui", "full needs a terminal at standard input and standard error (want line or plain)")
	case o.UI == Line && !e.TTY:
		return option.Errorf("ui", "line needs a terminal at standard error (want plain)")
	}
	return nil
}

// Form returns how to show a run with a planned length; 0 if that is unknown.
func (o *Output) Form(e *process.Env, length time.Duration) string {
	term := e.Getenv("TERM")
	switch {
	case o.UI != "":
		return o.UI
	case !e.TTY || term == "dumb" || e.Getenv("CI") != "":
		return Plain
	case length <= longRun || o.Quiet || e.Keys == nil || !terminal.Foreground(e.Keys):
		return Line
	case term == "" && runtime.GOOS != "windows":
		return Line
	}
	return Full
}

// Planned returns how long a plan measures; longer than any run if a search decides, 0 if a number of operations does.
func Planned(p *bench.Plan) (length time.Duration) {
	for i := range p.Phases {
		if p.Phases[i].Search != nil {
			return 2 * longRun
		}
		length += p.Phases[i].LongestWarmup() + p.Phases[i].Measured()
	}
	return length
}
