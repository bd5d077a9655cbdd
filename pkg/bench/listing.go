package bench

import (
	"context"

	"warp/pkg/bench/work"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// pages calls each for the entries of all pages of a listing, until it returns false.
func pages(ctx context.Context, sess s3.Session, l ops.Listing, each func(ops.Entry) bool) error {
	var c s3.Call
	for ; ; l.Token = l.Next {
		if err := work.RetryTemporary(ctx, func() error { return ops.List(ctx, sess, &c, &l) }); err != nil {
			return err
		}
		for _, e := range l.Entries {
			if !each(e) {
				return nil
			}
		}
		if l.Next == "" {
			return nil
		}
	}
}
