//go:build !noembed

package embedded_test

import (
	"context"
	"os"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"go.uber.org/goleak"

	"warp/internal/child"
	"warp/internal/embedded"
)

func TestMain(m *testing.M) {
	if code, ran := child.Run(os.Args[1:], os.Stdin, os.Stdout, embedded.Child); ran {
		os.Exit(code)
	}
	if os.Getenv(parentMode) != "" {
		os.Exit(parentMain())
	}
	goleak.VerifyTestMain(m)
}

// start starts a server that ends with the test.
func start(t testing.TB, o embedded.Options) *embedded.Server {
	t.Helper()
	s, err := embedded.Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// connect makes a client whose connections end with the test.
func connect(t testing.TB, s *embedded.Server, access, secret string) *minio.Client {
	t.Helper()
	tr, err := minio.DefaultTransport(false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.CloseIdleConnections)
	tr.MaxIdleConnsPerHost = 64
	c, err := minio.New(s.Endpoint(), &minio.Options{
		Creds:     credentials.NewStaticV4(access, secret, ""),
		Transport: tr,
		Region:    "us-east-1",
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// bucket makes a bucket on s.
func bucket(t testing.TB, c *minio.Client, name string) string {
	t.Helper()
	if err := c.MakeBucket(context.Background(), name, minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	return name
}

// gone reports whether there is nothing at path.
func gone(path string) bool {
	_, err := os.Lstat(path)
	return os.IsNotExist(err)
}
