package bench

import (
	"warp/pkg/trace"
)

// Objects of a replay have numbers, from which their keys follow as in any run. With --keys=keep and --keys=hash-dirs they have names of the
// trace, or of its directories, below a prefix of the run. Whatever is below it is the run's own: nothing may be there before.

// maxKey is how long keys can be.
const maxKey = 1024

// named reports whether objects have names of the trace.
func (r *Replay) named() bool { return r.Keys == KeysHashDirs || r.Keys == KeysKeep }

// standIn returns the object of the run that stands for one of the trace.
func (r *Replay) standIn(w *Worker, number uint64, size int64) (Object, error) {
	o := Object{Index: number, Bucket: w.Set.BucketOf(number), Size: size}
	if !r.named() {
		o.Key = w.Set.key(number)
		return o, nil
	}
	name, err := r.player.Name(number)
	if err != nil {
		return o, &fault{r.Trace + ": " + err.Error()}
	}
	below := w.Set.Keys.Dir(0)
	o.Key = below + trace.Storable(name, maxKey-len(below))
	return o, nil
}
