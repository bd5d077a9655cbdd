package ops

import (
	"context"
	"net/http"

	"warp/pkg/s3"
)

var bypassGovernance = s3.Header{Name: "X-Amz-Bypass-Governance-Retention", Value: "true"}

// BypassGovernance returns a session whose deletions succeed in spite of a lock in governance mode.
func BypassGovernance(s s3.Session) s3.Session { return bypassing{s} }

type bypassing struct{ s3.Session }

// Explain explains why one of the objects of a multi-delete was not deleted.
func (b bypassing) Explain(c *s3.Call, err error) error {
	if x, ok := b.Session.(interface{ Explain(*s3.Call, error) error }); ok {
		return x.Explain(c, err)
	}
	return err
}

// Do performs a request.
func (b bypassing) Do(ctx context.Context, c *s3.Call) error {
	if c.Method == http.MethodDelete || c.Method == http.MethodPost {
		c.Headers = append(c.Headers, bypassGovernance)
	}
	return b.Session.Do(ctx, c)
}
