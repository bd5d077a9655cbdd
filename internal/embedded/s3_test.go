//go:build !noembed

package embedded_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"warp/internal/embedded"
)

// TestS3 asks the server for what benchmarks need of it, with both ways of keeping metadata.
func TestS3(t *testing.T) {
	for name, o := range map[string]embedded.Options{"default": {}, "sidecar": embedded.SideCar()} {
		t.Run(name, func(t *testing.T) {
			s := start(t, o)
			c := connect(t, s, s.Access, s.Secret)
			t.Run("signatures", func(t *testing.T) { testSignatures(t, s) })
			t.Run("objects", func(t *testing.T) { testObjects(t, c) })
			t.Run("multipart", func(t *testing.T) { testMultipart(t, c) })
			t.Run("versions", func(t *testing.T) { testVersions(t, c) })
			t.Run("versions at once", func(t *testing.T) { testVersionsAtOnce(t, c) })
			t.Run("multi-delete", func(t *testing.T) { testMultiDelete(t, c) })
			t.Run("copy", func(t *testing.T) { testCopy(t, c) })
		})
	}
}

func testSignatures(t *testing.T, s *embedded.Server) {
	for name, tc := range map[string]struct {
		access, secret string
		status         int
	}{
		"wrong secret": {s.Access, s.Secret + "x", http.StatusForbidden},
		"wrong access": {s.Access + "X", s.Secret, http.StatusNotFound}, // where others answer 403
	} {
		_, err := connect(t, s, tc.access, tc.secret).ListBuckets(context.Background())
		if r := minio.ToErrorResponse(err); r.StatusCode != tc.status {
			t.Errorf("%s: status %d (%v), not %d", name, r.StatusCode, err, tc.status)
		}
	}
	resp, err := http.Get("http://" + s.Endpoint() + "/")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("without a signature: status %d, not 403", resp.StatusCode)
	}
}

