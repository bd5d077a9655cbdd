package bench

import (
	"context"
	"slices"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/load"
	"warp/pkg/op"
)

// TestOwnLateOfOperations: those that a turn begins with have the time since the turn was due and a thread was free; those that wait for others, or
// for a pause, have none.
func TestOwnLateOfOperations(t *testing.T) {
	stat := func(ctx context.Context, w *Worker, i uint64) error { return w.Stat(ctx, w.Set.At(i)) }
	for name, c := range map[string]struct {
		do     func(context.Context, *Worker) error
		first  int // operations, by their start, that the turn begins with
		others int
	}{
		"one after the other": {func(ctx context.Context, w *Worker) error {
			_ = stat(ctx, w, 0)
			return stat(ctx, w, 1)
		}, 1, 1},
		"after a pause": {func(ctx context.Context, w *Worker) error {
			w.Pause(ctx, time.Microsecond)
			return stat(ctx, w, 0)
		}, 0, 1},
		"after what is not measured": {func(ctx context.Context, w *Worker) error {
			_ = unmeasured(ctx, w, func() error { return nil })
			return stat(ctx, w, 0)
		}, 0, 1},
		"side by side": {func(ctx context.Context, w *Worker) error {
			begun := make(chan struct{}, 3)
			return w.Parallel(ctx, 3, func(ctx context.Context, w *Worker, i int) error {
				begun <- struct{}{}
				for len(begun) < 3 { // each lane has one
					time.Sleep(time.Microsecond)
				}
				return stat(ctx, w, uint64(i))
			})
		}, 3, 0},
		"a whole, after its first request": {func(ctx context.Context, w *Worker) error {
			return w.Whole(op.MultipartPut, w.Set.At(0), func() error {
				_ = stat(ctx, w, 0)
				return w.Parallel(ctx, 3, func(ctx context.Context, w *Worker, i int) error { return stat(ctx, w, uint64(i)) })
			})
		}, 2, 3},
		"attempts": {func(ctx context.Context, w *Worker) error {
			w.retry = &Retry{Max: 2, On: []int{503}}
			return stat(ctx, w, 0)
		}, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			k := &kept{}
			records := op.NewCollector(k)
			w := testWorker(t, records, 3, op.Stat, op.MultipartPut)
			turn := load.Turn{Due: clock.Now().Add(-time.Second), Ready: clock.Now().Add(-300 * time.Millisecond)}
			if err := w.turn(t.Context(), turn, c.do); err != nil {
				t.Fatal(err)
			}
			if err := records.Close(); err != nil {
				t.Fatal(err)
			}
			var first, others int
			for _, o := range k.ops {
				switch {
				case o.OwnLate == o.Start.Sub(turn.Ready) && o.Due.Equal(turn.Due):
					first++
				case o.OwnLate == 0 && o.Due.After(turn.Ready):
					others++
				default:
					t.Errorf("%s due %v, ready %v, begun %v: own lateness %v", o.Kind, turn.Due, turn.Ready, o.Start, o.OwnLate)
				}
			}
			if first != c.first || others != c.others {
				t.Errorf("%d operations with the client's lateness and %d without, want %d and %d", first, others, c.first, c.others)
			}
		})
	}
}

// A closed loop has no lateness.
func TestNoOwnLateInAClosedLoop(t *testing.T) {
	k := &kept{}
	records := op.NewCollector(k)
	w := testWorker(t, records, 1, op.Stat)
	err := w.turn(t.Context(), load.Turn{}, func(ctx context.Context, w *Worker) error { return w.Stat(ctx, w.Set.At(0)) })
	if err != nil || records.Close() != nil || len(k.ops) != 1 || slices.ContainsFunc(k.ops, func(o op.Op) bool { return o.OwnLate != 0 }) {
		t.Errorf("%v, %+v", err, k.ops)
	}
}

// What a user is told of turns that were late or never sent: whose doing that was.
func TestLateWarnings(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		stats load.Stats
		timed bool
		want  []string
	}{
		"on time": {load.Stats{Done: 10, Own: load.Lateness{Total: ms, Max: ms}}, false, nil},
		"the client": {
			load.Stats{Done: 10, Late: 2, Own: load.Lateness{Turns: 2, Total: 50 * ms, Max: 30 * ms}, Unsent: 2, UnsentOwn: 2},
			false,
			[]string{
				"2 turns that were due never started, although threads were free: this client was late itself",
				"own lateness: 2 of 10 turns started more than 1 ms late although a thread was free, which is this client's doing, not the store's: 5ms on average of all turns, at most 30ms; latency counts from when they were due",
			},
		},
		"the store": {
			load.Stats{Done: 10, Late: 2, Busy: load.Lateness{Turns: 2, Total: 50 * ms, Max: 30 * ms}, Unsent: 3},
			false,
			[]string{
				"the rate was not sustained: 3 turns that were due never started, because all threads were busy; use more --concurrent or a lower --rate",
				"busy: 2 of 10 turns waited more than 1 ms for a thread, since all were busy with requests to the store: 5ms on average of all turns, at most 30ms; latency counts from when they were due",
			},
		},
		"a trace": {load.Stats{Done: 10, Unsent: 3}, true, []string{
			"the rate was not sustained: 3 turns that were due never started, because all threads were busy, or what they had to follow had not ended; use more --concurrent or a lower --rate",
		}},
	} {
		s := &streamRun{stream: &stream{Stream: &Stream{}}, stats: c.stats}
		s.Schedule, s.Timed = load.Constant(5), c.timed
		if got := lateWarnings(s); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
