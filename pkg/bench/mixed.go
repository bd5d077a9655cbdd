package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"sync/atomic"

	"warp/pkg/generator"
	"warp/pkg/op"
)

var mixedInfo = Info{
	Name:  "mixed",
	Usage: "benchmark downloads, uploads, deletions and HEAD requests at once",
	Description: "Uploads --objects objects as a pool, then mixes operations on it for --duration, in the proportions " +
		"of the --*-distrib flags. An uploaded object joins the pool, a deleted one leaves it.",
	Size:    "10MiB",
	Example: "--objects=500 --obj.size=1MiB --get-distrib=60 --stat-distrib=0 --put-distrib=20 --delete-distrib=20",
	New:     func() Workload { return &Mixed{} },
}

// Mixed performs several kinds of operations on a pool of objects.
type Mixed struct {
	Prepared
	Ranges
	GetShare    shareValue `json:"get_distrib"`
	StatShare   shareValue `json:"stat_distrib"`
	PutShare    shareValue `json:"put_distrib"`
	DeleteShare shareValue `json:"delete_distrib"`

	pool     *pool
	slots    []op.Kind
	deleted  atomic.Uint64
	replaced atomic.Uint64
}

// slots is how fine shares are kept: a thousandth each.
const slots = 1000

// Flags binds the parameters.
func (m *Mixed) Flags(fs *flag.FlagSet) {
	m.Prepared.flags(fs, 2500, "")
	m.Ranges.flags(fs)
	m.GetShare, m.StatShare, m.PutShare, m.DeleteShare = 45, 30, 15, 10
	fs.Var(&m.GetShare, "get-distrib", "the `share` of GET operations; shares are parts of their sum")
	fs.Var(&m.StatShare, "stat-distrib", "the `share` of STAT operations")
	fs.Var(&m.PutShare, "put-distrib", "the `share` of PUT operations")
	fs.Var(&m.DeleteShare, "delete-distrib", "the `share` of DELETE operations; at most that of PUT, so that objects do not run out")
}

// Validate checks the parameters.
func (m *Mixed) Validate(p *Plan, ph *Phase) []error {
	errs := append(m.Prepared.validate(), m.Ranges.validate(p, false)...)
	for _, s := range m.shares() {
		if err := s.share.check(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.flag, err))
		}
	}
	if len(errs) > 0 {
		return errs
	}
	if m.GetShare+m.StatShare+m.PutShare+m.DeleteShare == 0 {
		return []error{errors.New("get-distrib, stat-distrib, put-distrib, delete-distrib: all are 0, so there is nothing to do")}
	}
	if m.DeleteShare > m.PutShare {
		return []error{fmt.Errorf("delete-distrib: %v is more than the %v of put-distrib, so objects would run out; lower it, or raise --put-distrib",
			m.DeleteShare, m.PutShare)}
	}
	return nil
}

type share struct {
	flag  string
	kind  op.Kind
	share shareValue
}

func (m *Mixed) shares() []share {
	return []share{
		{"get-distrib", op.Get, m.GetShare},
		{"stat-distrib", op.Stat, m.StatShare},
		{"put-distrib", op.Put, m.PutShare},
		{"delete-distrib", op.Delete, m.DeleteShare},
	}
}

// Shares tells that clients can work on one data set: each deletes only what it uploaded while measuring.
func (*Mixed) Shares() {}

// Prepare uploads the pool.
func (m *Mixed) Prepare(ctx context.Context, set *DataSet) error {
	m.slots = spread(m.shares(), generator.Mix(set.order, streamKind))
	if set.part.Total > 1 {
		m.pool = newSharedPool(m.Objects)
	} else {
		m.pool = newPool(m.Objects, int(min(m.Objects, uint64(set.run.threads))))
	}
	return set.Upload(ctx, m.Objects)
}

// spread makes the sequence of kinds, in the proportions of their shares and shuffled by the seed. Rounding gives what
// is left over to the kinds that lost most (largest remainder), so that the slots are exactly filled.
func spread(shares []share, seed uint64) []op.Kind {
	sum := shareValue(0)
	for _, s := range shares {
		sum += s.share
	}
	counts, left := make([]int, len(shares)), slots
	for i, s := range shares {
		counts[i] = int(s.share / sum * slots)
		left -= counts[i]
	}
	for ; left > 0; left-- {
		best, most := 0, shareValue(-1)
		for i, s := range shares {
			if rest := s.share/sum*slots - shareValue(counts[i]); s.share > 0 && rest > most {
				best, most = i, rest
			}
		}
		counts[best]++
	}
	order := generator.NewPermutation(slots, seed)
	kinds := make([]op.Kind, slots)
	place := uint64(0)
	for i, s := range shares {
		for range counts[i] {
			kinds[order.At(place)] = s.kind
			place++
		}
	}
	return kinds
}

// Do performs one operation of the kind that is due in this turn.
func (m *Mixed) Do(ctx context.Context, w *Worker, rec *op.Op) error {
	seed, turn := generator.Mix(w.Set.order, streamObject), w.Turn.N
	switch m.slots[turn%slots] {
	case op.Get:
		i := m.pool.read(seed, turn)
		defer m.pool.release(i)
		return m.get(ctx, w, w.Set.At(i), rec)
	case op.Stat:
		i := m.pool.read(seed, turn)
		defer m.pool.release(i)
		return w.stat(ctx, w.Set.At(i), rec)
	case op.Delete:
		if i, ok := m.pool.take(seed, turn); ok {
			m.deleted.Add(1)
			return w.delete(ctx, i, rec)
		}
		m.replaced.Add(1)
	}
	i := w.Set.New()
	err := w.Put(ctx, i, rec)
	if err == nil {
		m.pool.add(i)
	}
	return err
}

// Warnings tells of deletions that the pool could not spare an object for. Of shared objects it spares none, so that the
// first deletions come before there is anything to delete; in a run of any length they are not worth telling.
func (m *Mixed) Warnings() []string {
	n := m.replaced.Load()
	switch {
	case n == 0, m.pool.shared > 0 && n <= (n+m.deleted.Load())/100:
		return nil
	case m.pool.shared > 0:
		return []string{fmt.Sprintf("%d of %d DELETE operations were replaced by PUT, because of shared data a client deletes only what it uploaded itself; use a longer --duration or a lower --delete-distrib",
			n, n+m.deleted.Load())}
	}
	return []string{fmt.Sprintf("%d DELETE operations were replaced by PUT, because the pool was down to %d objects; use more --objects",
		n, m.pool.reserve)}
}
