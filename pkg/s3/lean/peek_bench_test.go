//go:build linux

package lean

import (
	"net"
	"testing"

	"warp/internal/testkit"
)

// BenchmarkPeek is the look at an idle connection before a request: the system call, and the way to it.
func BenchmarkPeek(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	plain, err := newPolled(conn.(*net.TCPConn))
	if err != nil {
		b.Fatal(err)
	}
	s, err := newSocket(plain)
	if err != nil {
		b.Fatal(err)
	}
	before := testkit.ProcessorTime(b)
	if err := s.Control(func(fd uintptr) {
		for b.Loop() {
			if sysPeek(fd) {
				b.Fatal("an idle connection is readable")
			}
		}
	}); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(testkit.ProcessorTime(b)-before)/float64(b.N), "cpu-ns/op")
}
