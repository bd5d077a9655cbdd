package web

import (
	"context"
	"net"
	"net/http"

	"warp/internal/guard"
)

// sendBuffer is how much the system keeps for a reader that is slow.
const sendBuffer = 64 << 10

// guarded is a listener whose connections are counted by a guard. Nobody waits: a stranger who says nothing makes room for who comes next.
type guarded struct {
	net.Listener
	guard *guard.Guard
}

// visitor is a connection with its visit.
type visitor struct {
	net.Conn
	visit *guard.Visit
}

// Accept waits for a connection.
func (l *guarded) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		v := l.guard.Enter(c.RemoteAddr(), func() { _ = c.Close() })
		if v == nil {
			_ = c.Close() // it gets no reason
			continue
		}
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetWriteBuffer(sendBuffer) // else what is sent to a slow reader is old when it arrives
		}
		return &visitor{c, v}, nil
	}
}

// Close closes the connection.
func (c *visitor) Close() error {
	defer c.visit.Leave()
	return c.Conn.Close()
}

// visitKey is the key of a connection's visit in the context of its requests.
type visitKey struct{}

func withVisit(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, visitKey{}, c.(*visitor).visit)
}

func visitOf(r *http.Request) *guard.Visit { return r.Context().Value(visitKey{}).(*guard.Visit) }
