//go:build !race

package testkit

// Raced reports whether the race detector is on, with which programs allocate more.
const Raced = false
