package doctor

import (
	"errors"
	"fmt"
	"strings"

	"warp/pkg/doctor/finding"
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
)

// A bucket that does not exist is made plain, as a benchmark makes it. What needs versions or object lock is tried in a second one, which
// is made for that alone.

// secondName returns the name of the second bucket.
func secondName(name string) string {
	const longest, end = 63, "-doctor"
	return strings.TrimRight(name[:min(len(name), longest-len(end))], ".-") + end
}

// second returns a trial in the second bucket, which is made through the first host that needs it. The error says why there is none.
func (t *trial) second() (*trial, error) {
	if t.other != nil || t.otherErr != nil {
		return t.other, t.otherErr
	}
	t.other, t.otherErr = openSecond(t)
	return t.other, t.otherErr
}

func openSecond(t *trial) (*trial, error) {
	cfg := t.host.cfg
	if s3.IsDirectory(cfg.Bucket) {
		return nil, errors.New("directory buckets keep no versions")
	}
	cfg.SetBucket(secondName(cfg.Bucket))
	h, err := newHost(cfg, 0)
	if err != nil {
		return nil, err
	}
	t.host.second = h
	if t.first != nil && t.first.host.second != nil && t.first.host.second.made {
		if there, err := h.bucket.Exists(t.ctx); err == nil && there {
			h.state = t.first.other.bucket
			return &trial{ctx: t.ctx, host: h, prefix: t.prefix, bucket: h.state}, nil
		}
	}
	bucket := &finding.Bucket{Name: cfg.Bucket, Versioning: "Enabled", Lock: finding.LockEnabled}
	if h.made, err = h.bucket.Ensure(t.ctx, preflight.Lock); err != nil {
		bucket.Lock = finding.LockNone
		h.made, err = h.bucket.Ensure(t.ctx, preflight.Versions)
	}
	switch {
	case err != nil:
		return nil, err
	case !h.made:
		return nil, fmt.Errorf("a bucket %q exists, which the check would make", cfg.Bucket)
	}
	h.state = bucket
	return &trial{ctx: t.ctx, host: h, prefix: t.prefix, bucket: bucket}, nil
}
