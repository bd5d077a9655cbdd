package bench

import (
	"context"
	"flag"

	"warp/pkg/op"
)

var putInfo = Info{
	Name:        "put",
	Usage:       "benchmark uploads of objects",
	Description: "Uploads objects for --duration, each under a new key and with contents of its own.",
	Size:        "10MiB",
	Example:     "--obj.size=1MiB --duration=1m",
	New:         func() Workload { return &Put{} },
}

// Put uploads new objects.
type Put struct{}

// Flags binds nothing: all that a PUT needs is in the plan.
func (*Put) Flags(*flag.FlagSet) {}

// Traits declares that objects are uploaded.
func (*Put) Traits() Traits { return Traits{Kinds: []op.Kind{op.Put}, Effect: Adds} }

// Do uploads one object.
func (*Put) Do(ctx context.Context, w *Worker) error {
	_, err := w.PutNew(ctx)
	return err
}
