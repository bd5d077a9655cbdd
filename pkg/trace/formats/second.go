package formats

import "warp/pkg/op"

// withinSecond returns when a request was within the second that is all that a log has of its time: anywhere, by a hash. Requests of an upload in
// parts are in the order in which they must have been.
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

// within spreads stamps whose resolution is a second, in the order in which they come: one after the other inside of their second, as
// evenly as the second before lets expect.
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
