package preflight

import "time"

// SetSlowAfter sets after how long a request is reported as slow, until restore is called.
func SetSlowAfter(d time.Duration) (restore func()) {
	before := slowAfter
	slowAfter = d
	return func() { slowAfter = before }
}

// SetLateFor sets how long objects may take to become readable, until restore is called.
func SetLateFor(d time.Duration) (restore func()) {
	before := readableTimeout
	readableTimeout = d
	return func() { readableTimeout = before }
}

// SetDeletingPause sets how often it is looked whether a bucket is still being deleted, until restore is called.
func SetDeletingPause(d time.Duration) (restore func()) {
	before := deletingPause
	deletingPause = d
	return func() { deletingPause = before }
}

// SetDeletionGrace sets how long an interrupted preflight tries to delete its object, until restore is called.
func SetDeletionGrace(d time.Duration) (restore func()) {
	before := deletionGrace
	deletionGrace = d
	return func() { deletionGrace = before }
}
