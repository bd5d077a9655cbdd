package distributed

import "warp/pkg/bench"

// order tells which of two stages comes later; negative: no client has such a stage.
func order(stage string) int {
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
func (k *count) known() bool { return k.Stage == "" || k.Stage == stageReport || order(k.Stage) >= 0 }

// ends reports whether a stage comes after all benchmarks.
func ends(stage string) bool { return order(stage) > order(bench.StageBenchmark) }
