//go:build !noembed

package embedded_test

import (
	"bytes"
	"context"
	"net/http"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"warp/internal/embedded"
)

// TestTrailersOfMinIO: docs/guide/minio-warp.md says which trailers of MinIO's SDK the server takes. It ends their line with LF, CRLF, and the
// gateway takes the LF for a part of the checksum if chunks are signed.
func TestTrailersOfMinIO(t *testing.T) {
	s := start(t, embedded.Options{})
	c, err := minio.New(s.Endpoint(), &minio.Options{
		Creds: credentials.NewStaticV4(s.Access, s.Secret, ""), Region: "us-east-1", TrailingHeaders: true, MaxRetries: 1,
	})
	if err == nil {
		err = c.MakeBucket(context.Background(), "trailers", minio.MakeBucketOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		unsigned bool
		status   int
	}{
		"signed":   {status: http.StatusBadRequest},
		"unsigned": {unsigned: true},
	} {
		o := minio.PutObjectOptions{DisableMultipart: true, DisableContentSha256: tc.unsigned, Checksum: minio.ChecksumCRC32C}
		_, err := c.PutObject(context.Background(), "trailers", name, bytes.NewReader(bytesOf(1, 4096)), 4096, o)
		if r := minio.ToErrorResponse(err); r.StatusCode != tc.status || r.Code != map[bool]string{true: "", false: "BadDigest"}[err == nil] {
			t.Errorf("%s: %v (want status %d)", name, err, tc.status)
		}
	}
}
