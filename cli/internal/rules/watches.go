package rules

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"warp/cli/internal/process"
	"warp/pkg/distributed/protocol"
	"warp/pkg/gate"
	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/report"
	"warp/pkg/runinfo"
)

// Watches judges rules on sliding windows, and ends a run by those that say so. It is an op.Sink.
type Watches struct {
	mu    sync.Mutex
	list  []ruleWatch
	ended bool
	stop  context.CancelCauseFunc
}

// ruleWatch is a rule, and the operations that it is about.
type ruleWatch struct {
	runinfo.Rule
	*gate.Watch
}

// watched reports whether a rule is judged on a sliding window, or while the run goes on.
func watched(r runinfo.Rule) bool { return r.Over > 0 || r.Abort }

// NewWatches returns what judges rules on sliding windows; nil if there are none.
func NewWatches(rules []runinfo.Rule, stop context.CancelCauseFunc) *Watches {
	w := &Watches{stop: stop}
	for _, r := range rules {
		parsed, err := gate.Parse(r.Broken)
		if watched(r) && err == nil && parsed[0].CheckOver(r.Over, r.Abort) == nil && (r.Over == 0 || r.Over >= gate.MinOver) {
			w.list = append(w.list, ruleWatch{r, gate.NewWatch(parsed[0], r.Stream, r.Over)})
		}
	}
	if w.list == nil {
		return nil
	}
	return w
}

// Write counts operations.
func (w *Watches) Write(ops []op.Op) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range ops {
		for _, r := range w.list {
			r.Add(&ops[i])
		}
	}
	return nil
}

// Close does nothing.
func (w *Watches) Close() error { return nil }

// Observe judges what ended until now, and ends the run if a rule that says so is violated.
func (w *Watches) Observe(now time.Time) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.list {
		w.judge(&r, now.Add(-op.MaxDelay))
	}
}

// judge judges the windows that ended before a time, and ends the run if the rule says so and is violated in one; w.mu is held.
func (w *Watches) judge(r *ruleWatch, until time.Time) {
	if broken := r.Judge(until); broken && r.Abort && !w.ended {
		w.ended = true
		w.stop(process.WithCode(process.ExitGate,
			fmt.Errorf("the run was ended by the rule %s%s, which is violated", r.Text, InStream(r.Rule.Stream))))
	}
}

// Windows returns the windows of all rules, which clients count for the coordinator.
func (w *Watches) Windows() (list []protocol.Watch) {
	if w == nil {
		return nil
	}
	for _, r := range w.list {
		if one := (protocol.Watch{Stream: r.Rule.Stream, Over: r.Over}); r.Over > 0 && !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

// Add counts operations of clients in windows, which have all that ended before a time.
func (w *Watches) Add(of protocol.Watch, steps []gate.Step, until time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.list {
		if r.Rule.Stream != of.Stream || r.Over != of.Over {
			continue
		}
		for i := range steps {
			r.AddStep(&steps[i])
		}
		w.judge(&r, until)
	}
}

// verdict returns the verdict on a rule; ok is false if it was not watched.
func (w *Watches) verdict(rule runinfo.Rule) (e report.Expectation, ok bool) {
	if w == nil {
		return e, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.list, func(r ruleWatch) bool { return r.Rule == rule })
	if i < 0 {
		return e, false
	}
	verdict, found := w.list[i].Verdict()
	return report.Expectation{
		Stream:  rule.Stream,
		Rule:    rule.Text,
		Met:     verdict == gate.Held,
		Verdict: verdict,
		Found:   found,
	}, true
}

// maxDisorder is how much later than another operation one may stand in a recording although it ended earlier.
const maxDisorder = time.Minute

// WatchRecordings judges what recordings say was expected of sliding windows; nil if that is nothing.
func WatchRecordings(rules []runinfo.Rule, inputs []recording.Input) (w *Watches, err error) {
	if w = NewWatches(slices.DeleteFunc(slices.Clone(rules), func(r runinfo.Rule) bool { return r.Over == 0 }), nil); w == nil {
		return nil, nil
	}
	for _, in := range inputs {
		r, err := in.Reader()
		if err != nil {
			return nil, err
		}
		latest := time.Time{}
		for n := 1; r.Scan(); n++ {
			o := r.Op()
			for _, rule := range w.list {
				rule.Add(o)
			}
			if o.End.After(latest) {
				latest = o.End
			}
			if n%10_000 == 0 && len(inputs) == 1 { // several are read one after the other
				for _, rule := range w.list {
					rule.Judge(latest.Add(-maxDisorder))
				}
			}
		}
		if err := errors.Join(r.Err(), r.Close()); err != nil {
			return nil, err
		}
	}
	return w, nil
}
