package report

import (
	"fmt"

	"warp/pkg/hist"
	"warp/pkg/trace"
	"warp/pkg/units"
)

// A replay beside the original, in JSON. Latencies are in milliseconds.
type (
	replayJSON struct {
		Stream string           `json:"stream,omitempty"`
		Speed  float64          `json:"speed"`
		Closed *replayLoopJSON  `json:"closed_loop,omitempty"`
		Kinds  []replayKindJSON `json:"kinds"`
	}
	replayLoopJSON struct {
		Clients int64   `json:"clients"`
		Then    float64 `json:"original_s"`
		Now     float64 `json:"replay_s"`
	}
	replayKindJSON struct {
		Op         string           `json:"op"`
		Operations int64            `json:"operations"`
		Sent       int64            `json:"sent"`
		Unsent     int64            `json:"unsent"`
		Late       int64            `json:"late"`
		Lateness   *replayTimesJSON `json:"lateness_ms,omitempty"`
		Then       replayedJSON     `json:"original"`
		Now        replayedJSON     `json:"replay"`
	}
	replayedJSON struct {
		Failed  int64            `json:"failed"`
		Bytes   int64            `json:"bytes"`
		Latency *replayTimesJSON `json:"latency_ms,omitempty"`
	}
	replayTimesJSON struct {
		P50 float64 `json:"p50"`
		P90 float64 `json:"p90"`
		P99 float64 `json:"p99"`
		Max float64 `json:"max"`
	}
)

func replaysJSON(list []trace.Replayed) (out []replayJSON) {
	for _, r := range list {
		one := replayJSON{Stream: r.Stream, Speed: r.Speed, Kinds: []replayKindJSON{}}
		if c := r.Closed; c != nil {
			one.Closed = &replayLoopJSON{c.Clients, c.Then.Seconds(), c.Now.Seconds()}
		}
		for _, k := range r.Kinds {
			one.Kinds = append(one.Kinds, replayKindJSON{
				Op: string(k.Kind), Operations: k.Operations, Sent: k.Sent, Unsent: k.Unsent, Late: countOf(k.Late), Lateness: replayTimes(k.Late),
				Then: replayedJSON{k.OldFailed, k.OldBytes, replayTimes(k.Old)}, Now: replayedJSON{k.Failed, k.Bytes, replayTimes(k.Service)},
			})
		}
		out = append(out, one)
	}
	return out
}

// replayTimes returns percentiles of durations; nil without any.
func replayTimes(h *hist.Histogram) *replayTimesJSON {
	if countOf(h) == 0 {
		return nil
	}
	at := func(p float64) float64 {
		v, _ := h.Percentile(p)
		return float64(v) / 1e6
	}
	return &replayTimesJSON{at(50), at(90), at(99), float64(h.Max()) / 1e6}
}

func countOf(h *hist.Histogram) int64 {
	if h == nil { // of a recording that was not written here
		return 0
	}
	return h.Count()
}

// ReplayLines returns a table for each replay of a trace: what was sent, and latency in the trace and now, of the operations that were sent.
func ReplayLines(list []trace.Replayed) (lines []string) {
	for _, r := range replaysJSON(list) {
		title := "Replay"
		if r.Stream != "" {
			title += " " + r.Stream
		}
		lines = append(lines, fmt.Sprintf("%s of a trace, %v times as fast as it was (latency then and now: of the operations that were sent)", title, r.Speed))
		rows := [][]string{{"", "In trace", "Sent", "Unsent", "50% then", "now", "change", "99% then", "now", "change", "Late", "by 50%", "99%"}}
		for _, k := range r.Kinds {
			rows = append(rows, replayRow(&k))
		}
		if c := r.Closed; c != nil { // in which nothing is late
			lines = append(lines, fmt.Sprintf("Closed loop: gaps as in the trace; %s; duration then %s, now %s", units.Plural(c.Clients, "client"), units.Duration(inSeconds(c.Then)), units.Duration(inSeconds(c.Now))))
			for i := range rows {
				rows[i] = rows[i][:10]
			}
		}
		widths := columnWidths(rows)
		for _, row := range rows {
			lines = append(lines, alignRow(row, widths, func(column int) bool { return column == 0 }))
		}
	}
	return lines
}

func replayRow(k *replayKindJSON) []string {
	row := []string{k.Op, fmt.Sprint(k.Operations), fmt.Sprint(k.Sent), fmt.Sprint(k.Unsent)}
	for _, p := range []func(*replayTimesJSON) float64{func(t *replayTimesJSON) float64 { return t.P50 }, func(t *replayTimesJSON) float64 { return t.P99 }} {
		then, now, change := missing, missing, missing
		if k.Then.Latency != nil {
			then = millis(p(k.Then.Latency))
		}
		if k.Now.Latency != nil {
			now = millis(p(k.Now.Latency))
		}
		if k.Then.Latency != nil && k.Now.Latency != nil && p(k.Then.Latency) > 0 {
			change = units.Change(p(k.Now.Latency)/p(k.Then.Latency) - 1)
		}
		row = append(row, then, now, change)
	}
	row = append(row, fmt.Sprint(k.Late))
	if k.Lateness == nil {
		return append(row, missing, missing)
	}
	return append(row, millis(k.Lateness.P50), millis(k.Lateness.P99))
}
