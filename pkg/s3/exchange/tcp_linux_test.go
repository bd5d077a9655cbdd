package exchange

import (
	"net"
	"syscall"
	"testing"
)

// Options are those that the system states afterwards.
func TestTCP(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, o := range []TCP{{}, {SendBuffer: 20_000, ReceiveBuffer: 30_000, Delay: true}} {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		tcp := c.(*net.TCPConn)
		if err := o.Apply(tcp); err != nil {
			t.Fatal(err)
		}
		get := func(level, name int) (value int) {
			raw, err := tcp.SyscallConn()
			if err != nil {
				t.Fatal(err)
			}
			if err := raw.Control(func(fd uintptr) { value, err = syscall.GetsockoptInt(int(fd), level, name) }); err != nil {
				t.Fatal(err)
			}
			return value
		}
		send, receive, noDelay := get(syscall.SOL_SOCKET, syscall.SO_SNDBUF), get(syscall.SOL_SOCKET, syscall.SO_RCVBUF), get(syscall.IPPROTO_TCP, syscall.TCP_NODELAY)
		set := o != TCP{}
		if (send == 40_000) != set || (receive == 60_000) != set || (noDelay == 0) != set {
			t.Errorf("%+v: send buffer %d, receive buffer %d, no delay %d", o, send, receive, noDelay)
		}
	}
}
