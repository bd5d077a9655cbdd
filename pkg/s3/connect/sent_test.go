package connect

import (
	"context"
	"net"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// TestNothingLeft: requests that were refused, or whose context had ended, never left: no store bills them.
func TestNothingLeft(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	for _, engine := range []string{"lean", "std"} {
		store, err := New(s3.Config{Hosts: []string{l.Addr().String()}, AccessKey: "a", SecretKey: "s", Bucket: "bucket", Concurrency: 1, Engine: engine, Retries: 1})
		if err != nil {
			t.Fatal(err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		session := store.Session(0)
		for _, ctx := range []context.Context{t.Context(), ended} {
			call := s3.Call{Key: "k"}
			if err := ops.Get(ctx, session, &call); err == nil || call.MaybeSent || call.Requests != 0 {
				t.Errorf("%s: %v, begun %v, %d requests", engine, err, call.MaybeSent, call.Requests)
			}
		}
		if sent := store.Sent(); sent != (s3.Methods{}) {
			t.Errorf("%s: sent %v", engine, sent)
		}
		store.Close()
	}
}
