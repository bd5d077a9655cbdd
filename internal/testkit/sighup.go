package testkit

import (
	"os"
	"os/signal"
	"syscall"
)

var hangUps = make(chan os.Signal, 1)

// ResetSIGHUP lets SIGHUP end the processes that a test starts, even if the tests themselves run under nohup: processes inherit that
// a signal is ignored, but not that it is handled.
func ResetSIGHUP() { signal.Notify(hangUps, syscall.SIGHUP) }
