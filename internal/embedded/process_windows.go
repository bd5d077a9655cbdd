package embedded

import (
	"os"
	"os/signal"
	"syscall"
)

const detachedProcess = 0x00000008 // DETACHED_PROCESS

// detached keeps the child off the console, so that Ctrl-C and the closing of the window reach the parent alone.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}

// ignoreSignals leaves all decisions to the parent: only the end of the input ends the child.
func ignoreSignals() { signal.Ignore(os.Interrupt, syscall.SIGTERM) }
