// Package monitor follows a run in progress for those who look at it from outside: browsers, programs and collectors of metrics.
//
// Once a second, a goroutine of its own copies the totals of the live statistics, which others count anyway; what happened between two
// copies is a segment of the page. So nothing is done for a single operation, and viewers wait only for the monitor.
package monitor

import (
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/aggregate"
	"warp/pkg/aggregate/live"
	"warp/pkg/observe"
	"warp/pkg/report"
	"warp/view/page"
)

// interval is how often totals are copied.
const interval = time.Second

// keptMessages is how many messages a page has.
const keptMessages = 40

// Why a report is incomplete that is not the final one.
const (
	goesOn   = "the run is still in progress: these are live statistics"
	isRead   = "the recording is still being read"
	noReport = "the run is over, and its report is not made here: these are live statistics"
)

// Run is a run to follow.
type Run struct {
	Document report.Document         // what is known of it from the start, without figures
	Phases   []string                // titles of its phases
	Samples  func() []observe.Sample // of the client; nil: none
	Stop     func()                  // has the run end early, with its report; nil: it cannot
	Reads    bool                    // it is over, and its recording is being read
}

// Stage is a part of a run.
type Stage struct {
	Title    string
	Phase    int    // index in Run.Phases
	Measures bool   // it is a phase, rather than the preparation or the clean-up
	Total    uint64 // 0: not known
	Noun     string // what Total counts; empty: objects
	Warmup   time.Duration
	Duration time.Duration // after it; 0: not known
	Start    time.Time
	Done     func() uint64
	Progress func() (done, total int64)          // in place of Total and Done, if both change; may be nil
	Threads  func() int                          // at work; nil, or 0: their number does not change
	Recent   func(time.Time) (live.Recent, bool) // nil: there are no statistics
	Counts   func() []live.Count                 // nil: likewise
	Belongs  func(phase string) bool             // reports whether figures of a phase are of this stage
}

// Monitor follows runs, one after the other. Its methods may be called concurrently.
type Monitor struct {
	changed func() // called after each change, without a lock
	quit    chan struct{}
	done    sync.WaitGroup

	mu       sync.Mutex
	run      Run
	state    page.State
	stage    *Stage
	counts   func() []live.Count // of the run; nil: none yet
	history  *live.History
	latest   []live.Count
	busy     time.Duration // of the counts of the last full second
	inFlight float64       // average of that second
	past     []live.Count  // of the runs before
	messages []page.Message
	partial  *aggregate.Snapshot // of a recording that is being read, in place of the history; nil: nothing is read
	final    *page.Run           // the report, when there is one
}

// Start begins to follow runs. The function is called after each change, and must not block; it may be nil.
func Start(changed func()) *Monitor {
	m := &Monitor{changed: changed, quit: make(chan struct{}), state: page.Starting, history: live.NewHistory(interval)}
	if m.changed == nil {
		m.changed = func() {}
	}
	m.done.Go(m.loop)
	return m
}

// Close ends the copies.
func (m *Monitor) Close() {
	close(m.quit)
	m.done.Wait()
}

// loop copies totals at each full second, so that segments are of equal length.
func (m *Monitor) loop() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		now := clock.Now()
		next := nextFull(now)
		timer.Reset(next.Sub(now))
		select {
		case <-m.quit:
			return
		case <-timer.C:
			if m.sample(next) {
				m.changed()
			}
		}
	}
}

// nextFull returns the next full second.
func nextFull(now time.Time) time.Time { return now.Truncate(interval).Add(interval) }

// sample copies the totals of a moment, and reports whether there is something new to show. The final report, which is larger, is shown
// when it is made, and at the end.
func (m *Monitor) sample(at time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts == nil || m.final != nil {
		return m.final == nil && m.stage != nil
	}
	counts := m.counts()
	m.history.Add(at, counts)
	all := busy(counts)
	m.inFlight = max(0, all-m.busy).Seconds() / interval.Seconds()
	m.latest, m.busy = counts, all
	return true
}

// busy is how long all operations took together; wholes consist of others.
func busy(counts []live.Count) (sum time.Duration) {
	for i := range counts {
		if !counts[i].Kind.IsComposite() {
			sum += counts[i].Busy
		}
	}
	return sum
}

// Begin begins to follow a run, after those before.
func (m *Monitor) Begin(r Run) {
	m.mu.Lock()
	m.past = m.totals()
	m.run, m.state, m.stage, m.counts, m.latest, m.busy, m.inFlight, m.messages, m.final = r, page.Starting, nil, nil, nil, 0, 0, nil, nil
	m.history, m.partial = live.NewHistory(interval), nil
	if r.Reads {
		m.state = page.Reading
	}
	m.mu.Unlock()
	m.changed()
}

// Partial shows figures of what was read so far.
func (m *Monitor) Partial(s *aggregate.Snapshot) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.partial = s // the next sample shows it
}

// Stage begins a stage of the run.
func (m *Monitor) Stage(s Stage) {
	m.mu.Lock()
	m.stage = &s
	if s.Counts != nil {
		m.counts = s.Counts
	}
	if m.state == page.Starting {
		m.state = page.Running
	}
	m.mu.Unlock()
	m.changed()
}

// Message adds a notice or warning.
func (m *Monitor) Message(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.messages = append(m.messages, page.Message{At: unix(clock.Now()), Text: text})
	m.messages = m.messages[max(0, len(m.messages)-keptMessages):]
}

// Stop has the run end early, and reports whether there is one that can.
func (m *Monitor) Stop() bool {
	m.mu.Lock()
	stop := m.run.Stop
	if m.final != nil || m.state == page.Over {
		stop = nil
	}
	m.mu.Unlock()
	if stop == nil {
		return false
	}
	stop()
	return true
}

// Stopping says that the run was asked to end.
func (m *Monitor) Stopping() {
	m.mu.Lock()
	if m.state != page.Over {
		m.state = page.Stopping
	}
	m.mu.Unlock()
	m.changed()
}

// Report sets the figures of the final report. The clean-up may follow.
func (m *Monitor) Report(run page.Run) {
	m.mu.Lock()
	if m.counts != nil {
		m.latest, m.inFlight = m.counts(), 0
	}
	m.final = &run
	m.mu.Unlock()
	m.changed()
}

// End says that the run is over, with its clean-up.
func (m *Monitor) End() {
	m.mu.Lock()
	m.state, m.inFlight = page.Over, 0
	if m.counts != nil && m.final == nil {
		m.latest = m.counts()
		m.history.Add(nextFull(clock.Now()), m.latest)
	}
	m.mu.Unlock()
	m.changed()
}

// unix returns a time in seconds.
func unix(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }
