package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fatih/color"

	"warp/pkg/compare"
	"warp/pkg/op"
)

// phasesOf returns the phases that only one side has, with their kinds of operations, and the names of the other kinds.
func phasesOf(c *compare.Comparison, names []compare.Name) (phases, others []string) {
	of := make(map[string][]string) // kinds by phase
	var order []string
	for _, n := range names {
		both := slices.ContainsFunc(c.Kinds, func(k *compare.Kind) bool { return k.Phase == n.Phase })
		if both || n.Phase == "" || n.Phase == op.PhasePrepare {
			others = append(others, n.String())
			continue
		}
		if of[n.Phase] == nil {
			order = append(order, n.Phase)
		}
		of[n.Phase] = append(of[n.Phase], compare.Name{Kind: n.Kind, Total: n.Total}.String())
	}
	for _, name := range order {
		phases = append(phases, fmt.Sprintf("%s (%s)", name, strings.Join(of[name], ", ")))
	}
	return phases, others
}

// printSummary prints the main changes of all phases in one table, if there are several.
func printSummary(r *comparisonReport) {
	var phases []string
	for _, k := range r.c.Kinds {
		if k.Phase != op.PhasePrepare && !slices.Contains(phases, k.Phase) {
			phases = append(phases, k.Phase)
		}
	}
	if len(phases) < 2 {
		return
	}
	rows, colors := [][]string{{"Phase", "Operation", "Throughput", "p50", "p99", "Errors", "Verdict"}}, []*color.Color{r.title}
	for _, name := range phases {
		first := name
		for _, k := range r.c.Kinds {
			if k.Phase == name {
				row, c := summaryRow(r, first, k)
				rows, colors, first = append(rows, row), append(colors, c), ""
			}
		}
	}
	r.blank()
	r.paintedTable(rows, colors, func(col int) bool { return col < 2 || rows[0][col] == "Verdict" }, "Errors", "p50", "p99")
}

// summaryRow returns the main changes of a kind, and the worst verdict on them with its colour.
func summaryRow(r *comparisonReport, phase string, k *compare.Kind) (cells []string, c *color.Color) {
	rate := k.Change("throughput")
	if rate == nil {
		rate = k.Change("objects")
	}
	verdict := "~"
	cells = []string{phase, compare.Name{Kind: k.Kind, Total: k.Total}.String()}
	list := []*compare.Change{rate, k.Change("p50"), k.Change("p99")}
	if k.Total { // latencies of different kinds are not comparable
		list[1], list[2] = nil, nil
	}
	for _, change := range list {
		if !enough(change) {
			cells = append(cells, missing)
			continue
		}
		cells = append(cells, percentChange(change)+mark(change))
		switch {
		case !change.Significant:
		case change.Verdict == compare.Regressed:
			c, verdict = r.bad, string(change.Verdict)
		case verdict == "~":
			c, verdict = r.good, string(change.Verdict)
		}
	}
	return append(cells, fmt.Sprintf("%d -> %d", k.Before.Errors, k.After.Errors), verdict), c
}
