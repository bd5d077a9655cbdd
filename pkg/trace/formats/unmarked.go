package formats

import (
	"strings"
	"time"

	"warp/pkg/op"
	"warp/pkg/recording"
)

// maxHeld is the maximum number of uploads of a preparation that is recognized.
const maxHeld = 1 << 18

// unmarked reads a recording, and marks the preparation if the recording does not: in recordings of MinIO warp it is uploads that all end
// before the first other operation starts.
type unmarked struct {
	*recording.Reader
	searching bool
	held      []op.Op // read ahead
	ended     time.Time
}

func newUnmarked(r *recording.Reader) *unmarked {
	return &unmarked{Reader: r, searching: r.Header().Version == 0}
}

// next returns the next operation, which is valid until the next call; nil at the end.
func (u *unmarked) next() *op.Op {
	for u.searching && u.Scan() {
		o := u.Op()
		upload := mayPrepare(o)
		u.searching = upload && len(u.held) < maxHeld
		if !upload && !o.Start.Before(u.ended) {
			for i := range u.held {
				u.held[i].Phase = op.PhasePrepare
			}
		}
		u.held = append(u.held, *o)
		if o.End.After(u.ended) {
			u.ended = o.End
		}
	}
	u.searching = false
	if len(u.held) > 0 {
		o := &u.held[0]
		u.held = u.held[1:]
		return o
	}
	if !u.Scan() {
		return nil
	}
	return u.Op()
}

// mayPrepare reports whether an operation may belong to a preparation. Other programs write URIs into such files, and prepare nothing.
func mayPrepare(o *op.Op) bool {
	kind := o.Kind.Base()
	return (kind == op.Put || kind == op.PutPart) && !strings.Contains(o.Key, "://")
}
