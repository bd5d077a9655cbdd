package bench

import (
	"slices"
	"testing"

	"warp/pkg/load"
	"warp/pkg/op"
)

// The turns of an alternative have the numbers 0, 1, 2, ... of its own, however fine the shares are.
func TestProportionsOf(t *testing.T) {
	for _, c := range []struct {
		shares []Share
		slots  int
		want   []uint64 // of each alternative, in as many turns as there are slots
	}{
		{[]Share{45, 30, 15, 10}, 1000, []uint64{450, 300, 150, 100}},
		{[]Share{1, 1, 1}, 1000, []uint64{334, 333, 333}},
		{[]Share{99.95, 0.05}, 10_000, []uint64{9995, 5}},
		{[]Share{1e5 - 1, 1}, 100_000, []uint64{99_999, 1}},
	} {
		slots := slotsFor(c.shares)
		p := newProportions(3, slots, c.shares)
		if slots != c.slots || !slices.Equal(p.counts, c.want) {
			t.Errorf("%v: %v of %d turns, want %v of %d", c.shares, p.counts, slots, c.want, c.slots)
		}
		next := make([]uint64, len(c.shares))
		for turn := range uint64(2 * slots) {
			k, before := p.Of(turn)
			if k != p.At(turn) || before != next[k] {
				t.Fatalf("%v: turn %d is number %d of %d, want number %d of %d", c.shares, turn, before, k, next[k], p.At(turn))
			}
			next[k]++
		}
	}
}

// quickTasks returns a stream of so many tasks whose requests succeed at once.
func quickTasks(tb testing.TB, n int) *streamRun {
	records := op.NewCollector()
	tb.Cleanup(func() { _ = records.Close() })
	sr := &streamRun{stream: &stream{}, own: n}
	buffer := records.Worker() // of the thread, whatever its task
	for k := range n {
		w := testWorker(tb, records, 1, op.Get)
		w.records = buffer
		sr.weights = append(sr.weights, Share(1+float64(k)/7))
		sr.tasks = append(sr.tasks, &taskRun{do: (&Get{}).Do, workers: []*Worker{w}})
	}
	sr.order = sr.proportions(1)
	return sr
}

// turn performs a turn of the first thread.
func (s *streamRun) turn(tb testing.TB, n uint64) {
	t := load.Turn{N: n}
	task := s.take(&t)
	if err := task.workers[0].turn(tb.Context(), t, task.do); err != nil {
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
