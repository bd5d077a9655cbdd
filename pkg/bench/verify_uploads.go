package bench

import (
	"io"
	"net/http"
	"time"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/s3/ops"
)

// uploaded is the recorded state of a client's data set. Recordings are not strictly in order of time, so it holds the events of each
// object, not their order: a run never uploads an object again after its deletion.
type uploaded struct {
	*dataset.Layout
	made    dataset.Bitmap
	deleted dataset.Bitmap
	tried   dataset.Bitmap // the upload failed, but may have taken effect
	doubted dataset.Bitmap // likewise the deletion
	batches bool           // objects with unrecorded keys were deleted

	rewrites  bool           // uploads may give an object other contents
	rewritten dataset.Bitmap // more than one upload did, or may have

	open     work.OpenContents  // of the first objects; nil: the contents are the data set's
	opened   uint64             // number of these objects
	copies   dataset.Bitmap     // objects with the contents of the nearest lower index that is not a copy
	appended map[uint64]appends // to objects made of appends
	renamed  map[uint64]uint64  // the object that has, or may have, the name of another, by the object with the new name
	sizes    map[uint64]size    // of objects with contents unknown to the plan; nil: the plan knows all
	unsized  bool               // sizes are not in the recording either
}

// appends are the recorded appends to an object.
type appends struct {
	bytes   int64
	doubted bool // there may be more
}

// size is the size of an object after an operation.
type size struct {
	at    time.Time // end of the operation
	bytes int64     // -1: unknown
}

// upload notes an upload of object i, which succeeded, or was at least tried.
func (u *uploaded) upload(i uint64, succeeded bool) {
	if u.rewrites && (u.made.Has(i) || u.tried.Has(i)) {
		u.rewritten.Set(i)
	}
	if succeeded {
		u.made.Set(i)
	} else {
		u.tried.Set(i)
	}
}

// state reports whether object i may be in the bucket, and whether it must be.
func (u *uploaded) state(i uint64) (may, must bool) {
	made, doubted := u.made.Has(i), u.doubted.Has(i)
	if u.deleted.Has(i) {
		return false, false
	}
	return made || doubted || u.tried.Has(i), made && !doubted && !u.batches
}

// setContents determines the contents of a data set's objects.
func (u *uploaded) setContents(plan *Compiled, set *setPlan) {
	w, ok := ownContents(plan, set)
	if !ok {
		return
	}
	open, sized := w.Contents(u.Layout)
	if u.open, u.opened, u.unsized = open, set.objects, !sized; open == nil {
		u.sizes = map[uint64]size{}
	}
}

// uploadAll notes an upload of object i, or of an archive, which has the key of its first object.
func (u *uploaded) uploadAll(i uint64, o *op.Op) {
	copies := o.Kind.Unlabelled() == op.Post || u.rewrites // all objects have the contents of the first
	for k := range uint64(o.Objects) {
		u.upload(i+k, !o.Failed())
		if k > 0 && copies {
			u.copies.Set(i + k)
		}
	}
	u.noteSize(i, o, o.Bytes)
}

// remove notes the deletion of object i.
func (u *uploaded) remove(i uint64, o *op.Op, refused bool) {
	switch {
	case !o.Failed(), o.Status == http.StatusNotFound:
		u.deleted.Set(i)
	case !refused:
		u.doubted.Set(i)
	}
}

// append notes an append to object i.
func (u *uploaded) append(i uint64, o *op.Op, refused bool) {
	if refused {
		return
	}
	if u.appended == nil {
		u.appended = map[uint64]appends{}
	}
	a := u.appended[i]
	if a.doubted = a.doubted || o.Failed(); !o.Failed() {
		a.bytes += o.Bytes
	}
	u.appended[i] = a
	u.upload(i, !o.Failed())
}

// noteOtherContents notes that object i was made without an upload of its own contents, and reports whether it was: this happens in traces.
func (u *uploaded) noteOtherContents(i uint64, o *op.Op) bool {
	if u.sizes == nil || o.Failed() && o.Status/100 == 4 {
		return false
	}
	u.upload(i, !o.Failed())
	u.noteSize(i, o, -1)
	return true
}

// noteSize notes the size of an upload if the plan does not determine it.
func (u *uploaded) noteSize(i uint64, o *op.Op, bytes int64) {
	if u.sizes == nil || o.End.Before(u.sizes[i].at) {
		return
	}
	if o.Failed() || u.unsized {
		bytes = -1
	}
	u.sizes[i] = size{o.End, bytes}
}

