package load

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// Who waits for turns in flight is told how many there are, and whether they are going to be cut: not before 10 s, then each 30 s, and never while turns begin.
func TestWaiting(t *testing.T) {
	type call struct {
		at    time.Duration
		turns int
		cut   bool
	}
	const s = time.Second
	for name, c := range map[string]struct {
		options Options
		take    time.Duration
		want    []call
	}{
		"short":          {Options{Concurrency: 2, Turns: 2}, 9 * s, nil},
		"turns begin":    {Options{Concurrency: 2, Turns: 20}, 9 * s, nil},
		"long turns":     {Options{Concurrency: 2, Turns: 4}, 100 * s, nil},
		"one is left":    {Options{Concurrency: 2, Turns: 3}, 95 * s, []call{{105 * s, 1, false}, {135 * s, 1, false}, {165 * s, 1, false}}},
		"duration":       {Options{Concurrency: 2, Duration: 5 * s}, 50 * s, []call{{15 * s, 2, false}, {45 * s, 2, false}}},
		"grace":          {Options{Concurrency: 2, Duration: 5 * s, Grace: 20 * s}, 50 * s, []call{{15 * s, 2, true}}},
		"open":           {Options{Concurrency: 3, Schedule: rateOf(t, 1), Turns: 2}, 50 * s, []call{{11 * s, 2, false}, {41 * s, 2, false}}},
		"nobody is told": {Options{Concurrency: 1, Turns: 1}, 50 * s, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var got []call
				if name != "nobody is told" {
					c.options.Waiting = func(turns int, cut bool) { got = append(got, call{time.Since(begun), turns, cut}) }
				}
				if _, err := Run(t.Context(), c.options, func(ctx context.Context, _ Turn) error {
					select {
					case <-ctx.Done():
					case <-time.After(c.take):
					}
					return nil
				}); err != nil {
					t.Error(err)
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("calls %v, want %v", got, c.want)
				}
			})
		})
	}
}
