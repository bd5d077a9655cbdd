package observe

import (
	"time"

	"golang.org/x/sys/windows"
)

func processUsage() (usage, bool) {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user); err != nil {
		return usage{}, false
	}
	return usage{user: span(user), system: span(kernel)}, true
}

// span converts a time in units of 100 ns.
func span(f windows.Filetime) time.Duration {
	return time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * 100
}
