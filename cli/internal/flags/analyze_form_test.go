package flags

import (
	"testing"

	"warp/pkg/report"
)

// TestForm: only a terminal gets less than everything unless that is asked for.
func TestForm(t *testing.T) {
	for _, c := range []struct {
		form              string
		terminal, verbose bool
		want              report.Form
	}{
		{"", true, false, report.Brief},
		{"auto", true, false, report.Brief},
		{"auto", false, false, report.Full},
		{"auto", true, true, report.Full},
		{"full", true, false, report.Full},
		{"brief", false, true, report.Brief},
		{"classic", true, false, report.Classic},
	} {
		a := &Analysis{form: c.form, Verbose: c.verbose}
		if got := a.Form(c.terminal); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
