package index

import (
	"math"
	"slices"

	"warp/pkg/trace"
)

// popularity lists the parts of the objects that a summary has.
var popularity = []float64{0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1}

// objectTally adds up the objects of a trace.
type objectTally struct {
	trace.Objects
	partsLeft int64           // see Summary
	counts    map[int64]int64 // objects by their number of operations
}

// add adds an object.
func (o *objectTally) add(g *group) {
	o.partsLeft += g.partNum
	switch {
	case !g.selected():
		return
	case g.listed:
		o.Prefixes++
		return
	}
	o.Count++
	o.Bytes += g.largest
	if g.readSeen {
		o.First++
		o.FirstBytes += g.before
	}
	if g.kept == 0 {
		return
	}
	if g.read {
		o.Read++
	}
	if g.wrote {
		o.Written++
	}
	if g.kept == 1 {
		o.Once++
	}
	if o.counts == nil {
		o.counts = map[int64]int64{}
	}
	o.counts[g.kept]++
}

// finish puts the sums into a summary, with the shares of the objects that are used most.
func (o *objectTally) finish(s *trace.Summary) {
	s.PartsLeft = o.partsLeft
	s.Popularity = o.skew()
	s.Objects = o.Objects
}

// skew sets the shares of the objects that are used most, and returns the shares for popularity.
func (o *objectTally) skew() (shares []trace.Share) {
	var list []int64
	var all int64
	for n, objects := range o.counts {
		list = append(list, n)
		all += n * objects
	}
	slices.Sort(list)
	slices.Reverse(list)
	if len(list) == 0 {
		return nil
	}
	o.Hottest = float64(list[0]) / float64(all)
	o.Top1, o.Top10 = o.shareOf(0.01, list, all), o.shareOf(0.1, list, all)
	for _, part := range popularity {
		if part*float64(o.Count) >= 1 {
			shares = append(shares, trace.Share{Objects: part, Operations: o.shareOf(part, list, all)})
		}
	}
	return shares
}

// shareOf returns the share of operations that the most used part of the objects has. counts are the different numbers of operations of an
// object, descending; all is the number of all operations.
func (o *objectTally) shareOf(part float64, counts []int64, all int64) float64 {
	left, sum := int64(math.Ceil(part*float64(o.Count))), int64(0)
	for _, n := range counts {
		objects := min(left, o.counts[n])
		sum += objects * n
		if left -= objects; left == 0 {
			break
		}
	}
	return float64(sum) / float64(all)
}
