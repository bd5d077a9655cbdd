package connect_test

import (
	"testing"

	"warp/internal/responder"
	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/ops"
)

// TestHostOfThread: with --host-select=thread, each worker keeps to one host, as s3bench's clients do.
func TestHostOfThread(t *testing.T) {
	// works: s3bench: several endpoints: a client keeps to one
	var c s3.Config
	for range 2 {
		c.Hosts = append(c.Hosts, s3test.Serve(t, responder.Options{}).Host())
	}
	c.Bucket, c.HostSelect, c.AccessKey, c.SecretKey = "bucket", "thread", "a", "b"
	store := s3test.Open(t, c)
	for worker := range 4 {
		session := store.Session(worker)
		for range 3 {
			call := &s3.Call{}
			if err := ops.HeadBucket(t.Context(), session, call); err != nil {
				t.Fatal(err)
			}
			if want := "http://" + c.Hosts[worker%2]; call.Host != want {
				t.Errorf("worker %d sent to %s, want %s", worker, call.Host, want)
			}
		}
	}
}
