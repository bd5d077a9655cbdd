package bench

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/pkg/bench/dataset"
	"warp/pkg/generator"
	"warp/pkg/s3"
)

// extraNames returns the names of a client's extra buckets, cut to the maximum length of bucket names.
func extraNames(target *s3.Config, run string, set *setPlan, share uint64) func(int) string {
	const longest, digits = 63, 8
	hash := strconv.FormatUint(generator.Mix(generator.Mix(dataset.Hash(run), set.seed), share), 36)
	hash = strings.Repeat("0", max(0, digits-len(hash))) + hash
	base := target.Bucket
	base = strings.TrimRight(base[:min(len(base), longest-digits-len("--999"))], ".-")
	return func(n int) string { return fmt.Sprintf("%s-%s-%d", base, hash[:digits], n) }
}

// preparesExtraBuckets reports whether the preparation makes the extra buckets of a task.
func preparesExtraBuckets(c *Compiled, t *task) bool {
	makes := func(o *task) bool { return o.set == t.set && o.traits.Extra != nil && !o.traits.ExtraFirst }
	return t.traits.ExtraFirst && !slices.ContainsFunc(c.tasks, makes)
}
