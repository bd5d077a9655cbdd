package index

// maxUnderWay is the maximum number of requests under way that are counted.
const maxUnderWay = 1 << 20

// ends64 is a heap of the end times of requests under way.
type ends64 struct {
	heap []int64
	most int64
}

// add adds a request, and returns the number under way.
func (h *ends64) add(now, end int64) int64 {
	for len(h.heap) > 0 && h.heap[0] <= now {
		h.pop()
	}
	if len(h.heap) < maxUnderWay {
		h.push(end)
	}
	return int64(len(h.heap))
}

func (h *ends64) push(v int64) {
	h.heap = append(h.heap, v)
	for i := len(h.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if h.heap[up] <= h.heap[i] {
			return
		}
		h.heap[up], h.heap[i] = h.heap[i], h.heap[up]
		i = up
	}
}

func (h *ends64) pop() {
	n := len(h.heap) - 1
	h.heap[0] = h.heap[n]
	h.heap = h.heap[:n]
	for i := 0; ; {
		least := 2*i + 1
		if least >= n {
			return
		}
		if least+1 < n && h.heap[least+1] < h.heap[least] {
			least++
		}
		if h.heap[i] <= h.heap[least] {
			return
		}
		h.heap[i], h.heap[least] = h.heap[least], h.heap[i]
		i = least
	}
}
