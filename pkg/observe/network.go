package observe

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Network is the traffic of the machine, or of the network namespace in which the process runs: of all processes there.
// Bytes are as the interfaces count them, with headers.
type Network struct {
	// SentBytes and ReceivedBytes are of the interfaces counted: those with a device behind them; where there is none, as
	// in a container, all but loopback. So what passes a bridge, a bond or a tunnel counts once.
	SentBytes     int64 `json:"sent_bytes"`
	ReceivedBytes int64 `json:"received_bytes"`
	// LoopbackBytes were sent, and received, within the machine.
	LoopbackBytes int64 `json:"loopback_bytes"`
	// Interfaces are those of the counted ones that had traffic, the busiest first; at most 16.
	Interfaces []Interface `json:"interfaces,omitempty"`
}

// Interface is the traffic of one network interface.
type Interface struct {
	Name          string `json:"name"`
	SentBytes     int64  `json:"sent_bytes"`
	ReceivedBytes int64  `json:"received_bytes"`
	// Link is nil if the speed of the interface is not known, as of most virtual ones.
	Link *Link `json:"link,omitempty"`
}

// Link is what an interface can carry, each way.
type Link struct {
	BitsPerSecond float64 `json:"bits_per_sec"`
	// Percent is the traffic of the busier direction of BitsPerSecond.
	Percent    float64 `json:"percent"`
	MaxPercent float64 `json:"max_percent"`
}

// interfaceLimit is how many interfaces a sample names.
const interfaceLimit = 16

// busier is the traffic of the busier direction.
func (i *Interface) busier() int64 { return max(i.SentBytes, i.ReceivedBytes) }

// derive computes the share of the link in a time of so many seconds.
func (i *Interface) derive(seconds float64) {
	if i.Link == nil {
		return
	}
	link := *i.Link
	link.Percent = percent(8*float64(i.busier()), link.BitsPerSecond*seconds)
	link.MaxPercent = max(link.MaxPercent, link.Percent)
	i.Link = &link
}

// add makes n the traffic of both together, in so many seconds.
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
	for i := range n.Interfaces { // those that were idle in one of both too: they could have carried more
		n.Interfaces[i].derive(seconds)
	}
	n.sort()
}

func (n *Network) sort() {
	slices.SortFunc(n.Interfaces, func(i, j Interface) int {
		return cmp.Or(cmp.Compare(j.busier(), i.busier()), cmp.Compare(i.Name, j.Name))
	})
	n.Interfaces = slices.Clip(n.Interfaces[:min(len(n.Interfaces), interfaceLimit)])
}

// traffic is what an interface has counted.
type traffic struct{ received, sent uint64 }

// nic is what is known of an interface.
type nic struct {
	device bool    // there is a device behind it, if only that of a virtual machine
	speed  float64 // bits per second; 0 if not known
	before traffic
}

type networkSource struct {
	files *files
	nics  map[string]*nic
	begun bool
}

func newNetworkSource(f *files) *networkSource {
	return &networkSource{files: f, nics: map[string]*nic{}}
}

func (n *networkSource) read(s *Sample) {
	b, err := n.files.read("/proc/self/net/dev")
	if err != nil {
		return
	}
	now := parseNetDev(b)
	devices := false
	for name, t := range now {
		if n.nics[name] == nil {
			n.nics[name] = n.look(name)
			n.nics[name].before = t // counting starts here
		}
		devices = devices || n.nics[name].device
	}
	net := &Network{}
	for name, t := range now {
		nic := n.nics[name]
		sent, received := int64(grown(nic.before.sent, t.sent)), int64(grown(nic.before.received, t.received))
		nic.before = t
		switch {
		case name == "lo":
			net.LoopbackBytes = sent
		case nic.device || !devices:
			net.SentBytes += sent
			net.ReceivedBytes += received
			if sent+received > 0 {
				net.Interfaces = append(net.Interfaces, nic.interval(name, sent, received, s.Seconds))
			}
		}
	}
	net.sort()
	begun := n.begun
	n.begun = true
	if begun {
		s.Network = net
	}
}

func (n *nic) interval(name string, sent, received int64, seconds float64) Interface {
	i := Interface{Name: name, SentBytes: sent, ReceivedBytes: received}
	if n.speed > 0 {
		i.Link = &Link{BitsPerSecond: n.speed}
		i.derive(seconds)
	}
	return i
}

// look asks once for each interface: some drivers take milliseconds to answer. The speed that an interface without a
// device reports (10 Gbit/s, for a pair of virtual ones) is made up.
func (n *networkSource) look(name string) *nic {
	dir := path.Join("/sys/class/net", path.Base(name))
	found := &nic{device: n.files.exists(path.Join(dir, "device"))}
	if b, err := n.files.read(path.Join(dir, "speed")); err == nil && found.device {
		found.speed = parseSpeed(b)
	}
	return found
}

// parseSpeed reads /sys/class/net/NAME/speed, in Mbit/s, as bits per second; 0 if it is not known. Drivers write -1, 0, or
// that same -1 as an unsigned number of 32 bits where they do not know.
func parseSpeed(b []byte) float64 {
	n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64)
	if err != nil || n <= 0 || n >= 1<<31-1 {
		return 0
	}
	return float64(n) * 1e6
}

// parseNetDev reads /proc/net/dev: bytes by name of interface. Lines of another form are passed over.
func parseNetDev(b []byte) map[string]traffic {
	all := map[string]traffic{}
	for line := range bytes.Lines(b) {
		at := bytes.LastIndexByte(line, ':') // the numbers may follow at once
		if at < 0 {
			continue
		}
		name := strings.TrimSpace(string(line[:at]))
		field := bytes.Fields(line[at+1:])
		if name == "" || len(field) < 9 {
			continue
		}
		received, ok := parseNumber(field[0])
		sent, ok2 := parseNumber(field[8])
		if ok && ok2 {
			all[name] = traffic{received: received, sent: sent}
		}
	}
	return all
}
