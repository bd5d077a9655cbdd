package bench

import (
	"testing"

	"warp/pkg/bench/internal/benchtest"
	"warp/pkg/bench/work"
	"warp/pkg/bench/workload"
	"warp/pkg/load"
	"warp/pkg/op"
)

// quickTasks returns a stream of a number of tasks, with immediate success of all requests.
func quickTasks(tb testing.TB, n int) *streamRun {
	records := op.NewCollector()
	tb.Cleanup(func() { _ = records.Close() })
	sr := &streamRun{stream: &stream{}, own: n}
	buffer := []*op.WorkerBuf{records.Worker()} // of the thread, whatever its task
	for k := range n {
		w := benchtest.WorkerOf(tb, work.Options{}, buffer, op.Get)
		sr.weights = append(sr.weights, work.Share(1+float64(k)/7))
		sr.tasks = append(sr.tasks, &taskRun{do: (&workload.Get{}).Do, workers: []*work.Worker{w}})
	}
	sr.order = sr.proportions(1)
	return sr
}

// turn performs a turn of the first thread.
func (s *streamRun) turn(tb testing.TB, n uint64) {
	t := load.Turn{N: n}
	task := s.chooseTask(&t)
	if err := task.workers[0].Perform(tb.Context(), t, task.do); err != nil {
		tb.Fatal(err)
	}
}

// A turn of one of many tasks costs no more memory than one of a single task.
func TestTasksCostNoMemory(t *testing.T) {
	s, n := quickTasks(t, 100), uint64(0)
	if allocs := testing.AllocsPerRun(1000, func() { s.turn(t, n); n++ }); allocs > 1 {
		t.Errorf("%v allocations per turn, want 1, the key", allocs)
	}
}
