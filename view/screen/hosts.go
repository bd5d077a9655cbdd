package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/pkg/aggregate/live"
	"warp/pkg/units"
	"warp/view/terminal"
)

// party is a host or a client, as a line of a table.
type party struct {
	name string
	note string
	mean time.Duration // of a host whose percentiles are not known; else 0
	live.Figures
}

// responseTime is the p99 of a party, or its mean if percentiles are not known.
func (p *party) responseTime() time.Duration { return max(p.P99, p.mean) }

// hostParties returns the hosts, in the order that is wanted.
func hostParties(m *Model) (list []party) {
	for _, h := range m.Moment.Detail.Hosts {
		_, name, found := strings.Cut(h.Host, "://")
		if !found {
			name = h.Host
		}
		list = append(list, party{name, "", h.Mean, h.Figures})
	}
	return sortParties(m, list)
}

// clientParties returns the clients of a distributed run, in the order that is wanted.
func clientParties(m *Model) (list []party) {
	for _, c := range m.Moment.Clients {
		list = append(list, party{c.Client, c.State, 0, c.Figures})
	}
	return sortParties(m, list)
}

// sortParties sorts parties as is wanted.
func sortParties(m *Model, list []party) []party {
	slices.SortStableFunc(list, func(a, b party) int {
		byName := cmp.Compare(a.name, b.name)
		switch m.Order {
		case ByErrors:
			return cmp.Or(cmp.Compare(b.Errors, a.Errors), cmp.Compare(b.responseTime(), a.responseTime()), byName)
		case ByRate:
			return cmp.Or(cmp.Compare(a.OpsPerSec, b.OpsPerSec), byName)
		case ByName:
			return byName
		}
		return cmp.Or(cmp.Compare(b.responseTime(), a.responseTime()), cmp.Compare(b.Errors, a.Errors), byName)
	})
	return list
}

// count returns how many hosts, or clients, there are.
func count(m *Model) int { return max(len(m.Moment.Detail.Hosts), len(m.Moment.Clients)) }

// orderNames are what tables are sorted by, in words.
var orderNames = []string{
	ByLatency: "p99, the slowest first",
	ByErrors:  "errors, the most first",
	ByRate:    "rate, the lowest first",
	ByName:    "name",
}

// hostsPanel has a line for each host; in a distributed run for each client, and below for the hosts if there is room for both.
func hostsPanel(m *Model, s *Style, width, rows int) []string {
	hosts, clients := hostParties(m), clientParties(m)
	switch {
	case len(clients) == 0:
		return partyTable(m, s, hosts, "Host", width, rows)
	case len(hosts) == 0 || rows < roomForBoth:
		return partyTable(m, s, clients, "Client", width, rows)
	}
	upper := min(len(clients)+tableHead, rows-min(len(hosts)+tableHead, rows/2)-1)
	lines := append(partyTable(m, s, clients, "Client", width, upper), "")
	return append(lines, partyTable(m, s, hosts, "Host", width, rows-upper-1)...)
}

const (
	tableHead   = 2  // rows of a table that are no parties
	roomForBoth = 10 // rows for two tables
)

// partyTable has a line for each host, or client.
func partyTable(m *Model, s *Style, list []party, what string, width, rows int) (lines []string) {
	t := tableLayout{names: len(what), wide: width >= 70, mean: slices.ContainsFunc(list, func(p party) bool { return p.mean > 0 })}
	for i := range list {
		t.names, t.slowest = max(t.names, terminal.Cells(list[i].name)), max(t.slowest, list[i].responseTime())
	}
	fixed := 10 + 10 + 9
	if t.wide {
		fixed += 9 + 14 + 9
	}
	t.names = min(t.names, max(8, width-fixed))
	order := orderNames[m.Order]
	title := newLine(width).add(s.strong, what).to(t.names).add(s.faint, fmt.Sprintf("%10s", "ops/s"))
	if t.wide {
		title.add(s.faint, fmt.Sprintf("%14s", ""))
	}
	switch {
	case t.mean:
		order = strings.Replace(order, "p99", "mean", 1)
		title.add(s.faint, fmt.Sprintf("%10s", "mean"))
	case t.wide:
		title.add(s.faint, fmt.Sprintf("%9s%10s", "p50", "p99"))
	default:
		title.add(s.faint, fmt.Sprintf("%10s", "p99"))
	}
	title.add(s.faint, fmt.Sprintf("%9s", "errors"))
	number := fmt.Sprintf("%s, sorted by %s", units.Plural(int64(len(list)), lower(what)), order)
	lines = append(lines, newLine(width).add(s.faint, number).String(), title.String())
	room := rows - len(lines)
	top := min(max(0, m.Top), max(0, len(list)-room))
	for i := range list[top:min(len(list), top+max(0, room))] {
		lines = append(lines, t.row(s, &list[top+i], width))
	}
	return lines
}

// tableLayout is what the rows of a table have in common.
type tableLayout struct {
	names      int  // cells of a name
	wide, mean bool // mean: in place of percentiles
	slowest    time.Duration
}

// row is the line of a host, or client.
func (t *tableLayout) row(s *Style, h *party, width int) string {
	l := newLine(width).add(nil, terminal.Shorten(units.Line(h.name), t.names)).to(t.names)
	l.add(nil, fmt.Sprintf("%10s", units.PerSecond(h.OpsPerSec)))
	if t.wide {
		l.add(nil, fmt.Sprintf("%14s", mibs(&terminal.Kind{BytesPerSec: h.BytesPerSec})))
	}
	if t.wide && !t.mean {
		l.add(nil, fmt.Sprintf("%9s", latency(h.P50)))
	}
	l.add(nil, fmt.Sprintf("%10s", latency(h.responseTime())))
	if h.Errors > 0 {
		l.add(nil, fmt.Sprintf("%*s", max(0, 9-digits(h.Errors)), "")).add(s.failed, fmt.Sprint(h.Errors))
	} else {
		l.add(s.faint, fmt.Sprintf("%9d", h.Errors))
	}
	if h.note != "" {
		l.add(s.warn, " "+h.note+" ")
	} else if t.wide && t.slowest > 0 && l.left > 4 {
		l.add(nil, " ").add(s.band, bar(s, float64(h.responseTime())/float64(t.slowest), l.left-1))
	}
	return l.String()
}

func lower(what string) string {
	if what == "Client" {
		return "client"
	}
	return "host"
}

func digits(n int64) int { return len(fmt.Sprint(n)) }

// bar is a bar of at most a number of cells.
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
