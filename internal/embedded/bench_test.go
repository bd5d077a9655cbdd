//go:build !noembed

package embedded_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/minio/minio-go/v7"

	"warp/internal/embedded"
)

// BenchmarkStart is how long a run waits for its server, and for its end.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		s, err := embedded.Start(context.Background(), embedded.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := s.Stop(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkObjects compares places and ways of keeping metadata, with 20 workers.
func BenchmarkObjects(b *testing.B) {
	places := map[string]embedded.Options{"best": {}, "temp": {Dir: os.TempDir()}}
	for _, where := range []string{"best", "temp"} {
		for _, meta := range []string{"default", "sidecar"} {
			for _, size := range []int{4 << 10, 1 << 20} {
				name := where + "/" + meta + "/" + strconv.Itoa(size>>10) + "KiB"
				b.Run(name, func(b *testing.B) {
					benchmarkObjects(b, places[where].WithSideCar(meta == "sidecar"), size)
				})
			}
		}
	}
}

func benchmarkObjects(b *testing.B, o embedded.Options, size int) {
	const objects = 256
	ctx := context.Background()
	s := start(b, o)
	c := connect(b, s, s.Access, s.Secret)
	name := bucket(b, c, "bench")
	body := bytesOf(1, size)
	key := func(n uint64) string { return "o/" + strconv.FormatUint(n%objects, 10) }
	putOne := func(n uint64) error {
		_, err := c.PutObject(ctx, name, key(n), bytes.NewReader(body), int64(size), minio.PutObjectOptions{DisableMultipart: true})
		return err
	}
	getOne := func(n uint64) error {
		obj, err := c.GetObject(ctx, name, key(n), minio.GetObjectOptions{})
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, obj)
		return errors.Join(err, obj.Close())
	}
	for n := range uint64(objects) {
		if err := putOne(n); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("PUT", func(b *testing.B) { parallel(b, size, putOne) })
	b.Run("GET", func(b *testing.B) { parallel(b, size, getOne) })
}

func parallel(b *testing.B, size int, one func(n uint64) error) {
	var n atomic.Uint64
	b.SetBytes(int64(size))
	b.SetParallelism(10) // times GOMAXPROCS
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := one(n.Add(1)); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
}
