package lean

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"warp/internal/clock"
	"warp/pkg/load/loop"
)

// looped is a connection that a task of a loop waits for. Go's poller knows nothing of it.
type looped struct {
	fd            int
	task          atomic.Pointer[loop.Task] // that used it last; nil: none yet
	remote        netip.AddrPort
	readDeadline  time.Time
	writeDeadline time.Time
}

// dialLooped is dialOne for a task of a loop.
func (t *Target) dialLooped(ctx context.Context, task *loop.Task, to netip.AddrPort, tries int) (*socket, error) {
	l, err := t.connectLooped(ctx, task, to, patience(ctx, tries))
	if err != nil {
		var local net.Addr
		if t.local != nil {
			local = t.local
		}
		return nil, &net.OpError{Op: "dial", Net: "tcp", Source: local, Addr: net.TCPAddrFromAddrPort(to), Err: err}
	}
	s, err := newSocket(l)
	if err = errors.Join(err, t.tcp.Apply(l)); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return s, nil
}

// connectLooped connects, and waits for that no longer than given.
func (t *Target) connectLooped(ctx context.Context, task *loop.Task, to netip.AddrPort, patience time.Duration) (l *looped, err error) {
	family, address := socketAddress(to)
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	l = &looped{fd: fd, remote: to}
	defer func() {
		if err != nil {
			_ = l.Close() // nothing was sent
		}
	}()
	if err := l.prepare(t.local); err != nil {
		return nil, err
	}
	if err := l.use(task); err != nil {
		return nil, err
	}
	err = unix.Connect(fd, address)
	if err == nil {
		return l, nil
	}
	if !errors.Is(err, unix.EINPROGRESS) && !errors.Is(err, unix.EINTR) {
		return nil, os.NewSyscallError("connect", err)
	}
	return l, l.await(ctx, task, patience)
}

// prepare sets the options that connections of package net have, and the address that it comes from.
func (l *looped) prepare(local *net.TCPAddr) error {
	const probes, between = 9, 15 // of idle connections, in seconds
	for _, o := range []struct{ level, name, value int }{
		{unix.IPPROTO_TCP, unix.TCP_NODELAY, 1},
		{unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1},
		{unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, int(keepAlive / time.Second)},
		{unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, between},
		{unix.IPPROTO_TCP, unix.TCP_KEEPCNT, probes},
	} {
		if err := unix.SetsockoptInt(l.fd, o.level, o.name, o.value); err != nil {
			return os.NewSyscallError("setsockopt", err)
		}
	}
	if local == nil {
		return nil
	}
	_, address := socketAddress(local.AddrPort())
	return os.NewSyscallError("bind", unix.Bind(l.fd, address))
}

// await waits until the connection is set up.
func (l *looped) await(ctx context.Context, task *loop.Task, patience time.Duration) error {
	stop := context.AfterFunc(ctx, task.Interrupt)
	defer stop()
	var end time.Time
	if patience > 0 {
		end = clock.Now().Add(patience)
	}
	for {
		err := ctx.Err()
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return os.ErrDeadlineExceeded
		case err != nil:
			return err
		}
		waited := task.Writable(l.fd, end)
		if waited == nil {
			if n, err := unix.GetsockoptInt(l.fd, unix.SOL_SOCKET, unix.SO_ERROR); err != nil || n != 0 {
				return os.NewSyscallError("connect", errors.Join(err, errnoOf(n)))
			}
			if _, err := unix.Getpeername(l.fd); err == nil {
				return nil
			}
			continue // too early
		}
		if !end.IsZero() && !clock.Now().Before(end) {
			return os.ErrDeadlineExceeded
		}
	}
}

func errnoOf(n int) error {
	if n == 0 {
		return nil
	}
	return syscall.Errno(n)
}

// socketAddress is an address as the system wants it.
func socketAddress(a netip.AddrPort) (family int, _ unix.Sockaddr) {
	if ip := a.Addr().Unmap(); ip.Is4() {
		return unix.AF_INET, &unix.SockaddrInet4{Port: int(a.Port()), Addr: ip.As4()}
	}
	s := &unix.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16()}
	if zone := a.Addr().Zone(); zone != "" {
		if n, err := strconv.Atoi(zone); err == nil {
			s.ZoneId = uint32(n)
		} else if i, err := net.InterfaceByName(zone); err == nil {
			s.ZoneId = uint32(i.Index)
		}
	}
	return unix.AF_INET6, s
}

func (l *looped) serves(t *loop.Task) bool { return t != nil }

func (l *looped) use(t *loop.Task) error {
	before := l.task.Load()
	if before == t {
		return nil
	}
	if before == nil || !before.SameLoop(t) {
		if before != nil {
			before.Remove(l.fd)
		}
		if err := t.Add(l.fd); err != nil {
			return err
		}
	}
	l.task.Store(t)
	return nil
}

// Control calls f with the descriptor.
func (l *looped) Control(f func(fd uintptr)) error {
	f(uintptr(l.fd))
	return nil
}

// Read calls f until it returns true, when there may be something to read.
func (l *looped) Read(f func(fd uintptr) bool) error {
	for !f(uintptr(l.fd)) {
		if err := l.task.Load().Readable(l.fd, l.readDeadline); err != nil {
			return err
		}
	}
	return nil
}

// Write calls f until it returns true, when there may be space for more.
func (l *looped) Write(f func(fd uintptr) bool) error {
	for !f(uintptr(l.fd)) {
		if err := l.task.Load().Writable(l.fd, l.writeDeadline); err != nil {
			return err
		}
	}
	return nil
}

// SetDeadline ends the present wait, whatever the time: there is no other use for it.
func (l *looped) SetDeadline(time.Time) error {
	l.task.Load().Interrupt()
	return nil
}

// SetReadDeadline sets the end of the waits to come.
func (l *looped) SetReadDeadline(t time.Time) error {
	l.readDeadline = t
	return nil
}

// SetWriteDeadline sets the end of the waits to come.
func (l *looped) SetWriteDeadline(t time.Time) error {
	l.writeDeadline = t
	return nil
}

// SetReadBuffer sets the size of a buffer; see exchange.TCP.
func (l *looped) SetReadBuffer(n int) error { return l.set(unix.SOL_SOCKET, unix.SO_RCVBUF, n) }

// SetWriteBuffer sets the size of a buffer; see exchange.TCP.
func (l *looped) SetWriteBuffer(n int) error { return l.set(unix.SOL_SOCKET, unix.SO_SNDBUF, n) }

// SetNoDelay turns Nagle's algorithm off; see exchange.TCP.
func (l *looped) SetNoDelay(on bool) error {
	n := 0
	if on {
		n = 1
	}
	return l.set(unix.IPPROTO_TCP, unix.TCP_NODELAY, n)
}

func (l *looped) set(level, name, value int) error {
	return os.NewSyscallError("setsockopt", unix.SetsockoptInt(l.fd, level, name, value))
}

// RemoteAddr is the address it is connected to.
func (l *looped) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(l.remote) }

// LocalAddr is the address it is connected from; nil if that is unknown.
func (l *looped) LocalAddr() net.Addr {
	name, err := unix.Getsockname(l.fd)
	if err != nil {
		return nil
	}
	switch a := name.(type) {
	case *unix.SockaddrInet4:
		return &net.TCPAddr{IP: a.Addr[:], Port: a.Port}
	case *unix.SockaddrInet6:
		return &net.TCPAddr{IP: a.Addr[:], Port: a.Port}
	}
	return nil
}

// Close closes it. Both loops and kernel forget it.
func (l *looped) Close() error { return os.NewSyscallError("close", unix.Close(l.fd)) }
