//go:build !unix && !windows

package observe

func processUsage() (usage, bool) { return usage{}, false }
