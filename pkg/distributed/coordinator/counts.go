package coordinator

import (
	"slices"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/aggregate/live"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/op"
)

// countSlack is how long the counts of a client may take to arrive. Clients count at the same full seconds; so views that look at full
// seconds have each second of all clients once, whatever the network does.
const countSlack = time.Second / 2

// memberCounts are the counts of a client's operations so far.
type memberCounts []kindCounts

// kindCounts are the two newest counts of a kind and phase.
type kindCounts struct{ newest, before protocol.KindCount }

// update records counts of a client. kinds and hosts limit what it may report.
func (m *memberCounts) update(k protocol.KindCount, id string, kinds, hosts int) error {
	switch {
	case !validName(string(k.Kind)) || !validName(k.Phase):
		return transport.Violationf("invalid kind %.40q or phase %.40q of operations", k.Kind, k.Phase)
	case len(k.Hosts) > hosts:
		return transport.Violationf("counts of more than %d hosts", hosts)
	}
	if err := checkNames(id, slices.Values(k.Clients)); err != nil {
		return err
	}
	i := slices.IndexFunc(*m, func(c kindCounts) bool { return c.newest.Phase == k.Phase && c.newest.Kind == k.Kind })
	switch {
	case i >= 0:
		(*m)[i] = kindCounts{newest: k, before: (*m)[i].newest}
	case len(*m) >= kinds:
		return transport.Violationf("too many kinds of operations")
	default:
		*m = append(*m, kindCounts{newest: k})
	}
	return nil
}

// upTo returns the counts of a time on the coordinator's clock; zero: the newest ones.
func (m memberCounts) upTo(at time.Time) (list []live.Count) {
	for i := range m {
		c := &m[i].newest
		if !at.IsZero() && c.At > at.UnixNano() {
			c = &m[i].before
		}
		if c.Requests > 0 {
			list = append(list, c.Count)
		}
	}
	return list
}

// sumCounts adds the counts of all clients up.
func sumCounts(order aggregate.Order, all [][]live.Count) (sum []live.Count) {
	for _, list := range all {
		for i := range list {
			o := &list[i]
			k := slices.IndexFunc(sum, func(s live.Count) bool { return s.Phase == o.Phase && s.Kind == o.Kind })
			if k < 0 {
				sum = aggregate.Insert(order, sum, *o, func(c live.Count) (string, op.Kind) { return c.Phase, c.Kind })
				continue
			}
			sum[k].AddClient(o)
		}
	}
	return sum
}
