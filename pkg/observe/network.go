package observe

import (
	"cmp"
	"slices"
)

// Network is the traffic of the machine, or of the network namespace of the process, including other processes. Bytes
// are as the interfaces count them, with headers.
type Network struct {
	// SentBytes and ReceivedBytes are of the counted interfaces: those backed by a device; where there are none, as
	// in a container, all but loopback. So traffic through a bridge, a bond or a tunnel counts once.
	SentBytes     int64 `json:"sent_bytes"`
	ReceivedBytes int64 `json:"received_bytes"`
	// LoopbackBytes were sent and received within the machine.
	LoopbackBytes int64 `json:"loopback_bytes"`
	// Interfaces are the counted ones that had traffic, the busiest first; at most 16.
	Interfaces []Interface `json:"interfaces,omitempty"`
}

// Interface is the traffic of one network interface.
type Interface struct {
	Name          string `json:"name"`
	SentBytes     int64  `json:"sent_bytes"`
	ReceivedBytes int64  `json:"received_bytes"`
	// Link is nil if the speed is unknown, as for most virtual interfaces.
	Link *Link `json:"link,omitempty"`
}

// Link is the capacity of an interface in each direction.
type Link struct {
	BitsPerSecond float64 `json:"bits_per_sec"`
	// Percent is the traffic of the busier direction as a share of BitsPerSecond.
	Percent    float64 `json:"percent"`
	MaxPercent float64 `json:"max_percent"`
}

// interfaceLimit is the maximum number of interfaces in a sample.
const interfaceLimit = 16

// busierBytes returns the traffic of the busier direction.
func (i *Interface) busierBytes() int64 { return max(i.SentBytes, i.ReceivedBytes) }

// derive computes the utilization of the link over a number of seconds.
func (i *Interface) derive(seconds float64) {
	if i.Link == nil {
		return
	}
	link := *i.Link
	link.Percent = percent(8*float64(i.busierBytes()), link.BitsPerSecond*seconds)
	link.MaxPercent = max(link.MaxPercent, link.Percent)
	i.Link = &link
}

// add adds m to n; both together cover the given number of seconds.
func (n *Network) add(m *Network, seconds float64) {
	n.SentBytes += m.SentBytes
	n.ReceivedBytes += m.ReceivedBytes
	n.LoopbackBytes += m.LoopbackBytes
	n.Interfaces = slices.Clone(n.Interfaces)
	for _, j := range m.Interfaces {
		at := slices.IndexFunc(n.Interfaces, func(i Interface) bool { return i.Name == j.Name })
		if at < 0 {
			n.Interfaces = append(n.Interfaces, j)
			continue
		}
		i := &n.Interfaces[at]
		i.SentBytes += j.SentBytes
		i.ReceivedBytes += j.ReceivedBytes
		i.Link = merged(i.Link, j.Link, func(l, m *Link) { l.MaxPercent = max(l.MaxPercent, m.MaxPercent) })
	}
	for i := range n.Interfaces { // also those idle in one of the intervals
		n.Interfaces[i].derive(seconds)
	}
	n.sort()
}

func (n *Network) sort() {
	slices.SortFunc(n.Interfaces, func(i, j Interface) int {
		return cmp.Or(cmp.Compare(j.busierBytes(), i.busierBytes()), cmp.Compare(i.Name, j.Name))
	})
	n.Interfaces = slices.Clip(n.Interfaces[:min(len(n.Interfaces), interfaceLimit)])
}
