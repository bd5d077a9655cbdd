package protocol

import "warp/pkg/bench"

// order tells which of two stages comes later; negative: no client has such a stage.
func StageOrder(stage string) int {
	switch stage {
	case bench.StagePrepare:
		return 0
	case bench.StageBenchmark:
		return 1
	case bench.StageCleanup:
		return 2
	case bench.StageRemove:
		return 3
	}
	return -1
}

// known reports whether there is such a stage: what is kept of each has a bound.
func (k *Count) Known() bool {
	return k.Stage == "" || k.Stage == StageReport || StageOrder(k.Stage) >= 0
}

// ends reports whether a stage comes after all benchmarks.
func AfterBenchmarks(stage string) bool { return StageOrder(stage) > StageOrder(bench.StageBenchmark) }

// stageReport is the stage in which a client computes its figures and hands them over.
const StageReport = "report"

// maxNotices is how many notices of a run are passed on to the coordinator; a person could not read more.
const MaxNotices = 100

// How autoterm looks at a phase: as aggregate.Live.Stable does, cut into so many points, the last of which must agree.
const (
	StableSlices = 25
	StableLast   = 7
)

// maxPending is how many seconds of points a live message tells of at most.
const MaxPending = 10
