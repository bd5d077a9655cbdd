package cli

import (
	"io"
	"net"
	"testing"
	"time"
)

// slowLink returns the address of a link to a server whose responses take some milliseconds. What ends after a time then sends few
// requests: a server that answers at once takes all of the machine's CPU time.
func slowLink(t *testing.T, server string) (host string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", server)
			if err != nil {
				_ = near.Close()
				continue
			}
			go func() {
				_, _ = io.Copy(far, near)
				_ = far.Close()
			}()
			go func() {
				_, _ = io.Copy(near, slowReader{far})
				_ = near.Close()
			}()
		}
	}()
	return l.Addr().String()
}

// slowReader reads what has come some milliseconds later.
type slowReader struct{ from io.Reader }

func (r slowReader) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	time.Sleep(5 * time.Millisecond)
	return n, err
}
