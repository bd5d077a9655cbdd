package script

import (
	"strconv"
	"time"

	"warp/pkg/bench"
	"warp/pkg/gate"
	"warp/pkg/search"
	"warp/pkg/units"
)

// Resolved is what a file says, as a plan.
type Resolved struct {
	Plan   *bench.Plan
	Rules  []Rule // in the order of the file
	Sweeps []search.Sweep
	Target Command // of the first stream

	Recording string // file of all operations; may be empty, as may the other files
	JSON      string // of the report
	Series    string // of a time series
	HTML      string // of the report for browsers
	Metrics   string // address that serves figures during the run

	OnClients map[string][]string // by the name of a stream: clients that take part, as the file names them; all, where it names none
	Share     bool                // several clients share the objects of all runs
	Divided   string              // a run whose objects they do not share, while they share others; may be empty
}

// Rule is a rule that the result of a stream must meet.
type Rule struct {
	Stream string // its name in the plan
	Text   string // as it is written
	Broken gate.Rule
	Over   time.Duration // it must be met in each window of this length; 0: by the whole stream
	Abort  bool          // the run ends when it is violated
	Each   float64       // value of Broken for each client, which all of them must reach together; 0: it is that of all clients
}

// ForClients returns the rule that a number of clients must meet together.
func (r Rule) ForClients(clients int) Rule {
	if r.Each > 0 && clients > 1 {
		all := strconv.FormatFloat(r.Each*float64(clients), 'f', 3, 64)
		if parsed, err := gate.Parse(r.Broken.Kind + "." + r.Broken.Metric + r.Broken.Op + all + "/s"); err == nil {
			r.Broken, r.Text = parsed[0], r.Text+" for each of "+units.Plural(int64(clients), "client")
		}
	}
	return r
}

// nameStream has what a file says about a run be about the name of its stream in the plan.
func (r *Resolved) nameStream(run, name string, clients []string) {
	if len(clients) > 0 {
		r.OnClients[name] = clients
	}
	for i := range r.Rules {
		if r.Rules[i].Stream == run {
			r.Rules[i].Stream = name
		}
	}
}
