package ops

import (
	"context"

	"warp/pkg/s3"
)

// AskAccount asks the store what it says of itself, and of the account or bucket; nothing if its kind has no such request. The dialect then
// knows what the account lacks.
func AskAccount(ctx context.Context, s s3.Session, c *s3.Call) ([]s3.Fact, error) {
	if d, ok := s.Dialect().(interface {
		AskAccount(ctx context.Context, s s3.Session, c *s3.Call) ([]s3.Fact, error)
	}); ok {
		return d.AskAccount(ctx, s, c)
	}
	return nil, nil
}

// Remarks are what responses have said of the store that its user should know.
func Remarks(s s3.Session) []string {
	if d, ok := s.Dialect().(interface{ Remarks() []string }); ok {
		return d.Remarks()
	}
	return nil
}

// RemoveDirectories removes the empty directories below a prefix, on stores that keep them when their objects are gone.
func RemoveDirectories(ctx context.Context, s s3.Session, prefix string) error {
	if d, ok := s.Dialect().(interface {
		RemoveDirectories(ctx context.Context, s s3.Session, prefix string) error
	}); ok {
		return d.RemoveDirectories(ctx, s, prefix)
	}
	return nil
}
