package progress

import (
	"time"

	"warp/pkg/aggregate/live"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
)

// stageView is a stage that is being shown, of a run here or of one by clients.
type stageView struct {
	name, workload string
	step           bool   // of a scenario, which workload names
	phase          int    // of the benchmark: its index in the plan
	total          uint64 // 0: not known
	noun           string // what total counts; empty: objects
	warmup         time.Duration
	duration       time.Duration // after it
	start          time.Time
	done           func() uint64
	recent         func(time.Time) (live.Recent, bool)                             // nil: there are no statistics
	counts         func() []live.Count                                             // nil: likewise
	detail         func(second, now time.Time) (live.Detail, []live.ClientFigures) // for the full screen, or nil
}

// viewOf returns what is shown of a stage of a run here.
func viewOf(s bench.Stage) stageView {
	v := stageView{
		name:     s.Name,
		phase:    s.Phase,
		step:     s.Step,
		workload: s.Workload,
		total:    s.Total,
		noun:     nounOf(s.Name, s.Step),
		warmup:   s.Warmup,
		duration: s.Duration,
		start:    s.Start,
		done:     s.Done,
	}
	if s.Live != nil {
		v.recent, v.counts = s.Live.Recent, s.Live.Counts
	}
	return v
}

// titles returns the titles of the phases of a plan.
func titles(p *bench.Plan) (list []string) {
	for i := range p.Phases {
		list = append(list, p.Phases[i].Title())
	}
	return list
}

// nounOf returns what the total of a stage counts.
func nounOf(stage string, step bool) string {
	if stage == bench.StageBenchmark && !step {
		return "operation"
	}
	return ""
}

// stageExamine is the stage of a store being checked.
const stageExamine = "examine"

func (s *stageView) title() string {
	switch s.name {
	case bench.StagePrepare:
		return "Preparing"
	case bench.StageCleanup:
		return "Cleaning up"
	case bench.StageVerify:
		return "Verifying"
	case stageExamine:
		return "Checking"
	case protocol.StageReport:
		return "Handing over the results"
	}
	if s.step {
		return "Step: " + s.workload
	}
	return "Benchmarking " + s.workload
}
