package observe

import (
	"fmt"
	"strings"
	"time"

	"warp/pkg/units"
)

// Line returns the summary in one line without a newline. What is unknown is omitted; it is empty if nothing is known.
func (s Summary) Line() string {
	var parts []string
	say := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if c := s.CPU; c != nil {
		say("CPU %.0f%% of %s (max %.0f%%)", c.Percent, coreCount(c.AvailableCores), c.MaxPercent)
	}
	if g := s.Cgroup; g != nil {
		say("%.0f%% of the quota of %s", g.QuotaPercent, coreCount(g.QuotaCores))
		if g.ThrottledPeriods > 0 {
			say("throttled in %d of %d periods", g.ThrottledPeriods, g.Periods)
		}
	}
	if g := s.GC; g != nil {
		say("GC pauses %s", duration(g.PauseMillis))
	}
	if s.Network != nil && s.Seconds > 0 {
		parts = append(parts, s.Network.text(s.Seconds))
	}
	if t := s.TCP; t != nil {
		parts = append(parts, t.text())
	}
	if s.Lateness != nil {
		parts = append(parts, s.Lateness.text())
	}
	if len(parts) == 0 {
		return ""
	}
	return "Client: " + strings.Join(parts, ", ")
}

// local reports whether most traffic is with a server on the same machine.
func (n *Network) local() bool {
	return n != nil && n.LoopbackBytes > max(n.SentBytes, n.ReceivedBytes)
}

// text formats the rate of the busier direction, with the speed of the busiest link. Traffic with a server on the same
// machine uses loopback, which has no speed.
func (n *Network) text(seconds float64) string {
	rate := func(bytes int64) float64 { return 8 * float64(bytes) / seconds }
	total := max(n.SentBytes, n.ReceivedBytes)
	if n.local() {
		return "loopback " + units.BitRate(rate(n.LoopbackBytes))
	}
	if len(n.Interfaces) == 0 || n.Interfaces[0].Link == nil {
		return "network " + units.BitRate(rate(total))
	}
	busiest := n.Interfaces[0]
	text := fmt.Sprintf("network %s of %s", units.BitRate(rate(busiest.busierBytes())), units.BitRate(busiest.Link.BitsPerSecond))
	if len(n.Interfaces) > 1 {
		text += " on " + busiest.Name
	}
	return text
}

func (t *TCP) text() string {
	switch t.RetransmittedSegments {
	case 0:
		return "0 retransmissions"
	case 1:
		return "1 retransmission"
	}
	if t.RetransmittedPercent < 0.01 {
		return fmt.Sprintf("%d retransmissions", t.RetransmittedSegments)
	}
	return fmt.Sprintf("%d retransmissions (%.2f%%)", t.RetransmittedSegments, t.RetransmittedPercent)
}

func (l *Lateness) text() string {
	if l.P99Millis > 0 {
		return "lateness p99 " + duration(l.P99Millis)
	}
	return "lateness max " + duration(l.MaxMillis)
}

func coreCount(n float64) string {
	if n == 1 {
		return "1 core"
	}
	return units.Digits(n) + " cores"
}

// duration formats milliseconds.
func duration(ms float64) string {
	return units.Duration(time.Duration(ms * float64(time.Millisecond)))
}
