package report

import (
	"fmt"
	"time"

	"warp/pkg/hist"
	"warp/pkg/trace"
	"warp/pkg/units"
)

// A replay next to the original, in JSON. Latencies are in milliseconds.
type (
	replayJSON struct {
		Stream string           `json:"stream,omitempty"`
		Speed  float64          `json:"speed"`
		Span   float64          `json:"span_s,omitempty"`
		Took   float64          `json:"took_s,omitempty"`
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
		Unwritten  int64            `json:"failed_unwritten,omitempty"`
		Late       int64            `json:"late"`
		Lateness   *replayTimesJSON `json:"lateness_ms,omitempty"`
		Then       replayedJSON     `json:"original"`
		Now        replayedJSON     `json:"replay"`
	}
	replayedJSON struct {
		Ops     float64          `json:"ops_per_sec,omitempty"`
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
		one := replayJSON{Stream: r.Stream, Speed: r.Speed, Span: r.Span.Seconds(), Took: r.Took.Seconds(), Kinds: []replayKindJSON{}}
		if c := r.Closed; c != nil {
			one.Closed = &replayLoopJSON{c.Clients, c.Then.Seconds(), c.Now.Seconds()}
		}
		for _, k := range r.Kinds {
			one.Kinds = append(one.Kinds, replayKindJSON{
				Op:         string(k.Kind),
				Operations: k.Operations,
				Sent:       k.Sent,
				Unsent:     k.Unsent,
				Unwritten:  k.Unwritten,
				Late:       countOf(k.Late),
				Lateness:   replayTimes(k.Late),
				Then:       replayedJSON{replayRate(k.Operations, r.Span), k.OldFailed, k.OldBytes, replayTimes(k.Old)},
				Now:        replayedJSON{replayRate(k.Sent, r.Took), k.Failed, k.Bytes, replayTimes(k.Service)},
			})
		}
		out = append(out, one)
	}
	return out
}

// replayTimes returns percentiles of durations; nil if there are none.
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

// replayRate returns operations per second; 0: not known.
func replayRate(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// ReplayLines returns tables for each replay of a trace: what was sent, in the trace and now, and the latency of that.
func ReplayLines(list []trace.Replayed) (lines []string) {
	for _, r := range replaysJSON(list) {
		title := "Replay"
		if r.Stream != "" {
			title += " " + r.Stream
		}
		lines = append(lines, fmt.Sprintf("%s of a trace, %v times as fast as it was", title, r.Speed))
		if c := r.Closed; c != nil {
			lines = append(lines, fmt.Sprintf("Closed loop: gaps as in the trace; %s; duration then %s, now %s",
				units.Plural(c.Clients, "client"), units.Duration(inSeconds(c.Then)), units.Duration(inSeconds(c.Now))))
		}
		sent := [][]string{{"", "In trace", "Sent", "Unsent", "Failed then", "now", "/s then", "now", "Moved then", "now"}}
		latency := [][]string{{"", "p50 then", "now", "change", "p90 then", "now", "change", "p99 then", "now", "change"}}
		for i := range r.Kinds {
			k := &r.Kinds[i]
			sent = append(sent, replaySent(k))
			if k.Then.Latency != nil || k.Now.Latency != nil {
				latency = append(latency, replayLatency(k))
			}
		}
		lines = append(lines, alignRows(sent)...)
		if len(latency) > 1 {
			lines = append(lines, "Latency of the operations that were sent, in the trace and now:")
			lines = append(lines, alignRows(latency)...)
		}
		for i := range r.Kinds {
			lines = append(lines, replayFaults(&r.Kinds[i])...)
		}
	}
	return lines
}

func replaySent(k *replayKindJSON) []string {
	row := []string{
		k.Op, fmt.Sprint(k.Operations), fmt.Sprint(k.Sent), fmt.Sprint(k.Unsent), fmt.Sprint(k.Then.Failed),
		fmt.Sprint(k.Now.Failed),
	}
	for _, of := range []*replayedJSON{&k.Then, &k.Now} {
		rate := missing
		if of.Ops > 0 {
			rate = units.PerSecond(of.Ops)
		}
		row = append(row, rate)
	}
	for _, of := range []*replayedJSON{&k.Then, &k.Now} {
		moved := missing
		if of.Bytes > 0 {
			moved = units.Size(of.Bytes)
		}
		row = append(row, moved)
	}
	return row
}

func replayLatency(k *replayKindJSON) []string {
	row := []string{k.Op}
	for _, p := range []func(*replayTimesJSON) float64{
		func(t *replayTimesJSON) float64 { return t.P50 },
		func(t *replayTimesJSON) float64 { return t.P90 },
		func(t *replayTimesJSON) float64 { return t.P99 },
	} {
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
	return row
}

// replayFaults describes late and failed operations of a kind.
func replayFaults(k *replayKindJSON) (lines []string) {
	if l := k.Lateness; l != nil {
		lines = append(lines, fmt.Sprintf("%s: %d late by more than 1ms: p50 %s, p99 %s, max %s", k.Op, k.Late, millis(l.P50),
			millis(l.P99), millis(l.Max)))
	}
	if k.Unwritten > 0 {
		lines = append(lines, fmt.Sprintf("%s: %d of the failures are 404s of objects whose PUT was not sent", k.Op, k.Unwritten))
	}
	return lines
}
