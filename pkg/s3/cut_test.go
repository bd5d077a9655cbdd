package s3_test

import (
	"io"
	"net"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// TestCutHandshake: a connection that ends in the handshake of TLS was closed. No body was too short.
func TestCutHandshake(t *testing.T) {
	for _, c := range []struct {
		name, text string
	}{
		{"after nothing", ""},
		{"after 3 bytes", "\x16\x03\x03"},
		{"after 20 bytes", "\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03123456789"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					_, _ = conn.Read(make([]byte, 16<<10)) // so that its end is no reset
					_, _ = io.WriteString(conn, c.text)
					_ = conn.Close()
				}
			}()
			eachEngine(t, func(t *testing.T, open opener) {
				s := open(t, s3.Config{Hosts: []string{l.Addr().String()}, TLS: true, Insecure: true}).Session(0)
				if err := ops.Get(t.Context(), s, &s3.Call{Key: "k", Size: -1}); class(err) != s3.ClassClosed {
					t.Errorf("%v, want %s", err, s3.ClassClosed)
				}
			})
			_ = l.Close()
			<-done
		})
	}
}
