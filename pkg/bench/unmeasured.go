package bench

import (
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
)

// unmeasuredAt returns a session for unmeasured requests about a bucket.
func unmeasuredAt(s s3.Session, cfg s3.Config, bucket int) s3.Session {
	cfg.SetBucket(cfg.BucketName(bucket))
	return preflight.WithDiagnosis(s3.InBucket(s, bucket), cfg)
}
