package distributed

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"time"
)

// liveHist counts latencies for the line of progress: in buckets a 32nd wide, which is enough to look at, and little
// enough to send every second. It merges by addition. Reports come from aggregate.Histogram.
type liveHist struct {
	counts [liveBuckets]uint64
	total  uint64
}

const (
	liveBits    = 5
	liveBuckets = 38 << liveBits // up to more than an hour
)

func liveBucket(v int64) int {
	u := uint64(max(v, 0))
	e := max(0, bits.Len64(u)-liveBits-1)
	return min(e<<liveBits+int(u>>e), liveBuckets-1)
}

// liveValue is the middle of a bucket.
func liveValue(i int) time.Duration {
	e := max(0, i>>liveBits-1)
	return time.Duration(i-e<<liveBits)<<e + time.Duration(1)<<e/2
}

func (h *liveHist) add(d time.Duration) {
	h.counts[liveBucket(int64(d))]++
	h.total++
}

func (h *liveHist) merge(o *liveHist) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.total += o.total
}

// percentile is 0 if nothing was counted.
func (h *liveHist) percentile(p float64) time.Duration {
	rank := uint64(p / 100 * float64(h.total))
	var seen uint64
	for i, n := range h.counts {
		if seen += n; seen > rank {
			return liveValue(i)
		}
	}
	return 0
}

// encode writes pairs of varints: how many buckets are empty before the next one, and its count.
func (h *liveHist) encode() []byte {
	var b []byte
	empty := uint64(0)
	for _, n := range h.counts {
		if n == 0 {
			empty++
			continue
		}
		b = binary.AppendUvarint(b, empty)
		b = binary.AppendUvarint(b, n)
		empty = 0
	}
	return b
}

var errLiveHist = errors.New("the latencies of a live message are malformed")

// decode adds what encode wrote.
func (h *liveHist) decode(b []byte) error {
	for i := uint64(0); len(b) > 0; i++ {
		empty, n := binary.Uvarint(b)
		if n <= 0 || empty >= liveBuckets {
			return errLiveHist
		}
		b = b[n:]
		count, n := binary.Uvarint(b)
		if i += empty; n <= 0 || i >= liveBuckets || count > 1<<48 {
			return errLiveHist
		}
		b = b[n:]
		h.counts[i] += count
		h.total += count
	}
	return nil
}
