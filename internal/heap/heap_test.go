package heap

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type number int

func (n number) Before(o number) bool { return n < o }

// Elements come out in order, however they came in, and however the first ones change.
func TestHeap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for size := range 50 {
		var h Heap[number]
		var want []number
		add := func() number {
			n := number(random.IntN(20))
			want = append(want, n)
			return n
		}
		for range size {
			h = append(h, add())
		}
		h.Init()
		for range random.IntN(10) {
			h.Push(add())
		}
		for range min(len(h), random.IntN(10)) {
			i := slices.Index(want, h[0])
			h[0] += number(random.IntN(9))
			want[i] = h[0]
			h.Fix()
		}
		slices.Sort(want)
		for _, n := range want {
			if got := h.Pop(); got != n {
				t.Fatalf("%d comes out, want %d of %v", got, n, want)
			}
		}
		if len(h) != 0 {
			t.Errorf("%v are left", h)
		}
	}
}
