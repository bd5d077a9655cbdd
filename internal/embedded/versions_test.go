//go:build !noembed

package embedded_test

import (
	"bytes"
	"context"
	"io"
	"sync"
	"testing"

	"github.com/minio/minio-go/v7"
)

// testVersionsAtOnce has writers add, read and delete versions of one object, each its own ones, at the same time.
func testVersionsAtOnce(t *testing.T, c *minio.Client) {
	ctx := context.Background()
	const bucket, key, writers, rounds = "at-once", "one", 8, 30
	if err := c.MakeBucket(ctx, bucket, minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := c.EnableVersioning(ctx, bucket); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for w := range byte(writers) {
		wg.Go(func() {
			want := bytesOf(w, 1000+int(w))
			for range rounds {
				info := put(t, c, bucket, key, want)
				o, err := c.GetObject(ctx, bucket, key, minio.GetObjectOptions{VersionID: info.VersionID})
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := io.ReadAll(o); err != nil || !bytes.Equal(got, want) {
					t.Errorf("get version: %d bytes, %v", len(got), err)
				}
				_ = o.Close()
				if _, err := c.StatObject(ctx, bucket, key, minio.GetObjectOptions{VersionID: info.VersionID}); err != nil {
					t.Error("stat version:", err)
				}
				if err := c.RemoveObject(ctx, bucket, key, minio.RemoveObjectOptions{VersionID: info.VersionID}); err != nil {
					t.Error("delete version:", err)
				}
			}
		})
	}
	wg.Wait()
	if n := list(t, c, bucket, true); n != 0 {
		t.Errorf("%d versions are left", n)
	}
}
