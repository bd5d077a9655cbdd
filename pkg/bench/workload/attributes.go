package workload

import (
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/s3/ops"
)

var attributesInfo = work.Info{
	Name:  "attributes",
	Usage: "request attributes of objects (GetObjectAttributes)",
	Description: "Uploads --objects objects, then requests their attributes (ETag, parts, size, storage class), in " +
		"get's order. The size is checked.",
	Size:    "1KB",
	Example: "--objects=10000 --duration=1m",
	New:     func() work.Workload { return NewSubresource(op.Attributes, ops.GetAttributes) },
}
