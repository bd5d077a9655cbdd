package bench

import (
	"cmp"
	"context"
	"errors"
	"flag"

	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
)

var copyInfo = Info{
	Name:  "copy",
	Usage: "benchmark copies of objects by the server",
	Description: "Uploads --objects objects, then has the server copy them for --duration, each copy under a new key. Objects are used in the " +
		"order that get uses. The contents do not pass through the client, so throughput is in objects.",
	Size:    "10MiB",
	Example: "--objects=100 --obj.size=1MiB",
	New:     func() Workload { return &Copy{} },
}

// Copy has the server copy objects.
type Copy struct {
	Prepared
}

// Flags binds the parameters.
func (c *Copy) Flags(fs *flag.FlagSet) { c.Prepared.Bind(fs, 250, "") }

// Validate checks the parameters.
func (c *Copy) Validate(*Stream, generator.Spec) []error { return c.Prepared.Check() }

// Traits declares that objects are added.
func (c *Copy) Traits() Traits {
	return Traits{Kinds: []op.Kind{op.Copy}, Effect: Adds, Objects: c.Objects, Shares: true, Probe: c.Probe}
}

// Do copies one object.
func (*Copy) Do(ctx context.Context, w *Worker) error {
	return w.CopyNew(ctx, w.Set.Pick(w.Turn.N))
}

// Probe makes sure that the server copies objects. Some ignore the source and make an empty object.
func (*Copy) Probe(ctx context.Context, p *Probe) (err error) {
	c := p.Call()
	c.Key += ".copy"
	copied := c.Key
	err = s3.Copy(ctx, p.S3, c, s3.CopySource(p.Bucket, s3.ObjectID{Key: p.Key}))
	if err != nil && !c.Begun {
		return err
	}
	defer p.Remove(ctx, s3.ObjectID{Key: copied, Version: c.VersionID}, &err)
	if err != nil {
		return err
	}
	if text, err := p.Read(ctx, copied); err != nil || text != ProbeText {
		return cmp.Or(err, errors.New("the server confirms a copy, but does not make it"))
	}
	return nil
}
