//go:build unix

package s3_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/generator"
	"warp/pkg/s3"
)

// request is one kind of request whose cost is compared.
type request struct {
	name     string
	response string // with status 200: headers and body; empty: nothing but the status
	uploads  s3.Uploads
	send     func(ctx context.Context, s s3.Session, c *s3.Call) error
}

// compareCost measures the processor time of requests of the lean engine, one kind after the other in each round, so that what else
// the machine does is the same for all. It reports the median of each kind, and its ratio to the first one.
func compareCost(b *testing.B, count int, requests []request) {
	var responses []string
	for _, r := range requests {
		responses = append(responses, "HTTP/1.1 200 OK\r\n"+cmp.Or(r.response, "Content-Length: 0\r\n\r\n"))
	}
	list, err := json.Marshal(responses)
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveCanned+"="+string(list))
	_, out := testkit.Start(b, cmd)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	hosts := strings.Fields(line)
	var sessions []s3.Session
	for i, r := range requests {
		sessions = append(sessions, open(b, s3.Config{Hosts: hosts[i : i+1], Engine: "lean", Concurrency: 1, Uploads: r.uploads}).Session(0))
	}
	var c s3.Call
	times := make([][]float64, len(requests))
	b.ResetTimer()
	for round := range b.N {
		for i := range requests {
			i = (i + round) % len(requests)
			r := requests[i]
			start := cpu()
			for range count {
				c.Reset()
				c.Key = "prefix/object"
				if err := r.send(b.Context(), sessions[i], &c); err != nil {
					b.Fatalf("%s: %v", r.name, err)
				}
			}
			times[i] = append(times[i], float64(cpu()-start)/float64(count)/float64(time.Microsecond))
		}
	}
	b.StopTimer()
	for i, r := range requests {
		slices.Sort(times[i])
		b.ReportMetric(times[i][b.N/2], r.name+":cpu-µs")
		b.ReportMetric(times[i][b.N/2]/times[0][b.N/2], r.name+":ratio")
	}
}

// BenchmarkUploadCost measures what the options of an upload cost the client.
func BenchmarkUploadCost(b *testing.B) {
	const size = 10 << 20
	data, err := generator.NewData("random", 1)
	if err != nil {
		b.Fatal(err)
	}
	var n uint64
	body := data.Body(0, size)
	put := func(ctx context.Context, s s3.Session, c *s3.Call) error {
		n++
		body.Reset(n, size)
		c.Body, c.Size = body, size
		return s3.Put(ctx, s, c)
	}
	unsigned := s3.Uploads{Trailer: true, Payload: s3.PayloadUnsigned}
	crc32c, crc64 := unsigned, unsigned
	crc32c.Checksum, crc64.Checksum = "CRC32C", "CRC64NVME"
	compareCost(b, 1, []request{
		{"none", "", s3.Uploads{}, put},
		{"CRC32C", "", s3.Uploads{Checksum: "CRC32C"}, put},
		{"CRC64NVME", "", s3.Uploads{Checksum: "CRC64NVME"}, put},
		{"CRC32C-trailer", "", crc32c, put},
		{"CRC64NVME-trailer", "", crc64, put},
		{"SHA256", "", s3.Uploads{Checksum: "SHA256"}, put},
		{"signed", "", s3.Uploads{Payload: s3.PayloadSigned}, put},
		{"streaming", "", s3.Uploads{Payload: s3.PayloadStreaming}, put},
		{"MD5", "", s3.Uploads{MD5: true}, put},
	})
}
