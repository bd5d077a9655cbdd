package cli

import (
	"warp/pkg/bench"
	"warp/pkg/observe"
	"warp/pkg/runinfo"
)

// clientViews show the runs of a client. Its coordinator makes their reports, and ends them.
type clientViews struct{ *views }

// Begin begins to show a run.
func (v clientViews) Begin(plan *bench.Plan, engine string, samples func() []observe.Sample) {
	head := &runinfo.Head{Version: Version(), Command: "client", Engine: engine, Plan: plan, Environment: runinfo.ThisMachine()}
	_ = v.begin(head, samples) // a plan that came as JSON can be written as JSON
}

// Stage shows a stage.
func (v clientViews) Stage(s bench.Stage) {
	if s.Live != nil {
		s.Live.CountMore()
	}
	view := viewOf(s)
	v.stage(&view, s.Name == bench.StageBenchmark, nil)
}

// Notice shows a message.
func (v clientViews) Notice(text string) { v.message(text) }

// End shows that the run is over.
func (v clientViews) End() { v.monitor.End() }
