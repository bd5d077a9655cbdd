package observe

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
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

// busier returns the traffic of the busier direction.
func (i *Interface) busier() int64 { return max(i.SentBytes, i.ReceivedBytes) }

// derive computes the utilization of the link over a number of seconds.
func (i *Interface) derive(seconds float64) {
	if i.Link == nil {
		return
	}
	link := *i.Link
	link.Percent = percent(8*float64(i.busier()), link.BitsPerSecond*seconds)
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
		return cmp.Or(cmp.Compare(j.busier(), i.busier()), cmp.Compare(i.Name, j.Name))
	})
	n.Interfaces = slices.Clip(n.Interfaces[:min(len(n.Interfaces), interfaceLimit)])
}

// traffic is what an interface has counted.
type traffic struct{ received, sent uint64 }

// nic is what is known of an interface.
type nic struct {
	device bool    // backed by a device, possibly a virtual machine's
	speed  float64 // bits per second; 0 if unknown
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

// look reads the properties of an interface, once: some drivers take milliseconds to answer. The speed that an
// interface without a device reports (10 Gbit/s for a veth pair) is fictitious.
func (n *networkSource) look(name string) *nic {
	dir := path.Join("/sys/class/net", path.Base(name))
	found := &nic{device: n.files.exists(path.Join(dir, "device"))}
	if b, err := n.files.read(path.Join(dir, "speed")); err == nil && found.device {
		found.speed = parseSpeed(b)
	}
	return found
}

// parseSpeed parses /sys/class/net/NAME/speed, in Mbit/s, as bits per second; 0 if unknown. Drivers that do not know it
// write -1, 0, or -1 as an unsigned 32-bit number.
func parseSpeed(b []byte) float64 {
	n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64)
	if err != nil || n <= 0 || n >= 1<<31-1 {
		return 0
	}
	return float64(n) * 1e6
}

// parseNetDev parses /proc/net/dev: bytes by interface name. Malformed lines are skipped.
func parseNetDev(b []byte) map[string]traffic {
	all := map[string]traffic{}
	for line := range bytes.Lines(b) {
		at := bytes.LastIndexByte(line, ':') // the numbers may follow without a space
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

// TCP counts segments of all connections of the network namespace, including loopback.
type TCP struct {
	SentSegments          int64 `json:"sent_segments"` // without retransmissions
	RetransmittedSegments int64 `json:"retransmitted_segments"`
	// RetransmittedPercent is the share of all segments sent.
	RetransmittedPercent float64 `json:"retransmitted_percent"`
}

func (t *TCP) derive() {
	again := float64(t.RetransmittedSegments)
	t.RetransmittedPercent = percent(again, again+float64(t.SentSegments))
}

func (t *TCP) add(u *TCP) {
	t.SentSegments += u.SentSegments
	t.RetransmittedSegments += u.RetransmittedSegments
	t.derive()
}

type tcpSource struct {
	files       *files
	sent, again uint64
	begun       bool
}

func (t *tcpSource) read(s *Sample) {
	b, err := t.files.read("/proc/self/net/snmp")
	if err != nil {
		return
	}
	sent, again, ok := parseSNMP(b)
	if !ok {
		return
	}
	if t.begun {
		s.TCP = &TCP{
			SentSegments:          int64(grown(t.sent, sent)),
			RetransmittedSegments: int64(grown(t.again, again)),
		}
		s.TCP.derive()
	}
	t.sent, t.again, t.begun = sent, again, true
}

// parseSNMP parses /proc/net/snmp: TCP segments sent and retransmitted. A line of names is followed by a line of
// values.
func parseSNMP(b []byte) (sent, again uint64, ok bool) {
	var names [][]byte
	for line := range bytes.Lines(b) {
		if !bytes.HasPrefix(line, []byte("Tcp:")) {
			continue
		}
		field := bytes.Fields(line)
		if names == nil {
			names = field
			continue
		}
		found := 0
		for i := 1; i < min(len(names), len(field)); i++ {
			n, isNumber := parseNumber(field[i]) // MaxConn is -1
			switch {
			case !isNumber:
			case string(names[i]) == "OutSegs":
				sent = n
				found++
			case string(names[i]) == "RetransSegs":
				again = n
				found++
			}
		}
		return sent, again, found == 2
	}
	return 0, 0, false
}
