package ops

import (
	"context"
	"errors"

	"warp/pkg/s3"
)

// MaxSources is the maximum number of objects that Compose joins.
const MaxSources = 32

// Composer is implemented by stores that join objects.
type Composer interface {
	Compose(ctx context.Context, s s3.Session, c *s3.Call, sources []string) error
}

// Compose has the server join objects of the bucket of c, at most MaxSources, to the object c.Key. Unless c.Size is negative, it must be
// the size of the new object.
func Compose(ctx context.Context, s s3.Session, c *s3.Call, sources []string) error {
	d, ok := s.Dialect().(Composer)
	if !ok {
		return s3.InvalidRequest(errors.New(s.Dialect().Lacks(s3.Composing)))
	}
	return d.Compose(ctx, s, c, sources)
}
