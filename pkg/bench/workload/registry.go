// Package workload has the workloads, each in a file that says what a turn does. It has no goroutine, clock, limiter or output: the engine
// in package bench decides when turns start, and the plan how many there are.
package workload

import "warp/pkg/bench/work"

// In the order of help. A literal of companions would refer to itself by way of mixes.
func init() {
	companions = []companion{
		versionedShare,
		multipartShare,
		appendShare,
		retentionShare,
		legalHoldShare,
		postShare,
		presignShare,
		contendShare,
		snowballShare,
		zipShare,
		fanoutShare,
		renameShare,
		selectShare,
	}
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
		selectInfo,
		aclInfo,
		headBucketInfo,
		createBucketInfo,
		deleteBucketInfo,
		copyInfo,
		appendInfo,
		renameInfo,
		contendInfo,
		snowballInfo,
		zipInfo,
		fanoutInfo,
	)
}
