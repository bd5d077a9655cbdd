package faults

import (
	"io"
	"net"
	"sync/atomic"
	"testing"
)

// gate stands in front of a client: it tells when a coordinator comes, can have it wait, and can swallow the client's words.
type gate struct {
	addr string
	came chan struct{}               // one for each connection
	open chan struct{}               // connections go through when it is closed
	mute atomic.Pointer[func() bool] // tells when the client is not to be heard any more
}

func startGate(t *testing.T, target string) *gate {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	g := &gate{addr: l.Addr().String(), came: make(chan struct{}, 1000), open: make(chan struct{})}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			g.came <- struct{}{}
			go g.let(in, target)
		}
	}()
	return g
}

func (g *gate) let(in net.Conn, target string) {
	defer in.Close()
	<-g.open
	out, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer out.Close()
	go func() {
		_, _ = io.Copy(out, in) // the other direction tells
		out.Close()
	}()
	b := make([]byte, 512)
	for {
		n, err := out.Read(b)
		if mute := g.mute.Load(); mute != nil && (*mute)() {
			_, _ = io.Copy(io.Discard, out) // until it is gone
			return
		}
		if _, werr := in.Write(b[:n]); err != nil || werr != nil {
			return
		}
	}
}
