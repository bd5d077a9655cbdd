// Package child starts the running program again as a process of another kind. A hidden first argument says which.
package child

import (
	"io"
	"os"
	"os/exec"
)

// Kind is a kind of such processes.
type Kind struct {
	Arg  string                                      // the hidden first argument
	Main func(stdin io.Reader, stdout io.Writer) int // the whole life of the process; returns its exit code
}

// Command returns the command that starts this program as a process of the kind.
func (k *Kind) Command() (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return exec.Command(self, k.Arg), nil
}

// Run is the whole life of this process, if its arguments (without the program's name) make it one of these kinds. Programs and test
// binaries that start such processes call it first.
func Run(args []string, stdin io.Reader, stdout io.Writer, kinds ...*Kind) (code int, ran bool) {
	for _, k := range kinds {
		if len(args) > 0 && args[0] == k.Arg {
			return k.Main(stdin, stdout), true
		}
	}
	return 0, false
}
