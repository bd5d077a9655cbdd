package azure_test

import (
	"context"
	"testing"
	"time"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// TestPendingCopy is one operation: from its first request to the last response.
func TestPendingCopy(t *testing.T) {
	eachEngine(t, nil, func(t *testing.T, f *fake, s s3.Session) {
		f.Answers = []answer{
			{202, `x-ms-copy-status: pending|ETag: "e1"`, ""},
			{200, `x-ms-copy-status: pending|ETag: "e1"`, ""},
			{200, `x-ms-copy-status: success|ETag: "e2"`, ""},
		}
		c := &s3.Call{Key: "to", WantETag: true}
		if err := ops.Copy(t.Context(), s, c, source); err != nil {
			t.Fatal(err)
		}
		if c.Requests != 3 || c.Connected != 1 || c.Status != 200 || c.ETag != `"e2"` || c.Source != source {
			t.Errorf("the operation: %+v", c.Response)
		}
		const waited = 30 * time.Millisecond // before the second request and the third
		if took := c.FirstByte.Sub(c.Start); took < waited {
			t.Errorf("it took %v, want at least %v", took, waited)
		}
	})
}

// TestFirstAppend is one operation too: it makes the blob.
func TestFirstAppend(t *testing.T) {
	eachEngine(t, nil, func(t *testing.T, f *fake, s s3.Session) {
		f.Answers = []answer{{201, "", ""}, {201, "", ""}}
		c := &s3.Call{Key: "k"}
		err := upload(func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.Append(ctx, s, c, 0) })(t.Context(), s, c)
		if err != nil || c.Requests != 2 || c.Connected != 1 {
			t.Errorf("the operation: %+v, %v", c.Response, err)
		}
	})
}
