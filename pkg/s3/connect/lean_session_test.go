package connect_test

import (
	"context"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// TestCloseWhileBusy: a store that is closed ends no operation, and leaves no connection behind (goleak and the server,
// which waits for its connections, would tell).
func TestCloseWhileBusy(t *testing.T) {
	begun := make(chan struct{}, 1)
	r := serve(t, responder.Options{Forget: true, Rule: func(op.Kind, uint64) responder.Fault {
		begun <- struct{}{}
		return responder.Fault{Delay: 50 * time.Millisecond}
	}})
	st := open(t, s3.Config{Hosts: []string{r.Host()}, Engine: "lean"})
	s, done := st.Session(0), make(chan error)
	go func() { done <- ops.Stat(context.Background(), s, &s3.Call{Key: "k"}) }()
	<-begun
	st.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	c := &s3.Call{Key: "k"}
	if err := ops.Stat(t.Context(), s, c); err != nil || c.Connected != 1 {
		t.Errorf("%v, connected %v: the connection was kept after Close", err, c.Connected)
	}
}
