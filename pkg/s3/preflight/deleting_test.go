package preflight_test

import (
	"context"
	"testing"
	"time"

	"warp/internal/responder"
	play "warp/internal/responder/azure"
	"warp/internal/responder/stores"
	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

// TestDeleting: a container is made once the old one of the same name is gone, however often that is refused before.
func TestDeleting(t *testing.T) {
	defer preflight.SetDeletingPause(time.Millisecond)()
	s3test.EachEngine(t, func(t *testing.T, open s3test.Opener) {
		account := play.New(play.Options{BeingDeleted: preflight.Tries + 1})
		r := s3test.Serve(t, responder.Options{Keep: true, Dialect: account})
		account.Create("box")
		cfg := stores.Azure()
		cfg.Hosts, cfg.Bucket = []string{r.Host()}, "box"
		store := open(t, cfg)
		if err := ops.RemoveBucket(t.Context(), store.Session(0), &s3.Call{}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if made, err := preflight.Open(store).Ensure(ctx); !made || err != nil {
			t.Error(made, err)
		}
	})
}
