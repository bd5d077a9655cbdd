package compare

import (
	"time"

	"warp/pkg/op"
)

// Version is the version of Comparison's JSON.
const Version = 1

// Comparison is what changed from one side to the other, as plain data. No figure in it is infinite or not a number.
type Comparison struct {
	Version    int          `json:"version"`
	Method     Method       `json:"method"`
	Before     int          `json:"runs_before"` // number of runs
	After      int          `json:"runs_after"`
	Confidence float64      `json:"confidence"` // of the intervals, 0 to 1
	Threshold  float64      `json:"threshold"`  // relative changes up to this are never significant
	Family     int          `json:"family"`     // how many primary changes the p-values are corrected for
	Types      []*Type      `json:"types"`      // on both sides, in order of first start before
	OnlyBefore []Name       `json:"only_before,omitempty"`
	OnlyAfter  []Name       `json:"only_after,omitempty"`
	Params     []Difference `json:"params,omitempty"` // of the plans; see DiffParams, which the caller calls
	Notes      []string     `json:"notes,omitempty"`  // what a reader of the whole should know, in words
}

// Method is how changes are told from chance.
type Method string

// The methods.
const (
	Bootstrap Method = "bootstrap" // one run a side: block bootstrap over segments
	Ranks     Method = "ranks"     // several runs a side: Mann-Whitney over runs
	Untested  Method = "none"      // one run against several: nothing is claimed
)

// Name is one type of operation: all of a kind in a phase, or all kinds of a phase together.
type Name struct {
	Phase string  `json:"phase,omitempty"`
	Kind  op.Kind `json:"op,omitempty"`
	Total bool    `json:"total,omitempty"` // all kinds of the phase; Kind is empty then
}

// String is what the type is called in a sentence: "GET", "prepare PUT", "total".
func (n Name) String() string {
	s := string(n.Kind)
	if n.Total {
		s = "total"
	}
	if n.Phase != "" {
		s = n.Phase + " " + s
	}
	return s
}

// Type is one type of operation that both sides have.
type Type struct {
	Name
	Before  Side     `json:"before"`
	After   Side     `json:"after"`
	Changes []Change `json:"changes"` // in the order of Metrics, of those that both sides have
}

// Change is the change of one metric, by its name; nil if there is none.
func (t *Type) Change(metric string) *Change {
	for i := range t.Changes {
		if t.Changes[i].Metric == metric {
			return &t.Changes[i]
		}
	}
	return nil
}

// Side is how much was measured on one side, all its runs together.
type Side struct {
	Runs       int           `json:"runs"`        // that have the type
	Operations int64         `json:"operations"`  // inside the active window or not, failed ones too
	Considered int64         `json:"considered"`  // requests behind the latencies
	Segments   int           `json:"segments"`    // whole segments
	Errors     int64         `json:"errors"`      // failed operations
	ErrorRate  float64       `json:"error_rate"`  // 0 to 1, of Operations
	Duration   time.Duration `json:"duration_ns"` // from first start to last end, summed over runs
}

// Interval is a confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Figure is a metric on one side: of its run, or the median of its runs.
type Figure struct {
	Value float64   `json:"value"`
	CI    *Interval `json:"ci,omitempty"` // several runs: of their median, by order statistics, if there are enough runs
	N     int       `json:"n"`            // sample size of the test: segments of the run, or runs
	Sound bool      `json:"sound"`        // in every run there are samples enough for the metric to say something
}

// Verdict is what a change means.
type Verdict string

// The verdicts. Only a significant change is better or worse.
const (
	Improved  Verdict = "improved"
	Regressed Verdict = "regressed"
	Unclear   Verdict = "unclear"
)

// Change is what became of one metric. Absolute is After - Before; with several runs a side it is Relative of Before,
// where Relative is the Hodges-Lehmann estimate of the shift, which need not be exactly that of the two medians.
type Change struct {
	Metric         string    `json:"metric"` // a Name of Metrics
	Unit           Unit      `json:"unit"`
	HigherIsBetter bool      `json:"higher_is_better"`
	Primary        bool      `json:"primary"` // one of those that p-values are corrected for
	Before         Figure    `json:"before"`
	After          Figure    `json:"after"`
	Absolute       float64   `json:"absolute"`             // in the unit
	Relative       *float64  `json:"relative,omitempty"`   // 0.05 is 5 % more; nil if it was 0 before and is not after
	CI             *Interval `json:"ci,omitempty"`         // of Relative, not corrected for other metrics; nil if not known
	P              *float64  `json:"p,omitempty"`          // that chance alone makes such a difference; nil if not tested
	Adjusted       *float64  `json:"p_adjusted,omitempty"` // P corrected for the number of primary changes
	TooFew         bool      `json:"too_few,omitempty"`    // not tested for want of segments or runs
	Significant    bool      `json:"significant"`          // Adjusted is below 1 - Confidence, and Relative beyond the threshold
	Verdict        Verdict   `json:"verdict"`
	Note           string    `json:"note,omitempty"` // why there is no claim, in words
}
