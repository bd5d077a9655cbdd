package compare

import (
	"time"

	"warp/pkg/op"
)

// Version is the version of Comparison's JSON.
const Version = 1

// Comparison holds the changes from one side to the other, as plain data. No figure in it is infinite or NaN.
type Comparison struct {
	Version    int          `json:"version"`
	Method     Method       `json:"method"`
	Before     int          `json:"runs_before"` // number of runs
	After      int          `json:"runs_after"`
	Confidence float64      `json:"confidence"` // of the intervals, 0 to 1
	Threshold  float64      `json:"threshold"`  // relative changes up to this are never significant
	Family     int          `json:"family"`     // number of primary changes that p-values are corrected for
	Kinds      []*Kind      `json:"types"`      // on both sides, in order of first start before
	OnlyBefore []Name       `json:"only_before,omitempty"`
	OnlyAfter  []Name       `json:"only_after,omitempty"`
	Params     []Difference `json:"params,omitempty"` // of the plans; set by the caller, see DiffParams
	Notes      []string     `json:"notes,omitempty"`  // caveats about the comparison as a whole
}

// Method is how changes are distinguished from chance.
type Method string

// The methods.
const (
	Bootstrap Method = "bootstrap" // one run per side: block bootstrap over segments
	Ranks     Method = "ranks"     // several runs per side: Mann-Whitney over runs
	Untested  Method = "none"      // one run against several: no claims
)

// Name identifies one kind of operation in one phase, or all kinds of a phase together.
type Name struct {
	Phase string  `json:"phase,omitempty"`
	Kind  op.Kind `json:"op,omitempty"`
	Total bool    `json:"total,omitempty"` // all kinds of the phase; Kind is empty then
}

// String returns the name for use in a sentence: "GET", "prepare PUT", "total".
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

// Kind is one kind of operation that both sides have.
type Kind struct {
	Name
	Before  Side     `json:"before"`
	After   Side     `json:"after"`
	Changes []Change `json:"changes"` // in the order of Metrics; only metrics that both sides have
}

// Change returns the change of a metric, or nil.
func (k *Kind) Change(metric string) *Change {
	for i := range k.Changes {
		if k.Changes[i].Metric == metric {
			return &k.Changes[i]
		}
	}
	return nil
}

// Side describes the measurements on one side, over all its runs.
type Side struct {
	Runs       int           `json:"runs"`        // that have this kind
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

// Figure is a metric on one side: the value of its run, or the median over its runs.
type Figure struct {
	Value  float64   `json:"value"`
	CI     *Interval `json:"ci,omitempty"` // of the median over several runs, by order statistics; nil for too few runs
	N      int       `json:"n"`            // sample size of the test: segments of the run, or runs
	Enough bool      `json:"sound"`        // every run has enough samples for this metric
}

// Verdict is the interpretation of a change.
type Verdict string

// The verdicts. Only a significant change is better or worse.
const (
	Improved  Verdict = "improved"
	Regressed Verdict = "regressed"
	Unclear   Verdict = "unclear"

	Correlated Verdict = "correlated" // not tested: segments of a run resemble their neighbours too much
)

// Change is the change of one metric. Absolute is After - Before; with several runs per side it is Relative times Before,
// where Relative is the Hodges-Lehmann estimate of the shift, which may differ from that of the two medians.
type Change struct {
	Metric         string    `json:"metric"` // a Name of Metrics
	Unit           Unit      `json:"unit"`
	HigherIsBetter bool      `json:"higher_is_better"`
	Primary        bool      `json:"primary"` // counts in the correction of p-values
	Before         Figure    `json:"before"`
	After          Figure    `json:"after"`
	Absolute       float64   `json:"absolute"`             // in the unit
	Relative       *float64  `json:"relative,omitempty"`   // 0.05 is 5% more; nil if only Before is 0
	CI             *Interval `json:"ci,omitempty"`         // of Relative, not corrected for other metrics; nil if unknown
	P              *float64  `json:"p,omitempty"`          // probability of such a difference by chance alone; nil if not tested
	Adjusted       *float64  `json:"p_adjusted,omitempty"` // P corrected for the number of primary changes
	TooFew         bool      `json:"too_few,omitempty"`    // not tested: too few segments or runs
	Significant    bool      `json:"significant"`          // Adjusted is below 1 - Confidence, and Relative beyond the threshold
	Verdict        Verdict   `json:"verdict"`
	Note           string    `json:"note,omitempty"` // why there is no claim
}
