package observe

import (
	"bytes"
	"path"
	"strconv"
	"strings"
)

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
			n.nics[name] = n.describe(name)
			n.nics[name].before = t // counting starts here
		}
		devices = devices || n.nics[name].device
	}
	net := &Network{}
	for name, t := range now {
		nic := n.nics[name]
		sent, received := int64(increase(nic.before.sent, t.sent)), int64(increase(nic.before.received, t.received))
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

// describe reads the properties of an interface, once: some drivers take milliseconds to answer. The speed that an
// interface without a device reports (10 Gbit/s for a veth pair) is fictitious.
func (n *networkSource) describe(name string) *nic {
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
