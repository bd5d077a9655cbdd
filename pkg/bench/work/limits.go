package work

import "time"

// Limits of a workload. Plans may come over the network, and must not exhaust a client's memory before the run begins.
const (
	MaxObjects  = 1 << 40 // of a data set
	MaxLanes    = 1000    // of a turn
	MaxDuration = 10 * 365 * 24 * time.Hour

	// UploadTries is how often the preparation tries to upload an object.
	UploadTries = 3
)
