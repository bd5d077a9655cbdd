//go:build !race

package s3_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

func putArchive(ctx context.Context, s s3.Session, c *s3.Call) error {
	c.Body = archive
	return ops.PutArchive(ctx, s, c)
}

var archive = bytes.NewReader([]byte("files"))

// TestSubresourcesAllocateLittle: other requests allocate two times at most: texts of headers, the parser of a response.
func TestSubresourcesAllocateLittle(t *testing.T) {
	var doc ops.Document
	query := ops.NewQuery("SELECT s._1 FROM S3Object s")
	until, source := time.Now(), ops.CopySource("b", ops.ObjectID{Key: "k"})
	for name, tc := range map[string]struct {
		document string // the response
		send     func(context.Context, s3.Session, *s3.Call) error
		most     float64
	}{
		"tags":        {"<Tagging/>", func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.GetTags(ctx, s, c, &doc) }, 0},
		"put tag":     {"", func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.PutTag(ctx, s, c, &doc, "k", 7) }, 1},
		"delete tags": {"", ops.DeleteTags, 0},
		"attributes":  {"<GetObjectAttributesResponse><ObjectSize>5</ObjectSize></GetObjectAttributesResponse>", ops.GetAttributes, 1},
		"acl":         {"<AccessControlPolicy/>", ops.GetACL, 0},
		"retention": {"<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>2030-01-02T03:04:05Z</RetainUntilDate></Retention>", func(ctx context.Context, s s3.Session, c *s3.Call) error {
			_, err := ops.GetRetention(ctx, s, c, &doc)
			return err
		}, 1},
		"put retention": {"", func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.PutRetention(ctx, s, c, &doc, until)
		}, 1},
		"legal hold": {"<LegalHold><Status>ON</Status></LegalHold>", func(ctx context.Context, s s3.Session, c *s3.Call) error {
			_, err := ops.GetLegalHold(ctx, s, c, &doc)
			return err
		}, 0},
		"select": {events(records("1\n2\n"), records("3\n"), stats(6), end), func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.Select(ctx, s, c, query)
		}, 0},
		"copy": {"<CopyObjectResult/>", func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.Copy(ctx, s, c, source) }, 0},
		"copy part": {"<CopyPartResult><ETag>&quot;e&quot;</ETag></CopyPartResult>", func(ctx context.Context, s s3.Session, c *s3.Call) error {
			c.Offset, c.Length = 1<<20, 5
			_, err := ops.CopyPart(ctx, s, c, &doc, source, "an-id", 7)
			return err
		}, 2},
		"rename":        {"", func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.Rename(ctx, s, c, source) }, 1},
		"archive":       {"", putArchive, 0},
		"file in a zip": {"hello", ops.GetZipped, 0},
	} {
		response := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(tc.document), tc.document)
		st := open(t, s3.Config{Hosts: []string{quiet(t, response)}, Engine: "lean", Concurrency: 1})
		s, c := st.Session(0), &s3.Call{}
		operation := func() {
			c.Reset()
			c.Key, c.Size = "k", 5
			if err := tc.send(t.Context(), s, c); err != nil {
				t.Error(err)
			}
		}
		operation()
		if n := testing.AllocsPerRun(200, operation); n > tc.most {
			t.Errorf("%s: %.0f allocations, want at most %.0f", name, n, tc.most)
		}
		st.Close()
	}
}
