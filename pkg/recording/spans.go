package recording

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"warp/pkg/op"
)

// ErrNoOverlap is what it means if recordings are to be taken as one run, but there was no time at which all of them ran.
var ErrNoOverlap = errors.New("the recordings do not overlap in time, so they are not parts of one run: analyze each by itself")

// littleOverlap is the share of the shortest recording below which their common time is suspiciously short.
const littleOverlap = 0.5

// Spans finds out when each of several recordings ran, to tell whether they can be parts of one run. Preparation counts
// only for those that hold nothing else.
type Spans struct {
	names []string
	main  []span // by recording
	all   []span
}

// span is from the first start to the last end, Unix time in nanoseconds.
type span struct{ from, to int64 }

// NewSpans makes the Spans of so many recordings.
func NewSpans(inputs []Input) *Spans {
	s := &Spans{}
	for _, in := range inputs {
		s.names = append(s.names, in.Name)
		s.main = append(s.main, span{math.MaxInt64, math.MinInt64})
	}
	s.all = append(s.all, s.main...)
	return s
}

// Add notes an operation of recording number part, from 0. Those whose times make no sense do not count.
func (s *Spans) Add(part int, o *op.Op) {
	from, to := o.Start.UnixNano(), o.End.UnixNano()
	if from <= 0 || to < from {
		return
	}
	s.all[part].add(from, to)
	if !strings.EqualFold(o.Phase, op.PhasePrepare) {
		s.main[part].add(from, to)
	}
}

func (p *span) add(from, to int64) { p.from, p.to = min(p.from, from), max(p.to, to) }

// Check tells whether the recordings ran at the same time. The error wraps ErrNoOverlap. The warnings are of recordings
// that are empty, and of little overlap, as when the clocks of the clients differ.
func (s *Spans) Check() (warnings []string, err error) {
	first, last, shortest := -1, -1, time.Duration(math.MaxInt64) // began last, ended first
	spans := make([]span, len(s.main))
	for i := range spans {
		spans[i] = s.main[i]
		if spans[i].from > spans[i].to {
			spans[i] = s.all[i]
		}
		if spans[i].from > spans[i].to {
			warnings = append(warnings, s.names[i]+": holds no operations")
			continue
		}
		shortest = min(shortest, spans[i].length())
		if first < 0 || spans[i].from > spans[first].from {
			first = i
		}
		if last < 0 || spans[i].to < spans[last].to {
			last = i
		}
	}
	if first < 0 {
		return warnings, nil
	}
	common := span{spans[first].from, spans[last].to}
	if common.from > common.to {
		return warnings, fmt.Errorf("%s begins %v after %s ended: %w", s.names[first],
			time.Duration(common.from-common.to).Round(time.Millisecond), s.names[last], ErrNoOverlap)
	}
	if float64(common.length()) < littleOverlap*float64(shortest) {
		warnings = append(warnings, fmt.Sprintf("all recordings ran at the same time for only %v, and the shortest of them for %v; only the common time counts. Either the clients did not start together, or their clocks differ",
			common.length().Round(time.Millisecond), shortest.Round(time.Millisecond)))
	}
	return warnings, nil
}

func (p span) length() time.Duration { return time.Duration(p.to - p.from) }
