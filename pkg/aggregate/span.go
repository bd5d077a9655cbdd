package aggregate

import "time"

// bound is what one thread did in one group.
type bound struct {
	firstStart, lastStart int64 // earliest and latest start of an operation
	firstEnd, lastEnd     int64 // earliest and latest end
	ops                   int64 // 0: the thread does not occur
}

// span is when the threads of a group, or of several, were at work: what their windows follow from. Times are in Unix nanoseconds.
type span struct {
	ops                    int64
	firstStart, lastStart  int64 // of any thread
	firstEnd               int64 // of any thread
	lastEnd                int64 // of any thread
	allEnded               int64 // every thread has ended an operation
	oneStarts, oneEnds     int64 // the earliest last start of any thread, and when the first of them was done
	slowest, first, starts int   // the threads of allEnded, oneEnds and oneStarts
}

// spanOf returns the span of the threads in own. A thread goes on until its last operation of any kind in all, and through a pause behind
// that, at most until the last start of any thread: sending may have stopped in this pause.
func spanOf(own, all []bound, pause time.Duration) (s span) {
	var stopped int64
	for _, b := range all {
		if b.ops > 0 {
			stopped = max(stopped, b.lastStart)
		}
	}
	for i, b := range own {
		if b.ops == 0 {
			continue
		}
		end := max(all[i].lastEnd, min(all[i].lastEnd+int64(pause), stopped))
		if s.ops == 0 {
			s = span{
				firstStart: b.firstStart, lastStart: b.lastStart, firstEnd: b.firstEnd, lastEnd: b.lastEnd,
				allEnded: b.firstEnd, oneStarts: b.lastStart, oneEnds: end, slowest: i, first: i, starts: i,
			}
		}
		s.ops += b.ops
		s.firstStart, s.lastStart = min(s.firstStart, b.firstStart), max(s.lastStart, b.lastStart)
		s.firstEnd, s.lastEnd = min(s.firstEnd, b.firstEnd), max(s.lastEnd, b.lastEnd)
		if b.firstEnd > s.allEnded {
			s.allEnded, s.slowest = b.firstEnd, i
		}
		if b.lastStart < s.oneStarts {
			s.oneStarts, s.starts = b.lastStart, i
		}
		if end < s.oneEnds {
			s.oneEnds, s.first = end, i
		}
	}
	return s
}

// rareStart is the part of its time that a kind may lose at its start because some threads perform it late.
const rareStart = 10

// window returns the active window of the kind with this span, and the threads whose operations it begins and ends with; -1: with
// none in particular. together is the span of all kinds that ran at the same time.
//
// It starts when every thread has finished one operation. Under Active, it ends at the earliest last end of any thread, whatever kind
// that was of, and with the last operation of the kind. A kind so rare that its start would cost more than a tenth of the time starts
// when every thread has finished an operation of any kind. Under Classic it ends at the earliest last start. Where that leaves nothing,
// the window runs from the end of the first operation to the start of the last, and is Loose.
//
// With allTime that is the rule, and the window is not Loose: in an open loop, or while the number of threads changes, there need be no
// time at which all threads are at work, and what comes before it and after it is part of the load. If all threads were busy when the
// last operation started, it runs until one of them was free.
func (s *span) window(together *span, rule Rule, allTime bool) (w Window, begun, ended int) {
	if s.ops == 0 {
		return Window{}, -1, -1
	}
	start, end := s.allEnded, s.oneStarts
	begun, ended = s.slowest, s.starts
	if rule != Classic {
		end, ended = min(s.oneEnds, s.lastEnd), s.first
		if from := max(together.allEnded, s.firstEnd); start > from && end > from && start-from > (end-from)/rareStart {
			start, begun = from, -1
		}
	}
	w = Window{Classic: rule == Classic, AllTime: allTime, Sent: Span{stamp(s.firstStart), stamp(s.lastStart)}}
	if allTime || end <= start {
		w.Loose, begun, ended = !allTime, -1, -1
		start, end = s.firstEnd, s.lastStart
		if allTime && rule != Classic {
			end = max(end, min(s.oneEnds, s.lastEnd))
		}
	}
	w.Start, w.End = stamp(start), stamp(max(start, end))
	return w, begun, ended
}
