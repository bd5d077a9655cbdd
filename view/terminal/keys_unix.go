//go:build linux || darwin || freebsd || netbsd || openbsd

package terminal

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// backgroundPause is how long to leave the terminal alone while another process has it.
const backgroundPause = 250 * time.Millisecond

// keyboard is a terminal that hands out keys one by one. Closing the pipe wakes a reader that waits for one.
type keyboard struct {
	fd      int
	saved   unix.Termios
	waiting *os.File // read end of the pipe
	closing *os.File // its write end
	release func()   // tells the guard that the mode is what it was
}

func openKeyboard(in, out *os.File, g *Guard) (*keyboard, error) {
	fd := int(in.Fd())
	saved, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, errNoKeys
	}
	if _, err := unix.IoctlGetTermios(int(out.Fd()), getTermios); err != nil || !foreground(fd) {
		return nil, errNoKeys
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("read single keys: %w", err)
	}
	k := &keyboard{fd: fd, saved: *saved, waiting: r, closing: w}
	if max(fd, int(r.Fd())) >= unix.FD_SETSIZE { // more than select can wait for
		k.closePipe()
		return nil, errNoKeys
	}
	mode := *saved
	mode.Lflag &^= unix.ICANON | unix.ECHO // ISIG stays, and with it Ctrl-C
	mode.Cc[unix.VMIN], mode.Cc[unix.VTIME] = 1, 0
	k.release = g.hold(change{Mode: &modeChange{*saved, keysMode(&mode)}})
	if err := unix.IoctlSetTermios(fd, setTermios, &mode); err != nil {
		k.release()
		k.closePipe()
		return nil, fmt.Errorf("read single keys: change the terminal's mode: %w", err)
	}
	return k, nil
}

// read waits for a key; not ok after wake, or when the terminal is gone.
func (k *keyboard) read() (key byte, ok bool) {
	for {
		if !foreground(k.fd) {
			// To read now would stop the process.
			if k.woken(backgroundPause) {
				return 0, false
			}
			continue
		}
		pressed, woken, err := k.wait()
		switch {
		case woken || err != nil:
			return 0, false
		case !pressed || !foreground(k.fd):
			continue
		}
		var b [1]byte
		n, err := unix.Read(k.fd, b[:])
		if n == 1 {
			return b[0], true
		}
		if !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.EAGAIN) {
			return 0, false
		}
	}
}

// wait sleeps until there is a key or wake was called. It selects, since some systems cannot poll a terminal.
func (k *keyboard) wait() (pressed, woken bool, err error) {
	pipe := int(k.waiting.Fd())
	var set unix.FdSet
	set.Set(k.fd)
	set.Set(pipe)
	_, err = unix.Select(max(k.fd, pipe)+1, &set, nil, nil, nil)
	if errors.Is(err, unix.EINTR) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	return set.IsSet(k.fd), set.IsSet(pipe), nil
}

// woken reports whether wake is called within d.
func (k *keyboard) woken(d time.Duration) bool {
	pipe := int(k.waiting.Fd())
	var set unix.FdSet
	set.Set(pipe)
	timeout := unix.NsecToTimeval(int64(d))
	n, err := unix.Select(pipe+1, &set, nil, nil, &timeout)
	return n > 0 || err != nil && !errors.Is(err, unix.EINTR)
}

func (k *keyboard) wake() { _ = k.closing.Close() }

// restore puts the terminal's mode back. In the background it is left alone: the shell has its own mode set, and to
// change it would stop the process.
func (k *keyboard) restore() error {
	defer k.closePipe()
	defer k.release()
	if !foreground(k.fd) {
		return nil
	}
	if err := unix.IoctlSetTermios(k.fd, setTermios, &k.saved); err != nil {
		return fmt.Errorf("put the terminal back into its mode (the command \"reset\" does it too): %w", err)
	}
	return nil
}

func (k *keyboard) closePipe() {
	_ = k.closing.Close() // nothing was written that could be lost
	_ = k.waiting.Close()
}

// Foreground reports whether this process may read keys from a terminal: it is not in the background.
func Foreground(terminal *os.File) bool { return foreground(int(terminal.Fd())) }

// foreground reports whether this process may use the terminal. One that is not its controlling terminal has no
// foreground, and may always be used.
func foreground(fd int) bool {
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}
