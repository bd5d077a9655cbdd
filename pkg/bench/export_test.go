package bench

import (
	"testing"
	"time"
)

// Register adds a workload for the time of a test.
func Register(t testing.TB, i Info) {
	before := registry
	registry = append(Registry(), i)
	t.Cleanup(func() { registry = before })
}

// ShortenCleanup shortens the pauses of a clean-up whose requests fail.
func ShortenCleanup(t testing.TB, wait time.Duration) {
	before := cleanWait
	cleanWait = wait
	t.Cleanup(func() { cleanWait = before })
}
