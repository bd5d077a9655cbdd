package bench

import (
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"warp/pkg/load"
	"warp/pkg/s3"
)

// Ledger records which objects of a data set a client has made, and which of them are deleted.
type Ledger struct {
	Part      load.Share    // the indices that this client uploads and cleans up: part.Index, part.Index+part.Total, ...
	next      atomic.Uint64 // how many of them it has used: their objects may be in the bucket
	gone      bitmap        // indices of objects that are known to be deleted, or not uploaded yet
	others    bitmap        // indices whose contents were not uploaded: copies by the server, and uploads that failed
	versioned atomic.Bool   // the bucket keeps versions of what is uploaded
	etags     *texts        // of objects; nil: they are not kept
	ids       *texts        // of versions; nil: they are not kept
	capacity  *capacity     // of the store, for all data sets
	uploads   uploads       // that are unfinished
	rewritten bool          // uploads replace objects

	settings [allSettings]settings
	Extra    *ExtraBuckets // beside those of the objects; nil: no task makes or deletes any
	live     *inventory    // of the objects that exist at the moment; nil: the data set does not change
}

// New returns the index of an object to upload. No other client gets the same.
func (l *Ledger) New() uint64 { return l.own(l.next.Add(1) - 1) }

// NewBlock returns the first of n indices of objects to upload, which follow each other unless the data set is shared. Other
// operations do not use these objects.
func (l *Ledger) NewBlock(n uint64) uint64 {
	first := l.next.Add(n) - n
	for k := first; k < first+n && l.live != nil; k++ {
		l.live.settle(l.own(k), false)
	}
	return l.own(first)
}

// NewCopy returns the index of an object that gets the contents of another one, without an upload.
func (l *Ledger) NewCopy() uint64 {
	i := l.NewBlock(1)
	l.others.set(i)
	return i
}

// Failed notes that the upload of a new object failed, and whether some of it was sent: such an object may exist.
func (l *Ledger) Failed(i uint64, sent bool) {
	l.others.set(i)
	if !sent {
		l.gone.set(i)
	}
}

// own returns index number n of this client.
func (l *Ledger) own(n uint64) uint64 { return l.Part.Index + n*l.Part.Total }

// owns reports whether this client may have uploaded object i.
func (l *Ledger) owns(i uint64) bool {
	return i%l.Part.Total == l.Part.Index && i/l.Part.Total < l.next.Load()
}

// partOf returns how many of the first n objects this client uploads.
func (l *Ledger) partOf(n uint64) uint64 { return portion(n, l.Part) }

// Stored notes what the response to an upload of object i says of it, which failed or not.
func (l *Ledger) Stored(i uint64, c *s3.Call, err error) error {
	if c.VersionID != "" {
		l.versioned.Store(true)
	}
	missing := ""
	switch {
	case err != nil:
		return err
	case l.etags != nil && c.ETag == "":
		missing = "no ETag, which --if-match and --if-none-match need"
	case l.ids != nil && (c.VersionID == "" || c.VersionID == nullVersion):
		missing = "no version id, by which versions are used"
	}
	if missing != "" {
		return &s3.Error{Class: s3.ClassBadResponse, Status: c.Status, Message: "the response has " + missing}
	}
	l.etags.set(i, c.ETag)
	l.ids.set(i, c.VersionID)
	return nil
}

// nullVersion is the id of an object that was put while the bucket kept no versions.
const nullVersion = "null"

// texts are what is known of objects beside what follows from their indices. A nil *texts keeps none. It is safe for concurrent use.
type texts struct {
	mu sync.RWMutex
	of map[uint64]string
}

func (t *texts) get(i uint64) string {
	if t == nil {
		return ""
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.of[i]
}

func (t *texts) set(i uint64, text string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[uint64]string{}
	}
	t.of[i] = text
}

func (t *texts) remove(i uint64) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of, i)
}

// bitmap is a set of indices, one bit each. It is safe for concurrent use.
type bitmap struct {
	mu   sync.Mutex
	bits []uint64
}

// set adds an index, and reports whether it is new.
func (b *bitmap) set(i uint64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i/64 < uint64(len(b.bits)) && b.bits[i/64]&(1<<(i%64)) != 0 {
		return false
	}
	b.put(i)
	return true
}

// setAll adds the indices from first to end-1.
func (b *bitmap) setAll(first, end uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ; first < end && first%64 > 0; first++ {
		b.put(first)
	}
	if words := int(end / 64); words > len(b.bits) && first < end {
		b.bits = append(b.bits, make([]uint64, words-len(b.bits))...)
	}
	for ; first+64 <= end; first += 64 {
		b.bits[first/64] = math.MaxUint64
	}
	for ; first < end; first++ {
		b.put(first)
	}
}

// clear removes all indices.
func (b *bitmap) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.bits)
}

// put adds an index; b.mu is held.
func (b *bitmap) put(i uint64) {
	for uint64(len(b.bits)) <= i/64 {
		b.bits = append(b.bits, 0)
	}
	b.bits[i/64] |= 1 << (i % 64)
}

func (b *bitmap) remove(i uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i/64 < uint64(len(b.bits)) {
		b.bits[i/64] &^= 1 << (i % 64)
	}
}

// end returns an index above all in the set.
func (b *bitmap) end() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return 64 * uint64(len(b.bits))
}

func (b *bitmap) has(i uint64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return i/64 < uint64(len(b.bits)) && b.bits[i/64]&(1<<(i%64)) != 0
}

// len returns the number of indices in the set.
func (b *bitmap) len() (n uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, word := range b.bits {
		n += uint64(bits.OnesCount64(word))
	}
	return n
}
