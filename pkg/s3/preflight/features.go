package preflight

import (
	"context"
	"errors"
	"slices"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// Feature is something that a run may need of its bucket.
type Feature uint8

// Features of buckets.
const (
	Versions Feature = iota + 1 // it keeps versions
	Lock                        // versions in it can be locked; it keeps versions too
)

// errNoFeature is the error of a bucket that lacks a feature.
var errNoFeature = errors.New("the bucket is not as the run needs it")

// enable gives features to the bucket that was just made on host i. If that fails, the bucket is removed.
func enable(ctx context.Context, b *Bucket, i int, features []Feature) (err error) {
	if len(features) == 0 {
		b.made[i] = true
		return nil
	}
	if !slices.Contains(features, Lock) { // with it, versions are kept from the start
		_, err = b.send(ctx, i, actEnableVersions, ops.EnableVersioning)
	}
	if err == nil {
		err = hasFeatures(ctx, b, i, features, true)
	}
	if b.made[i] = err == nil; err != nil {
		tidy, cancel := WithGrace(ctx, deletionGrace)
		defer cancel()
		_, _ = b.send(tidy, i, actRemove, ops.RemoveBucket) // best effort: it is empty, and the error is what matters
	}
	return err
}

// hasFeatures returns an error if the bucket on host i lacks a feature. If the key may not look, the preflight finds out.
func hasFeatures(ctx context.Context, b *Bucket, i int, features []Feature, made bool) error {
	for _, f := range features {
		has, err := false, error(nil)
		if f == Lock {
			_, err = b.send(ctx, i, actLock, func(ctx context.Context, s s3.Session, c *s3.Call) (err error) {
				has, err = ops.ObjectLock(ctx, s, c)
				return err
			})
		} else {
			_, err = b.send(ctx, i, actVersions, func(ctx context.Context, s s3.Session, c *s3.Call) error {
				state, err := ops.GetVersioning(ctx, s, c)
				has = state == ops.VersioningEnabled
				return err
			})
		}
		switch {
		case isDenied(err):
		case err != nil:
			return err
		case !has:
			return lacks(b.store.Hosts()[i], f, made)
		}
	}
	return nil
}

// lacks is the error of a bucket without a feature.
func lacks(host string, f Feature, made bool) error {
	d := &Diagnosis{Host: host, Err: errNoFeature}
	switch {
	case made && f == Lock:
		d.say("the host makes no buckets with object lock, which this run needs", "use another store")
	case made:
		d.say("the host confirms versioning of a bucket, and does not enable it; this run needs it", "use another store")
	case f == Lock:
		d.say("the bucket has no object lock, which this run needs",
			"name a --bucket that does not exist: warp makes it with object lock, and does not change one that exists")
	default:
		d.say("the bucket does not keep versions, which this run needs",
			"name a --bucket that does not exist: warp makes it with versioning, and does not change one that exists")
	}
	return d
}
