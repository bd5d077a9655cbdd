package doctor

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"warp/internal/clock"
	"warp/pkg/doctor/finding"
	"warp/pkg/s3/ops"
	"warp/pkg/units"
)

const (
	// prefixRoot begins the prefixes of all examinations.
	prefixRoot = "warp-doctor-"
	// prefixTime is when an examination began, in its prefix.
	prefixTime = "20060102t150405"
)

// leftAfter is how old an examination is that has certainly ended.
var leftAfter = time.Hour

// newPrefix returns a prefix that no other examination has, and that says when this one began.
func newPrefix() string {
	return prefixRoot + clock.Wall().UTC().Format(prefixTime) + "-" + strings.ToLower(rand.Text()[:12]) + "/"
}

// prefixOf returns the prefix of the examination that made an object; ok is false if none did.
func prefixOf(key string) (prefix string, begun time.Time, ok bool) {
	prefix, _, ok = strings.Cut(key, "/")
	text, _, dashed := strings.Cut(strings.TrimPrefix(prefix, prefixRoot), "-")
	begun, err := time.Parse(prefixTime, text)
	return prefix + "/", begun, ok && dashed && err == nil && strings.HasPrefix(prefix, prefixRoot)
}

// removeLeftovers removes what examinations left that were killed. Objects of one that may be under way stay, and are mentioned.
func (x *examination) removeLeftovers(ctx context.Context, h *host) {
	ids, err := h.list(ctx, prefixRoot)
	if err != nil {
		return // the checks say why
	}
	young := map[string]bool{}
	left := func(key string) bool {
		prefix, begun, ok := prefixOf(key)
		if ok && clock.Wall().Sub(begun) < leftAfter {
			young[prefix] = true
			return false
		}
		return ok
	}
	ids = slices.DeleteFunc(ids, func(id ops.ObjectID) bool { return !left(id.Key) })
	n, problems := len(ids), []error{}
	for _, f := range deleteAll(ctx, h.session, ids, x.report.Bucket.Lock == finding.LockEnabled) {
		n, problems = n-1, append(problems, fmt.Errorf("%q: %w", f.Key, f.Err))
	}
	_ = h.bucket.Uploads(ctx, prefixRoot, func(u ops.Upload) error { // not every server lists them
		if left(u.Key) && h.bucket.Abort(ctx, u) == nil {
			n++
		}
		return nil
	})
	x.report.Leftovers = n
	if len(problems) > 0 {
		x.warn("%s that an earlier check left cannot be removed, one of them %s",
			units.Plural(int64(len(problems)), "object"), units.Line(problems[0].Error()))
	}
	for _, prefix := range slices.Sorted(maps.Keys(young)) {
		x.warn("below %q lie objects of another check, which may be under way; "+
			"if it is not, a check removes them an hour after it began", prefix)
	}
}
