package progress

import (
	"warp/cli/internal/process"
	"warp/pkg/bench"
	"warp/pkg/observe"
	"warp/pkg/runinfo"
	"warp/pkg/s3/connect"
)

// ClientViews show the runs of a client. Its coordinator makes their reports, and ends them.
type ClientViews struct{ *Views }

// Begin begins to show a run.
func (v ClientViews) Begin(plan *bench.Plan, engine string, samples func() []observe.Sample) {
	head := &runinfo.Header{
		Version:     process.Version(),
		Command:     "client",
		Engine:      engine,
		Plan:        plan,
		Store:       connect.Dialect(&plan.Target).Describe(),
		Environment: runinfo.ThisMachine(),
	}
	_ = v.Show(head, samples) // a plan that came as JSON can be written as JSON
}

// Stage shows a stage.
func (v ClientViews) Stage(s bench.Stage) {
	if s.Live != nil {
		s.Live.CountMore()
	}
	view := viewOf(s)
	v.stage(&view, s.Name == bench.StageBenchmark, nil)
}

// Notice shows a message.
func (v ClientViews) Notice(text string) { v.message(text) }

// End shows that the run is over.
func (v ClientViews) End() { v.monitor.End() }
