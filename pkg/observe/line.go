package observe

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Line is the summary in one line for people, without an end of line. What is not known is left out; it is empty if
// nothing is known.
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

// text is the rate of the busier direction, beside the speed of the busiest link. A run against a server on the same
// machine goes over loopback, which has no speed.
func (n *Network) text(seconds float64) string {
	rate := func(bytes int64) float64 { return 8 * float64(bytes) / seconds }
	total := max(n.SentBytes, n.ReceivedBytes)
	if n.LoopbackBytes > total {
		return "loopback " + bitRate(rate(n.LoopbackBytes))
	}
	if len(n.Interfaces) == 0 || n.Interfaces[0].Link == nil {
		return "network " + bitRate(rate(total))
	}
	busiest := n.Interfaces[0]
	text := fmt.Sprintf("network %s of %s", bitRate(rate(busiest.busier())), bitRate(busiest.Link.BitsPerSecond))
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
	return short(n) + " cores"
}

// bitRate writes bits per second in decimal units, as the speeds of links are given.
func bitRate(bits float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "Gbit/s"}, {1e6, "Mbit/s"}, {1e3, "kbit/s"}} {
		if bits >= 0.9995*u.size { // 999.6 Mbit/s would be written as 1000
			return short(bits/u.size) + " " + u.name
		}
	}
	return short(bits) + " bit/s"
}

// duration writes milliseconds as 0s, 80µs, 1.2ms or 3.4s.
func duration(ms float64) string {
	switch {
	case ms >= 999.5:
		return short(ms/1000) + "s"
	case ms >= 0.9995:
		return short(ms) + "ms"
	case ms >= 0.001:
		return fmt.Sprintf("%.0fµs", 1000*ms)
	case ms > 0:
		return "1µs"
	}
	return "0s"
}

// short writes a number with one decimal below 10 and none above; without a decimal that is 0.
func short(v float64) string {
	if v < 9.95 {
		v = math.Round(10*v) / 10
	} else {
		v = math.Round(v)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
