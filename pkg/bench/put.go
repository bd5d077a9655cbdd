package bench

import (
	"context"
	"flag"

	"warp/pkg/op"
)

var putInfo = Info{
	Name:        "put",
	Usage:       "benchmark uploads of objects",
	Description: "Uploads objects for --duration, each under a new key and with contents of its own. With --verify each is read back and compared.",
	Size:        "10MiB",
	Example:     "--obj.size=1MiB --duration=1m",
	New:         func() Workload { return &Put{} },
}

// Put uploads new objects.
type Put struct {
	Verify bool `json:"verify,omitempty"`
}

// Flags binds the parameter.
func (p *Put) Flags(fs *flag.FlagSet) {
	fs.BoolVar(&p.Verify, "verify", false, "read each object back after its upload, and compare every byte; GET operations are recorded as such")
}

// Traits declares that objects are uploaded.
func (p *Put) Traits() Traits {
	t := Traits{Kinds: []op.Kind{op.Put}, Effect: Adds}
	if p.Verify {
		t.Kinds = append(t.Kinds, op.Get)
	}
	return t
}

// Do uploads one object, and reads it back to verify it.
func (p *Put) Do(ctx context.Context, w *Worker) error {
	i, err := w.PutNew(ctx)
	if err != nil || !p.Verify {
		return err
	}
	return w.Get(ctx, w.Set.At(i), 0, 0, true)
}
