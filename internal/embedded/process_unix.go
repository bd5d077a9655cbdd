//go:build unix

package embedded

import (
	"os/signal"
	"syscall"
)

// detached puts the child into a process group of its own, so that Ctrl-C in a terminal reaches the parent alone.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// ignoreSignals leaves all decisions to the parent: only the end of the input ends the child. SIGPIPE is among them
// because a parent that was killed no longer takes the log.
func ignoreSignals() {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
}
