package protocol

import "warp/pkg/bench"

// StageOrder is the position of a stage among those of a run; negative: unknown.
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

// Known reports whether the stage exists: the coordinator keeps state for each one.
func (k *Count) Known() bool {
	return k.Stage == "" || k.Stage == StageReport || StageOrder(k.Stage) >= 0
}

// AfterBenchmarks reports whether a stage comes after all benchmarks.
func AfterBenchmarks(stage string) bool { return StageOrder(stage) > StageOrder(bench.StageBenchmark) }

// StageReport is the stage in which a client computes its statistics and hands them over.
const StageReport = "report"

// MaxNotices is how many notices of a client are forwarded in a run.
const MaxNotices = 100

// MaxPending is for how many seconds a live message has points at most.
const MaxPending = 10
