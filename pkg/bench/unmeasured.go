package bench

import (
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
)

// unmeasuredAt gives a way to use a session for requests about a bucket that are not measured.
func unmeasuredAt(s s3.Session, cfg s3.Config, bucket int) s3.Session {
	cfg.Bucket = cfg.BucketName(bucket)
	return preflight.WithDiagnosis(s3.InBucket(s, bucket), cfg)
}
