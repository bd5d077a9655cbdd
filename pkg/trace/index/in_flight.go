package index

import "warp/internal/heap"

// maxInFlight is the maximum number of requests in flight that are counted.
const maxInFlight = 1 << 20

// endTime is when a request ends, in the unit of its trace.
type endTime int64

// Before reports whether the request ends before another one.
func (e endTime) Before(o endTime) bool { return e < o }

// ends64 is the end times of requests in flight.
type ends64 struct {
	heap    heap.Heap[endTime]
	highest int64
}

// add adds a request, and returns the number in flight.
func (h *ends64) add(now, end int64) int64 {
	for len(h.heap) > 0 && int64(h.heap[0]) <= now {
		h.heap.Pop()
	}
	if len(h.heap) < maxInFlight {
		h.heap.Push(endTime(end))
	}
	return int64(len(h.heap))
}
