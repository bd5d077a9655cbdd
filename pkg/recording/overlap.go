package recording

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"warp/pkg/op"
)

// ErrNoOverlap means that recordings cannot be parts of one run, because there was no time at which all of them ran.
var ErrNoOverlap = errors.New("the recordings do not overlap in time, so they are not parts of one run: analyze each separately")

// minOverlap is the share of the shortest recording below which the common time is suspiciously short.
const minOverlap = 0.5

// Spans finds out when each of several recordings ran, to check whether they can be parts of one run. Preparation does not
// count, unless there is nothing else. A client that had nothing to do in the benchmark recorded only preparation: that must
// not begin after what the others recorded.
type Spans struct {
	names []string
	main  []span // by recording
	all   []span
}

// span is the time from the first start to the last end, as Unix time in nanoseconds.
type span struct{ from, to int64 }

// emptySpan is an empty span.
var emptySpan = span{math.MaxInt64, math.MinInt64}

func (p span) empty() bool { return p.from > p.to }

// NewSpans returns the Spans of the given recordings.
func NewSpans(inputs []Input) *Spans {
	s := &Spans{}
	for _, in := range inputs {
		s.names = append(s.names, in.Name)
		s.main = append(s.main, emptySpan)
	}
	s.all = append(s.all, s.main...)
	return s
}

// Add adds an operation of recording number part, from 0. Operations with invalid times are ignored.
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

// Check checks whether the recordings ran at the same time. If not, the error wraps ErrNoOverlap. Warnings are about
// empty recordings, and about little overlap, as when the clocks of clients differ.
func (s *Spans) Check() (warnings []string, err error) {
	first, last, shortest := -1, -1, time.Duration(math.MaxInt64) // began last, ended first
	spans, whole := s.main, emptySpan
	for i := range spans {
		if !spans[i].empty() {
			whole.add(s.all[i].from, s.all[i].to)
		}
	}
	if whole.empty() {
		spans = s.all
	}
	for i := range spans {
		switch prepared := s.all[i]; {
		case prepared.empty():
			warnings = append(warnings, s.names[i]+": holds no operations")
			continue
		case !spans[i].empty():
		case prepared.from > whole.to:
			return warnings, fmt.Errorf("%s: %w", s.names[i], ErrNoOverlap)
		default:
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
		return warnings, fmt.Errorf("%s starts %v after the end of %s: %w", s.names[first],
			time.Duration(common.from-common.to).Round(time.Millisecond), s.names[last], ErrNoOverlap)
	}
	if float64(common.length()) < minOverlap*float64(shortest) {
		warnings = append(warnings, fmt.Sprintf("the recordings overlap for only %v, the shortest is %v long; only the common time counts. "+
			"Either the clients did not start together, or their clocks differ",
			common.length().Round(time.Millisecond), shortest.Round(time.Millisecond)))
	}
	return warnings, nil
}

func (p span) length() time.Duration { return time.Duration(p.to - p.from) }
