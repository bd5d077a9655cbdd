package bench

import (
	"cmp"
	"fmt"
	"time"

	"warp/pkg/load"
	"warp/pkg/units"
)

// ScheduleStats says how well a stream kept its schedule (open loop).
type ScheduleStats struct {
	Stream   string        `json:"stream,omitempty"` // name; empty in a plan of one stream
	Duration time.Duration `json:"duration_ns"`
	Planned  time.Duration `json:"planned_ns,omitempty"` // from the first to the last due time; less than Duration if a limited run was late
	Due      uint64        `json:"due"`                  // turns, until the end
	Sent     uint64        `json:"sent"`
	Late     uint64        `json:"late"`   // turns sent more than 1 ms after they were due
	Unsent   uint64        `json:"unsent"` // due and never sent

	Own       load.Lateness `json:"own_late,omitzero"`    // of turns sent: caused by the client; see load.Stats
	Busy      load.Lateness `json:"busy_late,omitzero"`   // of turns sent: they waited until a thread was free
	UnsentOwn uint64        `json:"unsent_own,omitempty"` // unsent turns while a thread was free
	Most      int           `json:"most,omitempty"`       // maximum turns in flight; the sum over clients, perhaps at different times
}

// PlannedRate returns the due rate in turns per second.
func (s *ScheduleStats) PlannedRate() float64 { return perSecond(s.Due, cmp.Or(s.Planned, s.Duration)) }

// AchievedRate returns the sent rate in turns per second.
func (s *ScheduleStats) AchievedRate() float64 { return perSecond(s.Sent, s.Duration) }

func perSecond(n uint64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// String returns its line in the report.
func (s *ScheduleStats) String() string {
	name, late := "Schedule", ""
	if s.Stream != "" {
		name += " of " + s.Stream
	}
	if s.Late > 0 {
		late = fmt.Sprintf("; %d late", s.Late)
	}
	if s.Unsent > 0 {
		late += fmt.Sprintf("; %d unsent (%s)", s.Unsent, units.Percent(int64(s.Unsent), int64(s.Due)))
	}
	if s.Most > 0 {
		late += fmt.Sprintf("; at most %d at a time", s.Most)
	}
	planned, achieved := units.PerSecond(s.PlannedRate()), units.PerSecond(s.AchievedRate())
	return fmt.Sprintf("%s: %s turns/s planned, %s achieved%s", name, planned, achieved, late)
}

// AddSchedules returns the statistics of several clients, or parts of a run, by stream.
func AddSchedules(list, more []ScheduleStats) []ScheduleStats {
	for _, m := range more {
		found := false
		for i := range list {
			if l := &list[i]; l.Stream == m.Stream {
				l.Due, l.Sent, l.Late, l.Unsent = l.Due+m.Due, l.Sent+m.Sent, l.Late+m.Late, l.Unsent+m.Unsent
				l.UnsentOwn, l.Most = l.UnsentOwn+m.UnsentOwn, l.Most+m.Most
				l.Own.Add(m.Own)
				l.Busy.Add(m.Busy)
				l.Duration, l.Planned, found = max(l.Duration, m.Duration), max(l.Planned, m.Planned), true
			}
		}
		if !found && len(list) < MaxPhases {
			list = append(list, m)
		}
	}
	return list
}
