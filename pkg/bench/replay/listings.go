package replay

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/trace"
)

// listings perform the listings of a trace. A listing has one page, or as many entries as in the trace.
type listings struct {
	mu        sync.Mutex
	pages     []*ops.Listing       // to be used again; there are as many as listings were under way
	further   map[listingOf]string // where the next page of listings begins that had more
	inTrace   atomic.Int64         // entries that these listings returned in the trace, if it has their number
	returned  atomic.Int64         // that the same listings returned here
	restarted atomic.Int64         // pages that began where the listing does, since the page before was not known
}

// listingOf identifies a listing: a client's, of a prefix.
type listingOf struct {
	prefix uint64
	client uint32
}

// maxFurther is the maximum number of remembered listings with further pages.
const maxFurther = 1 << 16

// do performs a listing of objects below a prefix, from the key after on.
func (l *listings) do(ctx context.Context, w *work.Worker, o *trace.Operation, prefix, after string) error {
	of := listingOf{o.Object, o.Client}
	page := l.page()
	defer l.release(page)
	page.Prefix, page.StartAfter, page.Flat = prefix, after, o.Listed&trace.ListedFlat != 0
	from := ""
	if o.Listed&trace.ListedFurther != 0 {
		from = l.take(of)
	}
	listed := 0
	err := w.Op(ctx, op.List, func(rec *op.Op) error {
		rec.Key, rec.Objects = prefix, 0
		defer func() { listed = rec.Objects }()
		page.Token = from
		left := o.Size
		w.InBucket(w.Set.BucketOf(o.Object), rec)
		for ; ; w.CountRequest() {
			page.MaxKeys = int(max(0, min(left, ops.MaxEntries)))
			err := ops.List(ctx, w.S3, &w.Call, page)
			if rec.FirstByte.IsZero() {
				rec.FirstByte = w.Call.FirstByte
			}
			if err != nil {
				return err
			}
			n := len(page.Entries) + page.RolledUp
			rec.Objects += n
			if left -= int64(n); left <= 0 || page.Next == "" {
				return nil
			}
			page.Token = page.Next
		}
	})
	if err != nil {
		return err
	}
	l.keep(of, page.Next)
	if counted := o.Listed&trace.ListedCounted != 0 && !o.Failed() && o.Size >= 0; counted {
		l.inTrace.Add(o.Size)
		l.returned.Add(int64(listed))
	}
	return nil
}

// page returns an empty listing.
func (l *listings) page() *ops.Listing {
	l.mu.Lock()
	defer l.mu.Unlock()
	return takeFree(&l.pages)
}

// release takes a listing back.
func (l *listings) release(page *ops.Listing) {
	clear(page.Entries) // which hold keys
	page.Reset()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pages = append(l.pages, page)
}

// take returns the token of the next page of a listing; empty if unknown.
func (l *listings) take(of listingOf) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	token := l.further[of]
	if token == "" {
		l.restarted.Add(1)
	}
	return token
}

// differ returns a warning if listings returned a number of entries that differs from the trace's by more than 5%; otherwise it is empty.
func (l *listings) differ() string {
	then, now := l.inTrace.Load(), l.returned.Load()
	if by := max(then-now, now-then); by*20 <= max(then, now) {
		return ""
	}
	const text = "replay: listings returned %d entries, in the trace %d: their latencies are not comparable"
	return fmt.Sprintf(text, now, then)
}

// keep stores the token of the next page of a listing; an empty token ends the listing.
func (l *listings) keep(of listingOf, token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if token == "" {
		delete(l.further, of)
		return
	}
	for other := range l.further { // any one
		if len(l.further) < maxFurther {
			break
		}
		delete(l.further, other)
	}
	l.further[of] = token
}

// startOf returns the key to start a listing after, a different one for each prefix, if names have no prefixes of the trace. It is empty,
// so that the listing starts at the first key, if the listing asks for most of the objects, and in stores and directory buckets that cannot
// list from a key on.
func startOf(set *dataset.DataSet, store s3.Dialect, bucket string, o *trace.Operation, objects uint64) string {
	want := uint64(ops.MaxEntries)
	if o.Size > 0 {
		want = uint64(o.Size)
	}
	if 2*want > objects || s3.IsDirectory(bucket) || store.Lacks(s3.StartAfter) != "" {
		return ""
	}
	return set.Key(generator.Uniform(set.Seed(dataset.StreamObject), o.Object, objects))
}
