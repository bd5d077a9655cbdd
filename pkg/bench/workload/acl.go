package workload

import (
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/s3/ops"
)

var aclInfo = work.Info{
	Name:  "acl",
	Usage: "request access control lists of objects",
	Description: "Uploads --objects objects, then requests their access control lists (GetObjectAcl), in get's " +
		"order.",
	Size:    "1KB",
	Example: "--objects=10000 --duration=1m",
	New:     func() work.Workload { return NewSubresource(op.ACL, ops.GetACL) },
}
