package bench

import (
	"context"
	"flag"

	"warp/internal/option"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
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
	Verify  bool `json:"verify,omitempty"`
	Post    bool `json:"post,omitempty"`
	Presign bool `json:"presign,omitempty"`
}

// Flags binds the parameters.
func (p *Put) Flags(fs *flag.FlagSet) {
	fs.BoolVar(&p.Verify, "verify", false, "read each object back after its upload, and compare every byte; GET operations are recorded as such")
	fs.BoolVar(&p.Post, "post", false, "upload by a form with a signed policy, as browsers do; recorded as POST")
	fs.BoolVar(&p.Presign, "presign", false, "sign URLs before the requests start, instead of a header")
}

// Validate checks the parameters.
func (p *Put) Validate(*Stream, generator.Spec) []error {
	if p.Post && p.Presign {
		return []error{option.Errorf("post, presign", "use one of them")}
	}
	return nil
}

// Traits declares that objects are uploaded.
func (p *Put) Traits() Traits {
	t := Traits{Kinds: []op.Kind{op.Put}, Effect: Adds}
	if p.Post {
		t.Kinds[0] = op.Post
	}
	if p.Verify {
		t.Kinds = append(t.Kinds, op.Get)
	}
	return t
}

// Do uploads one object, and reads it back to verify it.
func (p *Put) Do(ctx context.Context, w *Worker) error {
	switch {
	case p.Post:
		w.Auth = s3.AuthForm
	case p.Presign:
		w.Auth = s3.AuthQuery
	}
	i, err := w.PutNew(ctx)
	w.Auth = s3.AuthHeader
	if err != nil || !p.Verify {
		return err
	}
	return w.Get(ctx, w.Set.At(i), 0, 0, true)
}