// bytesOf makes n bytes that differ by seed.
func bytesOf(seed byte, n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// put uploads with an unsigned payload, as benchmarks do. After an empty object in signed chunks the gateway leaves the
// end of the body on the connection, and refuses the next request there as malformed.
func put(t *testing.T, c *minio.Client, b, key string, body []byte) minio.UploadInfo {
	t.Helper()
	o := minio.PutObjectOptions{DisableMultipart: true, DisableContentSha256: true}
	info, err := c.PutObject(context.Background(), b, key, bytes.NewReader(body), int64(len(body)), o)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func get(t *testing.T, c *minio.Client, b, key string, o minio.GetObjectOptions) []byte {
	t.Helper()
	obj, err := c.GetObject(context.Background(), b, key, o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = obj.Close() }()
	got, err := io.ReadAll(obj)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// list returns the number of objects, or of versions.
func list(t *testing.T, c *minio.Client, b string, versions bool) int {
	t.Helper()
	n := 0
	for o := range c.ListObjectsIter(context.Background(), b, minio.ListObjectsOptions{Recursive: true, WithVersions: versions, MaxKeys: 10}) {
		if o.Err != nil {
			t.Fatal(o.Err)
		}
		n++
	}
	return n
}

func testObjects(t *testing.T, c *minio.Client) {
	b := bucket(t, c, "objects")
	for i, size := range []int{0, 1, 1000, 3 << 20} {
		key, body := "dir/"+strconv.Itoa(i), bytesOf(byte(i), size)
		put(t, c, b, key, body)
		if got := get(t, c, b, key, minio.GetObjectOptions{}); !bytes.Equal(got, body) {
			t.Errorf("%d bytes came back as %d others", size, len(got))
		}
		st, err := c.StatObject(context.Background(), b, key, minio.StatObjectOptions{})
		if err != nil || st.Size != int64(size) {
			t.Errorf("stat says %d bytes, not %d: %v", st.Size, size, err)
		}
	}
	var o minio.GetObjectOptions
	if err := o.SetRange(100, 299); err != nil {
		t.Fatal(err)
	}
	if got := get(t, c, b, "dir/2", o); !bytes.Equal(got, bytesOf(2, 1000)[100:300]) {
		t.Errorf("range is wrong, %d bytes", len(got))
	}
	if n := list(t, c, b, false); n != 4 {
		t.Errorf("%d objects are listed, not 4", n)
	}
}

func testMultipart(t *testing.T, c *minio.Client) {
	b := bucket(t, c, "multipart")
	body := bytesOf(9, 12<<20)
	info, err := c.PutObject(context.Background(), b, "big", bytes.NewReader(body), int64(len(body)), minio.PutObjectOptions{PartSize: 5 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(info.ETag, "-3") {
		t.Errorf("ETag %q is not that of 3 parts", info.ETag)
	}
	if got := get(t, c, b, "big", minio.GetObjectOptions{}); !bytes.Equal(got, body) {
		t.Error("other bytes came back")
	}
	core := minio.Core{Client: c}
	id, err := core.NewMultipartUpload(context.Background(), b, "left", minio.PutObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := core.AbortMultipartUpload(context.Background(), b, "left", id); err != nil {
		t.Error(err)
	}
	for u := range c.ListIncompleteUploads(context.Background(), b, "", true) {
		t.Errorf("upload %+v is still there", u)
	}
}

func testVersions(t *testing.T, c *minio.Client) {
	ctx := context.Background()
	b := bucket(t, c, "versions")
	if err := c.EnableVersioning(ctx, b); err != nil {
		t.Fatal(err)
	}
	first, second := put(t, c, b, "k", []byte("first")), put(t, c, b, "k", []byte("second"))
	if first.VersionID == "" || first.VersionID == second.VersionID {
		t.Fatalf("versions %q and %q", first.VersionID, second.VersionID)
	}
	if got := get(t, c, b, "k", minio.GetObjectOptions{VersionID: first.VersionID}); string(got) != "first" {
		t.Errorf("the first version is %q", got)
	}
	if err := c.RemoveObject(ctx, b, "k", minio.RemoveObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	if n := list(t, c, b, false); n != 0 {
		t.Errorf("%d objects are listed below a delete marker", n)
	}
	if n := list(t, c, b, true); n != 3 {
		t.Errorf("%d versions are listed, not 2 and a marker", n)
	}
	for o := range c.ListObjectsIter(ctx, b, minio.ListObjectsOptions{WithVersions: true}) {
		if err := c.RemoveObject(ctx, b, o.Key, minio.RemoveObjectOptions{VersionID: o.VersionID}); err != nil {
			t.Error(err)
		}
	}
	if err := c.RemoveBucket(ctx, b); err != nil {
		t.Errorf("the bucket is not empty: %v", err)
	}
}

func testMultiDelete(t *testing.T, c *minio.Client) {
	b := bucket(t, c, "multidelete")
	objects := make(chan minio.ObjectInfo, 25)
	for i := range cap(objects) {
		key := "p/" + strconv.Itoa(i)
		put(t, c, b, key, []byte("x"))
		objects <- minio.ObjectInfo{Key: key}
	}
	close(objects)
	if n := list(t, c, b, false); n != 25 {
		t.Errorf("%d objects are listed, not 25", n)
	}
	for e := range c.RemoveObjects(context.Background(), b, objects, minio.RemoveObjectsOptions{}) {
		t.Errorf("delete %s: %v", e.ObjectName, e.Err)
	}
	if n := list(t, c, b, false); n != 0 {
		t.Errorf("%d objects are left", n)
	}
}

func testCopy(t *testing.T, c *minio.Client) {
	b := bucket(t, c, "copy")
	put(t, c, b, "from", []byte("content"))
	src, dst := minio.CopySrcOptions{Bucket: b, Object: "from"}, minio.CopyDestOptions{Bucket: b, Object: "to"}
	if _, err := c.CopyObject(context.Background(), dst, src); err != nil {
		t.Fatal(err)
	}
	if got := get(t, c, b, "to", minio.GetObjectOptions{}); string(got) != "content" {
		t.Errorf("the copy is %q", got)
	}
}
