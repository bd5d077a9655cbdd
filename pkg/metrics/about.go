package metrics

import "time"

// About identifies a run to receivers.
type About struct {
	ID       string // of the run
	Hostname string
	Version  string
	Start    time.Time
}
