//go:build unix

package s3_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"warp/internal/responder/stores"
	"warp/internal/testkit"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// rawServer starts a server in a process of its own.
func rawServer(b *testing.B, size int) (host string) {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", serveRaw, size))
	_, out := testkit.Start(b, cmd)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// BenchmarkEngine measures what an operation costs the client, with each kind of store and its signatures: CPU time of the whole process, and
// allocations.
func BenchmarkEngine(b *testing.B) {
	for _, size := range []int{4 << 10, 10 << 20} {
		host := rawServer(b, size)
		for i := range stores.Kinds {
			for _, engine := range []string{"lean", "std"} {
				cfg := stores.Kinds[i].Config
				cfg.Hosts, cfg.Engine, cfg.Concurrency = []string{host}, engine, benchWorkers
				benchmarkStore(b, stores.Kinds[i].Name+"/"+engine, open(b, cfg), size)
			}
		}
	}
}

const benchWorkers = 16

// benchmarkStore measures operations on objects of a size.
func benchmarkStore(b *testing.B, name string, st s3.Store, size int) {
	content := make([]byte, size)
	for _, kind := range []string{"get", "put", "part", "stat", "delete"} {
		if size > 4<<10 && kind != "get" && kind != "put" && kind != "part" {
			continue
		}
		b.Run(fmt.Sprintf("%s/%s/%d", name, kind, size), func(b *testing.B) {
			var left atomic.Int64
			left.Store(int64(b.N))
			sessions := make([]s3.Session, benchWorkers)
			for w := range sessions { // connect
				sessions[w] = st.Session(w)
				c := s3.Call{Key: "prefix/object", Size: int64(size)}
				if err := perform(b.Context(), sessions[w], kind, &c, bytes.NewReader(content)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			start := testkit.ProcessorTime(b)
			b.ResetTimer()
			var wg sync.WaitGroup
			for w := range benchWorkers {
				wg.Go(func() {
					c, body := s3.Call{}, bytes.NewReader(content)
					for left.Add(-1) >= 0 {
						c.Reset()
						c.Key, c.Size = "prefix/object", int64(size)
						if err := perform(b.Context(), sessions[w], kind, &c, body); err != nil {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
			b.StopTimer()
			b.ReportMetric(float64((testkit.ProcessorTime(b)-start).Nanoseconds())/float64(b.N)/1000, "cpu-µs/op")
		})
	}
}

// perform performs an operation.
func perform(ctx context.Context, s s3.Session, kind string, c *s3.Call, body *bytes.Reader) error {
	switch kind {
	case "get":
		return ops.Get(ctx, s, c)
	case "put":
		c.Body = body
		return ops.Put(ctx, s, c)
	case "part":
		c.Body = body
		_, err := ops.PutPart(ctx, s, c, "ZGVhZGJlZWYtdXBsb2FkLWlk", 7)
		return err
	case "stat":
		return ops.Stat(ctx, s, c)
	case "delete":
		return ops.Delete(ctx, s, c)
	}
	return fmt.Errorf("unknown operation %q", kind)
}
