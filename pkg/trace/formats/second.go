package formats

import "warp/pkg/op"

// withinSecond returns a time within the second, for logs with a resolution of a second: any, by a hash. Requests of an upload in parts
// keep their order.
func withinSecond(hash uint64, kind op.Kind) int64 {
	const third = uint64(second / 3)
	switch kind {
	case op.CreateUpload:
		return int64(hash % third)
	case op.PutPart, op.CopyPart:
		return int64(third + hash%third)
	case op.CompleteUpload, op.AbortUpload:
		return int64(2*third + hash%third)
	}
	return int64(hash % uint64(second))
}

// within spreads times with a resolution of a second over their second, in the order of records. It expects as many records as in the
// second before.
type within struct {
	second       int64
	count, usual float64
}

// spread returns the time of the next event of a second.
func (w *within) spread(at int64) int64 {
	if at != w.second || w.usual == 0 {
		w.second, w.usual, w.count = at, max(w.count, 100), 0
	}
	// Even as long as there are no more than expected; the rest comes ever closer to the end of the second.
	const even = 0.9
	share := w.count / w.usual * even
	if share >= even {
		over := share - even
		share = even + (1-even)*over/(over+1)
	}
	w.count++
	return at + int64(share*float64(second))
}
