package report

import "warp/pkg/search"

type (
	searchJSON struct {
		Stream      string       `json:"stream,omitempty"`
		Objectives  []string     `json:"objectives"`
		Control     string       `json:"control"`
		MaxInflight int          `json:"max_inflight"`
		Status      string       `json:"status"`
		Boundary    boundaryJSON `json:"boundary"`
		Binding     string       `json:"binding,omitempty"`
		ClientLimit float64      `json:"client_limit,omitempty"`
		Hysteresis  bool         `json:"hysteresis,omitempty"`
		Passed      float64      `json:"passed,omitempty"`
		Tail        float64      `json:"tail,omitempty"`
		TailCI      []float64    `json:"tail_ci,omitempty"`
		Drift       float64      `json:"drift_per_min,omitempty"`
		BadPeriods  []int        `json:"bad_periods,omitempty"`
		Unseen      float64      `json:"unseen_period_s,omitempty"`
		Spent       float64      `json:"spent_s"`
		Trials      []trialJSON  `json:"trials"`
	}

	boundaryJSON struct {
		Held              float64   `json:"held_per_sec"`
		HeldThreads       int       `json:"held_threads,omitempty"`
		Infeasible        float64   `json:"infeasible_per_sec,omitempty"`
		InfeasibleThreads int       `json:"infeasible_threads,omitempty"`
		Type              string    `json:"type,omitempty"`
		CI                []float64 `json:"ci,omitempty"`
	}

	trialJSON struct {
		Phase         string    `json:"phase,omitempty"`
		Purpose       string    `json:"purpose"`
		Rate          float64   `json:"rate,omitempty"`
		Threads       int       `json:"threads"`
		Drain         float64   `json:"drain_s,omitempty"`
		Settle        float64   `json:"settle_s"`
		Duration      float64   `json:"duration_s"`
		Spent         float64   `json:"spent_s"`
		Achieved      float64   `json:"achieved_per_sec"`
		Shares        []badJSON `json:"bad"`
		Aborted       bool      `json:"aborted,omitempty"`
		ClientLimited bool      `json:"client_limited,omitempty"`
		Limit         string    `json:"limit,omitempty"`
		Verdict       string    `json:"verdict"`
	}

	badJSON struct {
		Objective  string    `json:"objective"`
		Operations int       `json:"operations"`
		Share      float64   `json:"share"`
		Allowed    float64   `json:"allowed"`
		CI         []float64 `json:"ci"`
	}
)

// searchOf returns a search in JSON.
func searchOf(rec *search.Record) searchJSON {
	res := rec.Result()
	out := searchJSON{
		Stream:      rec.Stream,
		Objectives:  rec.Objectives(),
		Control:     string(rec.Config.Control),
		MaxInflight: rec.Config.MaxInflight,
		Status:      string(res.Status),
		Binding:     res.Binding,
		ClientLimit: res.ClientLimit,
		Hysteresis:  res.Hysteresis,
		Passed:      res.Passed,
		Spent:       res.Spent.Seconds(),
		Trials:      []trialJSON{},
		Boundary: boundaryJSON{
			Held:       res.Boundary.Held,
			Infeasible: res.Boundary.Infeasible,
			Type:       string(res.Boundary.Type),
			CI:         res.Boundary.CI,
		},
	}
	out.Tail, out.TailCI, out.Drift, out.Unseen = res.Tail, res.TailCI, res.Drift, res.Unseen.Seconds()
	for _, i := range res.BadPeriods {
		out.BadPeriods = append(out.BadPeriods, i+1)
	}
	if rec.Config.Control == search.Threads { // operations per second are what was achieved
		b := &out.Boundary
		b.HeldThreads, b.InfeasibleThreads, b.Held, b.Infeasible = int(b.Held), int(b.Infeasible), 0, 0
		if i := rec.HeldTrial(); i >= 0 {
			b.Held = rec.Trials[i].Achieved
		}
	}
	for i := range rec.Trials {
		out.Trials = append(out.Trials, trialOf(rec, i, res.Trials[i].Verdict))
	}
	return out
}

func trialOf(rec *search.Record, i int, v search.Verdict) trialJSON {
	o := &rec.Trials[i]
	t := trialJSON{
		Purpose:       string(o.Purpose),
		Rate:          o.Rate,
		Threads:       o.Threads,
		Drain:         o.Drain.Seconds(),
		Settle:        o.Settle.Seconds(),
		Duration:      o.Duration.Seconds(),
		Spent:         o.Spent.Seconds(),
		Achieved:      o.Achieved,
		Shares:        []badJSON{},
		Aborted:       o.Aborted,
		ClientLimited: o.ClientLimited,
		Limit:         o.Limit,
		Verdict:       string(v),
	}
	if i < len(rec.Phases) {
		t.Phase = rec.Phases[i]
	}
	for k, obj := range rec.Config.Objectives {
		if share, low, high, ok := rec.Share(i, k); ok {
			t.Shares = append(t.Shares, badJSON{obj.String(), rec.Counted(i, k), share, obj.Allowed, []float64{low, high}})
		}
	}
	return t
}