// size returns the required size of object i; -1 if unknown.
func (u *uploaded) size(i uint64) int64 {
	a, appended := u.appended[i]
	switch {
	case appended && !a.doubted:
		return a.bytes
	case appended, u.isOwn(i): // which end with the contents
		return -1
	case u.sizes != nil:
		return u.sizes[i].bytes
	}
	return u.Size(u.contentOf(i))
}

// unknown reports whether the contents of object i are unknown.
func (u *uploaded) unknown(i uint64) bool {
	if a, appended := u.appended[i]; appended {
		return a.doubted
	}
	return u.sizes != nil || u.rewritten.Has(i)
}

// rename notes that object from has become object i, or may have.
func (u *uploaded) rename(i uint64, o *op.Op) bool {
	from, ok := u.Keys.InBucket(u.BucketOf(i)).Index(ops.SourceKey(o.Source)) // a rename stays in its bucket
	if refused := o.Status/100 == 4; !ok || refused {
		return ok
	}
	if u.renamed == nil {
		u.renamed = map[uint64]uint64{}
	}
	u.renamed[i] = from
	if o.Failed() {
		u.tried.Set(i)
		u.doubted.Set(from)
	} else {
		u.made.Set(i)
		u.deleted.Set(from)
	}
	return true
}

// contentOf returns the index that determines the contents of object i.
func (u *uploaded) contentOf(i uint64) uint64 {
	for from, ok := u.renamed[i]; ok; from, ok = u.renamed[i] {
		i = from
	}
	for i > 0 && u.copies.Has(i) {
		i--
	}
	return i
}

// contentCheck compares contents with an object's.
type contentCheck interface {
	io.Writer
	Reset(i uint64, offset int64)
	Wrong() (offset int64, found bool)
}

// isOwn reports whether object i has the workload's own contents.
func (u *uploaded) isOwn(i uint64) bool { return u.open != nil && i < u.opened }

// ownCheck compares the workload's own contents.
type ownCheck struct {
	open  work.OpenContents
	want  io.ReaderAt
	size  int64
	at    int64
	wrong int64
	buf   []byte
}

// Reset sets the object to compare with. If its contents cannot be opened, it is wrong from the first byte.
func (c *ownCheck) Reset(i uint64, offset int64) {
	var err error
	c.at, c.wrong = offset, -1
	if c.want, c.size, err = c.open(i); err != nil {
		c.wrong = 0
	}
}

// Write compares the next bytes.
func (c *ownCheck) Write(p []byte) (int, error) {
	if c.wrong >= 0 {
		return len(p), nil
	}
	if len(c.buf) < len(p) {
		c.buf = make([]byte, len(p))
	}
	want := c.buf[:len(p)]
	n, err := c.want.ReadAt(want, c.at)
	if err != nil && err != io.EOF {
		n = 0
	}
	for k := range p {
		if k >= n || p[k] != want[k] {
			c.wrong = c.at + int64(k)
			break
		}
	}
	c.at += int64(len(p))
	return len(p), nil
}

// Wrong returns the first wrong byte. An object that ends too early is wrong from there on.
func (c *ownCheck) Wrong() (int64, bool) {
	if c.wrong < 0 && c.at < c.size {
		return c.at, true
	}
	return c.wrong, c.wrong >= 0
}

// Add adds an operation of the run. It reports whether it was about an object that the run uploaded.
func (v *Verification) Add(o *op.Op) bool {
	effect := o.Kind.Effect()
	if effect == op.Removed && o.Key == "" {
		for _, u := range v.sets {
			u.batches = true
		}
		return false
	}
	if effect == op.Unchanged {
		return false
	}
	u, i, ok := v.find(o)
	if !ok {
		return false
	}
	refused := o.Status/100 == 4
	switch effect {
	case op.Assembled:
		return u.noteOtherContents(i, o)
	case op.Renamed:
		return u.rename(i, o)
	case op.Appended:
		u.append(i, o, refused)
	case op.Uploaded:
		if !refused {
			u.uploadAll(i, o)
		}
	case op.Removed:
		u.remove(i, o, refused)
	}
	return true
}

// find returns the object of an operation.
func (v *Verification) find(o *op.Op) (*uploaded, uint64, bool) {
	bucket := v.bucket[o.Bucket]
	if u := v.last[o.Client]; u != nil {
		if i, ok := u.Keys.InBucket(bucket).Index(o.Key); ok {
			return u, i, true
		}
	}
	for _, u := range v.sets {
		if i, ok := u.Keys.InBucket(bucket).Index(o.Key); ok {
			v.last[o.Client] = u
			return u, i, true
		}
	}
	return nil, 0, false
}
