//go:build linux || darwin || freebsd || netbsd || openbsd

package recording

import (
	"errors"
	"os"
	"syscall"
)

func lock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrInUse
		case !errors.Is(err, syscall.EINTR):
			return err
		}
	}
}
