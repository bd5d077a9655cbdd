package aggregate

import (
	"cmp"
	"slices"
	"time"

	"warp/pkg/op"
)

// Options selects what to compute.
type Options struct {
	Segment time.Duration // length of a segment; 0: 1s, longer for long runs
	Skip    time.Duration // skip this much at the start of each window
	Op      op.Kind       // only operations of this kind; empty: all
	Host    string        // only operations on this host (URL, or host:port); empty: all

	HostSegments bool // also segments of each host
	SegmentTimes bool // also histograms of each segment, which take memory for each segment
	HostCounts   bool // segments of hosts have no histograms, which would take memory for each host too

	Partial func(snapshot func() *Snapshot) // called now and then while recordings are read, with what returns the figures so far; may be nil

	Rule    Rule     // of windows; empty: Active
	AllTime []string // phases whose windows are all of their time: see span.window
	Order   Order    // of the phases of the plan that run in parallel

	// Pauses are the longest pauses of threads between their operations, by phase.
	Pauses map[string]time.Duration

	maxMemory   int64 // instead of twice MaxMemory, for tests
	sampleBytes int64 // instead of the constant of that name, for tests
}

// allTime reports whether windows of a phase are all of its time.
func (o *Options) allTime(phase string) bool { return slices.Contains(o.AllTime, phase) }

// rule returns the rule of windows.
func (o *Options) rule() Rule { return cmp.Or(o.Rule, Active) }
