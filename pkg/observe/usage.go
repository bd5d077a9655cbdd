package observe

import "time"

// usage is what the system has counted for the process since its start.
type usage struct {
	user, system           time.Duration
	voluntary, involuntary uint64
	switches               bool // context switches are counted
}
