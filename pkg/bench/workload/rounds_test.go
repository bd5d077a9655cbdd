package workload

import "testing"

// TestRoundsAreBounded: what is remembered of all objects together has a bound, however many there are and however long they are competed for. A
// round is remembered for a while even then.
func TestRoundsAreBounded(t *testing.T) {
	for _, keys := range []uint64{1, 40, maxContended} {
		r := newRounds(keys)
		attempts := 2 * max(r.kept, uint64(r.refusals))
		for n := range attempts {
			won, lost := attempt{round: n + 1, number: 1}, attempt{round: n + 1, number: 2}
			r.begin(won)
			r.begin(lost)
			if err := r.won(won); err != nil {
				t.Fatal(err)
			}
			r.refused(lost)
		}
		if n := uint64(len(r.winners)); n > r.kept || n*keys > maxRounds+keys*minKept || n < minKept {
			t.Errorf("%d keys: %d rounds of each are remembered", keys, n)
		}
		if n := uint64(len(r.failed)); n > uint64(r.refusals) || n*keys > maxRefusals+keys*minKept || n < minKept || len(r.order) != int(n) {
			t.Errorf("%d keys: %d refused attempts of each are remembered", keys, n)
		}
		last := attempts
		if r.won(attempt{round: last, thread: 7}) == nil {
			t.Errorf("%d keys: a second winner of the last round was not noticed", keys)
		}
		if r.read(attempt{round: last, number: 2}, 0, 0) == nil {
			t.Errorf("%d keys: a write that was refused and took effect was not noticed", keys)
		}
	}
}
