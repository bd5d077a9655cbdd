package doctor

import (
	"warp/pkg/doctor/finding"
	"warp/pkg/s3/probe"
)

// versioned returns a check of versions, in a bucket that keeps them.
func versioned(c *probe.Capability) func(t *trial) verdict {
	return func(t *trial) verdict {
		t, v := withFeature(t, t.bucket.Versioning == "Enabled", "keeps no versions; use a --bucket that does")
		if t == nil {
			return v
		}
		return t.probe(c)
	}
}

// withFeature returns the trial in a bucket that has a feature: the one that is examined, or if the check made that, a second one. It is
// nil if there is none, for the reason in the verdict.
func withFeature(t *trial, has bool, lacks string) (*trial, verdict) {
	switch {
	case has:
		return t, verdict{}
	case !t.made():
		return nil, verdict{result: finding.Untried, detail: "the bucket " + lacks + ", or one that does not exist yet"}
	}
	second, err := t.second()
	if err != nil {
		return nil, verdict{result: finding.Untried, detail: "no bucket with versions can be made: " + err.Error()}
	}
	return second, verdict{}
}

// made reports whether the check made the bucket, through this host or the first one.
func (t *trial) made() bool { return t.host.made || t.first != nil && t.first.host.made }

// locked returns a check of a lock on a version, in a bucket with object lock.
func locked(c *probe.Capability) func(t *trial) verdict {
	return func(t *trial) verdict {
		t, v := withFeature(t, t.bucket.Lock == finding.LockEnabled, "has no object lock; use a --bucket that has")
		if t == nil {
			return v
		}
		if t.bucket.Lock != finding.LockEnabled {
			return verdict{result: finding.Untried, detail: "the host makes no buckets with object lock"}
		}
		return t.probe(c)
	}
}
