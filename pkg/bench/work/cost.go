package work

import (
	"math"

	"warp/pkg/bench/dataset"
	"warp/pkg/generator"
	"warp/pkg/op"
)

// Cost is an upper estimate of the requests, objects and bytes of turns.
type Cost struct {
	Requests []Requests
	Objects  uint64 // new ones
	Sent     int64  // bytes of contents
	Received int64
	Stored   int64 // bytes of the new objects
}

// Requests counts the requests of a kind.
type Requests struct {
	Kind  op.Kind
	Count uint64
}

// Turns are the turns to estimate.
type Turns struct {
	Count   uint64
	Threads int
	Set     *dataset.DataSet // without objects: only sizes and names are known
	// PartSize is that of s3.Uploads.
	PartSize int64
}

// Estimator is a Workload that estimates the cost of its turns. Without it, each turn is one request of its first kind about one object.
type Estimator interface {
	Estimate(t Turns) Cost
}

// EstimateTurns returns the cost of turns of a workload.
func EstimateTurns(w Workload, t Turns) (c Cost) {
	if e, ok := w.(Estimator); ok {
		return e.Estimate(t)
	}
	traits := w.Traits()
	kind := traits.Kinds[0]
	switch f, _ := kind.Facts(); f.Body {
	case op.Sent:
		c.Upload(kind, t)
	case op.Received:
		c.Download(kind, t)
	default:
		c.Request(kind, t.Count)
	}
	return c
}

// Size estimates the bytes of one object for each turn.
func (t Turns) Size() int64 { return t.Set.EstimateSize(t.Count) }

// Of returns a part of the turns.
func (t Turns) Of(share, all Share) Turns {
	t.Count = uint64(math.Round(float64(t.Count) * float64(share/all)))
	return t
}

// Mean estimates the sum of a function of size and turn over all turns, from a sample.
func (t Turns) Mean(of func(size int64, turn uint64) float64) float64 {
	if t.Count == 0 {
		return 0
	}
	sum, k := 0.0, min(t.Count, dataset.SizeSamples)
	for i := range k {
		sum += of(t.Set.Size(i), i)
	}
	return sum / float64(k) * float64(t.Count)
}

// Request adds requests without contents.
func (c *Cost) Request(kind op.Kind, n uint64) { c.Requests = append(c.Requests, Requests{kind, n}) }

// Upload adds uploads of new objects, each by one request; a PUT of a large object may be in parts.
func (c *Cost) Upload(kind op.Kind, t Turns) {
	size := t.Size()
	c.uploads(kind, t)
	c.Objects, c.Sent, c.Stored = c.Objects+t.Count, c.Sent+size, c.Stored+size
}

// PutEach adds the requests of n uploads of one size, with the part size of s3.Uploads.
func (c *Cost) PutEach(n uint64, size, partSize int64) {
	if partSize == 0 || size <= partSize {
		c.Request(op.Put, n)
		return
	}
	p := LargeParts(partSize)
	c.Request(op.CreateUpload, n)
	c.Request(op.PutPart, n*uint64(p.Number(size)))
	c.Request(op.CompleteUpload, n)
}

// Overwrite adds uploads that replace objects by others of the same size.
func (c *Cost) Overwrite(t Turns) {
	c.uploads(op.Put, t)
	c.Sent += t.Size()
}

// uploads adds the requests of uploads.
func (c *Cost) uploads(kind op.Kind, t Turns) {
	if kind != op.Put || t.PartSize == 0 {
		c.Request(kind, t.Count)
		return
	}
	p := LargeParts(t.PartSize)
	large := func(of func(size int64) float64) uint64 {
		return uint64(math.Ceil(t.Mean(func(size int64, _ uint64) float64 {
			if size <= t.PartSize {
				return 0
			}
			return of(size)
		})))
	}
	n := large(func(int64) float64 { return 1 })
	if n > 0 {
		c.Request(op.CreateUpload, n)
		c.Request(op.PutPart, large(func(size int64) float64 { return float64(p.Number(size)) }))
		c.Request(op.CompleteUpload, n)
	}
	if n < t.Count {
		c.Request(kind, t.Count-n)
	}
}

// Download adds downloads of objects, each by one request.
func (c *Cost) Download(kind op.Kind, t Turns) {
	c.Request(kind, t.Count)
	c.Received += t.Size()
}

// Parts adds objects made in parts, by uploads or copies.
func (c *Cost) Parts(part op.Kind, p *Parts, t Turns) {
	size := t.Size()
	c.Request(op.CreateUpload, t.Count)
	c.Request(part, p.Total(t))
	c.Request(op.CompleteUpload, t.Count)
	c.Objects, c.Stored = c.Objects+t.Count, c.Stored+size
	if part.Upload() {
		c.Sent += size
	}
}

// Total estimates the number of parts of one object for each turn.
func (p *Parts) Total(t Turns) uint64 {
	return uint64(math.Ceil(t.Mean(func(size int64, _ uint64) float64 { return float64(p.Number(size)) })))
}

// Ranges adds downloads of ranges of objects.
func (c *Cost) Ranges(r generator.Ranges, t Turns) {
	if len(r) == 0 {
		c.Download(op.Get, t)
		return
	}
	requests := 0.0
	c.Received += int64(t.Mean(func(size int64, turn uint64) float64 {
		bytes, n := r.Estimate(size, turn)
		requests += n
		return bytes
	}))
	c.Request(op.Get, max(t.Count, uint64(math.Round(requests/float64(max(1, min(t.Count, dataset.SizeSamples)))*float64(t.Count)))))
}

// Join adds the cost of other turns.
func (c *Cost) Join(o Cost) {
	c.Requests = append(c.Requests, o.Requests...)
	c.Objects, c.Stored = c.Objects+o.Objects, c.Stored+o.Stored
	c.Sent, c.Received = c.Sent+o.Sent, c.Received+o.Received
}

// Times multiplies everything that goes over the network.
func (c *Cost) Times(n uint64) {
	for i := range c.Requests {
		c.Requests[i].Count *= n
	}
	c.Sent, c.Received = c.Sent*int64(n), c.Received*int64(n)
}
