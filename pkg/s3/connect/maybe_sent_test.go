package connect

import (
	"bytes"
	"context"
	"net"
	"testing"

	"warp/internal/responder"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// TestBegun asks both engines whether an upload that failed may have reached the server.
func TestBegun(t *testing.T) {
	closed := func(t *testing.T) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_ = l.Close()
		return l.Addr().String()
	}
	once := func(t *testing.T) string { // takes one connection, closes it, and is gone
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		t.Cleanup(func() { <-done })
		go func() {
			defer close(done)
			if c, err := l.Accept(); err == nil {
				_, _ = c.Read(make([]byte, 1<<10))
				_ = l.Close()
				_ = c.Close()
			}
		}()
		return l.Addr().String()
	}
	respond := func(a responder.Fault) func(t *testing.T) string {
		return func(t *testing.T) string {
			r, err := responder.New(responder.Options{Forget: true, Rule: func(op.Kind, uint64) responder.Fault { return a }})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = r.Close() })
			return r.Host()
		}
	}
	for _, engine := range []string{"lean", "std"} {
		for _, c := range []struct {
			name          string
			host          func(t *testing.T) string
			retries       int
			begun, silent bool
		}{
			{"refused", closed, 0, false, true},
			{"refused twice", closed, 1, false, true},
			{"closed", respond(responder.Fault{Close: true}), 0, true, true},
			{"closed and then refused", once, 1, true, true},
			{"error", respond(responder.Fault{Status: 503}), 0, true, false},
			{"success", respond(responder.Fault{}), 0, true, false},
		} {
			t.Run(engine+"/"+c.name, func(t *testing.T) {
				store, err := New(s3.Config{Hosts: []string{c.host(t)}, AccessKey: "a", SecretKey: "s", Bucket: "bucket", Concurrency: 1, Engine: engine, Retries: c.retries})
				if err != nil {
					t.Fatal(err)
				}
				defer store.Close()
				call := s3.Call{Key: "k", Body: bytes.NewReader([]byte("text")), Size: 4}
				err = ops.Put(context.Background(), store.Session(0), &call)
				if call.MaybeSent != c.begun || s3.NoResponse(err) != c.silent {
					t.Errorf("%v: begun %v, want %v; silent %v, want %v", err, call.MaybeSent, c.begun, s3.NoResponse(err), c.silent)
				}
			})
		}
	}
}
