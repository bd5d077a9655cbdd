package bench

import (
	"math"

	"warp/pkg/generator"
	"warp/pkg/op"
)

// Cost is what turns of a workload come to, at most.
type Cost struct {
	Requests []Requests
	Objects  uint64 // new ones
	Sent     int64  // bytes of contents
	Received int64
	Stored   int64 // bytes of the new objects
}

// Requests is how many requests of a kind are sent.
type Requests struct {
	Kind  op.Kind
	Count uint64
}

// Turns are what an Estimator is asked about.
type Turns struct {
	Count   uint64
	Threads int
	Set     *DataSet // without its objects: only sizes and names can be asked for
}

// Estimator is a Workload that says what its turns come to. Without it, each turn is one request of its first kind about one object.
type Estimator interface {
	Estimate(t Turns) Cost
}

// estimateTurns returns what turns of a workload come to.
func estimateTurns(w Workload, t Turns) (c Cost) {
	if e, ok := w.(Estimator); ok {
		return e.Estimate(t)
	}
	traits := w.Traits()
	switch kind := traits.Kinds[0]; {
	case kind.Upload():
		c.upload(kind, t)
	case kind == op.Get:
		c.download(kind, t)
	default:
		c.request(kind, t.Count)
	}
	return c
}

// size estimates the bytes of as many objects as there are turns.
func (t Turns) size() int64 { return dataSize(t.Set.sizes, t.Set.Layout.seed, t.Count) }

// of returns a part of the turns.
func (t Turns) of(share, all Share) Turns {
	t.Count = uint64(math.Round(float64(t.Count) * float64(share/all)))
	return t
}

// mean estimates the sum over all turns of a function of an object's size and the turn.
func (t Turns) mean(of func(size int64, turn uint64) float64) float64 {
	if t.Count == 0 {
		return 0
	}
	sum, k := 0.0, min(t.Count, sizeSamples)
	for i := range k {
		sum += of(t.Set.Size(i), i)
	}
	return sum / float64(k) * float64(t.Count)
}

// request adds requests without contents.
func (c *Cost) request(kind op.Kind, n uint64) { c.Requests = append(c.Requests, Requests{kind, n}) }

// upload adds uploads of new objects, each by one request.
func (c *Cost) upload(kind op.Kind, t Turns) {
	size := t.size()
	c.request(kind, t.Count)
	c.Objects, c.Sent, c.Stored = c.Objects+t.Count, c.Sent+size, c.Stored+size
}

// overwrite adds uploads that replace objects by others of the same size.
func (c *Cost) overwrite(t Turns) {
	c.request(op.Put, t.Count)
	c.Sent += t.size()
}

// download adds downloads of objects, each by one request.
func (c *Cost) download(kind op.Kind, t Turns) {
	c.request(kind, t.Count)
	c.Received += t.size()
}

// parts adds what makes new objects of parts: uploads of these, or copies.
func (c *Cost) parts(part op.Kind, p *Parts, t Turns) {
	size := t.size()
	c.request(op.CreateUpload, t.Count)
	c.request(part, p.total(t))
	c.request(op.CompleteUpload, t.Count)
	c.Objects, c.Stored = c.Objects+t.Count, c.Stored+size
	if part.Upload() {
		c.Sent += size
	}
}

// total estimates how many parts as many objects have as there are turns.
func (p *Parts) total(t Turns) uint64 {
	return uint64(math.Ceil(t.mean(func(size int64, _ uint64) float64 { return float64(p.Number(size)) })))
}

// ranges adds downloads of ranges of objects.
func (c *Cost) ranges(r generator.Ranges, t Turns) {
	if len(r) == 0 {
		c.download(op.Get, t)
		return
	}
	requests := 0.0
	c.Received += int64(t.mean(func(size int64, turn uint64) float64 {
		bytes, n := r.Estimate(size, turn)
		requests += n
		return bytes
	}))
	c.request(op.Get, max(t.Count, uint64(math.Round(requests/float64(max(1, min(t.Count, sizeSamples)))*float64(t.Count)))))
}

// join adds what other turns come to.
func (c *Cost) join(o Cost) {
	c.Requests = append(c.Requests, o.Requests...)
	c.Objects, c.Stored = c.Objects+o.Objects, c.Stored+o.Stored
	c.Sent, c.Received = c.Sent+o.Sent, c.Received+o.Received
}

// times multiplies everything that goes over the network.
func (c *Cost) times(n uint64) {
	for i := range c.Requests {
		c.Requests[i].Count *= n
	}
	c.Sent, c.Received = c.Sent*int64(n), c.Received*int64(n)
}
