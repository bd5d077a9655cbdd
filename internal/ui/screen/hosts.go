package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"warp/internal/ui"
	"warp/pkg/aggregate"
	"warp/pkg/units"
)

// party is a host or a client, as a line of a table.
type party struct {
	name string
	note string
	aggregate.Figures
}

// parties returns hosts, or the clients of a distributed run, in the order that is wanted.
func parties(m *Model) (list []party, what string) {
	what = "Host"
	for _, h := range m.Moment.Detail.Hosts {
		_, name, found := strings.Cut(h.Host, "://")
		if !found {
			name = h.Host
		}
		list = append(list, party{name, "", h.Figures})
	}
	if len(m.Moment.Clients) > 0 {
		what, list = "Client", nil
		for _, c := range m.Moment.Clients {
			list = append(list, party{c.Client, c.State, c.Figures})
		}
	}
	slices.SortStableFunc(list, func(a, b party) int {
		byName := cmp.Compare(a.name, b.name)
		switch m.Order {
		case ByErrors:
			return cmp.Or(cmp.Compare(b.Errors, a.Errors), cmp.Compare(b.P99, a.P99), byName)
		case ByRate:
			return cmp.Or(cmp.Compare(a.OpsPerSec, b.OpsPerSec), byName)
		case ByName:
			return byName
		}
		return cmp.Or(cmp.Compare(b.P99, a.P99), cmp.Compare(b.Errors, a.Errors), byName)
	})
	return list, what
}

// count returns how many hosts, or clients, there are.
func count(m *Model) int { return max(len(m.Moment.Detail.Hosts), len(m.Moment.Clients)) }

// orderNames are what tables are sorted by, in words.
var orderNames = []string{ByLatency: "p99, the slowest first", ByErrors: "errors, the most first", ByRate: "rate, the lowest first", ByName: "name"}

// hostsPanel has a line for each host, or client.
func hostsPanel(m *Model, s *Style, width, rows int) (lines []string) {
	list, what := parties(m)
	if len(list) == 0 {
		return []string{"", newLine(width).add(nil, "No figures of hosts yet.").String()}
	}
	wide := width >= 70
	names := len(what)
	for i := range list {
		names = max(names, ui.Cells(list[i].name))
	}
	fixed := 10 + 10 + 9
	if wide {
		fixed += 9 + 14 + 9
	}
	names = min(names, max(8, width-fixed))
	title := newLine(width).add(s.strong, what).to(names).add(s.faint, fmt.Sprintf("%10s", "ops/s"))
	if wide {
		title.add(s.faint, fmt.Sprintf("%14s%9s", "", "p50"))
	}
	title.add(s.faint, fmt.Sprintf("%10s%9s", "p99", "errors"))
	lines = append(lines, newLine(width).add(s.faint, fmt.Sprintf("%s, sorted by %s", units.Plural(int64(len(list)), lower(what)), orderNames[m.Order])).String(), title.String())
	room := rows - len(lines)
	top := min(max(0, m.Top), max(0, len(list)-room))
	slowest := slices.MaxFunc(list, func(a, b party) int { return cmp.Compare(a.P99, b.P99) }).P99
	for _, h := range list[top:min(len(list), top+max(0, room))] {
		l := newLine(width).add(nil, ui.Shorten(units.Line(h.name), names)).to(names)
		l.add(nil, fmt.Sprintf("%10s", units.PerSecond(h.OpsPerSec)))
		if wide {
			l.add(nil, fmt.Sprintf("%14s%9s", mibs(&ui.Kind{BytesPerSec: h.BytesPerSec}), latency(h.P50)))
		}
		l.add(nil, fmt.Sprintf("%10s", latency(h.P99)))
		if h.Errors > 0 {
			l.add(nil, fmt.Sprintf("%*s", max(0, 9-digits(h.Errors)), "")).add(s.bad, fmt.Sprint(h.Errors))
		} else {
			l.add(s.faint, fmt.Sprintf("%9d", h.Errors))
		}
		if h.note != "" {
			l.add(s.warn, " "+h.note+" ")
		} else if wide && slowest > 0 && l.left > 4 {
			l.add(nil, " ").add(s.band, bar(s, float64(h.P99)/float64(slowest), l.left-1))
		}
		lines = append(lines, l.String())
	}
	return lines
}

func lower(what string) string {
	if what == "Client" {
		return "client"
	}
	return "host"
}

func digits(n int64) int { return len(fmt.Sprint(n)) }

// bar is a bar of at most so many cells.
func bar(s *Style, share float64, width int) string {
	n := min(max(0, int(share*float64(width)+0.5)), width)
	full := "▇"
	if s.ascii {
		full = "#"
	}
	out := make([]byte, 0, n*len(full))
	for range n {
		out = append(out, full...)
	}
	return string(out)
}
