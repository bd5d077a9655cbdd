// Package workload has the workloads: a file for each says what one of its turns does. It has no goroutine, clock, limiter or output; the
// engine in package bench says when a turn comes, the plan how many there are.
package workload

import "warp/pkg/bench/work"

// In the order of help.
func init() {
	work.Register(
		mixedInfo,
		getInfo,
		putInfo,
		multipartPutInfo,
		multipartInfo,
		deleteInfo,
		listInfo,
		statInfo,
		versionedInfo,
		retentionInfo,
		legalHoldInfo,
		tagInfo,
		attributesInfo,
		aclInfo,
		headBucketInfo,
		createBucketInfo,
		deleteBucketInfo,
		copyInfo,
		appendInfo,
		contendInfo,
		snowballInfo,
		zipInfo,
		fanoutInfo,
	)
}
