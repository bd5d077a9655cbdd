//go:build unix

package s3_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/generator"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// request is one kind of request whose cost is compared.
type request struct {
	name     string
	response string    // headers and body; empty: nothing but the status
	status   string    // empty: 200 OK
	cfg      s3.Config // of the store, but for its host
	send     func(ctx context.Context, s s3.Session, c *s3.Call) error
}

// compareCost measures the processor time of requests, of the lean engine unless they name another, one kind after the other in each round, so that what else
// the machine does is the same for all. It reports the median of each kind, and its ratio to the first one.
func compareCost(b *testing.B, count int, requests []request) {
	var responses []string
	for _, r := range requests {
		responses = append(responses, "HTTP/1.1 "+cmp.Or(r.status, "200 OK")+"\r\n"+cmp.Or(r.response, "Content-Length: 0\r\n\r\n"))
	}
	list, err := json.Marshal(responses)
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "responses.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveCanned+"="+file)
	_, out := testkit.Start(b, cmd)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	hosts := strings.Fields(line)
	var sessions []s3.Session
	for i, r := range requests {
		cfg := r.cfg
		cfg.Hosts, cfg.Engine, cfg.Concurrency = hosts[i:i+1], cmp.Or(cfg.Engine, "lean"), 1
		sessions = append(sessions, open(b, cfg).Session(0))
	}
	var c s3.Call
	times := make([][]float64, len(requests))
	b.ResetTimer()
	for round := range b.N {
		for i := range requests {
			i = (i + round) % len(requests)
			r := requests[i]
			start := testkit.ProcessorTime(b)
			for range count {
				c.Reset()
				c.Key = "prefix/object"
				if err := r.send(b.Context(), sessions[i], &c); err != nil {
					b.Fatalf("%s: %v", r.name, err)
				}
			}
			times[i] = append(times[i], float64(testkit.ProcessorTime(b)-start)/float64(count)/float64(time.Microsecond))
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
	data, err := (&generator.Spec{Generator: "random"}).NewData(1, 1)
	if err != nil {
		b.Fatal(err)
	}
	var n uint64
	body := data.Body(0, size)
	put := func(ctx context.Context, s s3.Session, c *s3.Call) error {
		n++
		body.Reset(n, size)
		c.Body, c.Size = body, size
		return ops.Put(ctx, s, c)
	}
	unsigned := s3.Uploads{Trailer: true, Payload: s3.PayloadUnsigned}
	crc32c, crc64 := unsigned, unsigned
	crc32c.Checksum, crc64.Checksum = "CRC32C", "CRC64NVME"
	var requests []request
	for _, r := range []struct {
		name    string
		uploads s3.Uploads
	}{
		{"none", s3.Uploads{}},
		{"CRC32C", s3.Uploads{Checksum: "CRC32C"}},
		{"CRC64NVME", s3.Uploads{Checksum: "CRC64NVME"}},
		{"CRC32C-trailer", crc32c},
		{"CRC64NVME-trailer", crc64},
		{"SHA256", s3.Uploads{Checksum: "SHA256"}},
		{"signed", s3.Uploads{Payload: s3.PayloadSigned}},
		{"streaming", s3.Uploads{Payload: s3.PayloadStreaming}},
		{"MD5", s3.Uploads{MD5: true}},
	} {
		requests = append(requests, request{name: r.name, cfg: s3.Config{Uploads: r.uploads}, send: put})
	}
	compareCost(b, 1, requests)
}

// small is a response with a body.
func small(body string, headers ...string) string {
	return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", strings.Join(headers, ""), len(body), body)
}

// BenchmarkRequestCost measures what newer requests cost the client compared with PUT, GET and HEAD of the same size, the first of each group.
func BenchmarkRequestCost(b *testing.B) {
	const size = 4 << 10
	const etag, version = "ETag: \"0123456789abcdef0123456789abcdef\"\r\n", "01M822XR2D00HTBHA059HN8NRP"
	const tags = `<?xml version="1.0" encoding="UTF-8"?><Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><TagSet><Tag><Key>k</Key><Value>7</Value></Tag></TagSet></Tagging>`
	const copied = `<?xml version="1.0" encoding="UTF-8"?><CopyObjectResult><LastModified>2026-01-02T15:04:05.000Z</LastModified><ETag>"e"</ETag></CopyObjectResult>`
	content, short := bytes.NewReader(make([]byte, size)), bytes.NewReader(make([]byte, len(tags)))
	source := ops.CopySource("b", ops.ObjectID{Key: "prefix/source"})
	var doc ops.Document
	put := func(change func(*s3.Call)) func(context.Context, s3.Session, *s3.Call) error {
		return func(ctx context.Context, s s3.Session, c *s3.Call) error {
			c.Body, c.Size = content, size
			change(c)
			return ops.Put(ctx, s, c)
		}
	}
	get := func(n int64, change func(*s3.Call)) func(context.Context, s3.Session, *s3.Call) error {
		return func(ctx context.Context, s s3.Session, c *s3.Call) error {
			c.Size = n
			change(c)
			return ops.Get(ctx, s, c)
		}
	}
	none := func(*s3.Call) {}
	whole, text := small(strings.Repeat("x", size), etag), small(tags, etag)
	groups := map[string][]request{
		"put": {
			{name: "put", response: small("", etag), send: put(none)},
			{name: "if-none-match", response: small("", etag), send: put(func(c *s3.Call) { c.If.NoneMatch = "*" })},
			{name: "if-match", response: small("", etag), send: put(func(c *s3.Call) { c.If.Match = `"0123456789abcdef0123456789abcdef"` })},
			{name: "part", response: small("", etag), send: func(ctx context.Context, s s3.Session, c *s3.Call) error {
				c.Body, c.Size = content, size
				_, err := ops.PutPart(ctx, s, c, "ZGVhZGJlZWYtdXBsb2FkLWlk", 7)
				return err
			}},
		},
		"get": {
			{name: "get", response: whole, send: get(size, none)},
			{name: "version", response: whole, send: get(size, func(c *s3.Call) { c.Version = version })},
			{name: "if-match", response: whole, send: get(size, func(c *s3.Call) { c.If.Match = `"0123456789abcdef0123456789abcdef"` })},
		},
		"head": {
			{name: "head", response: "Content-Length: 4096\r\n\r\n", send: ops.Stat},
			{name: "version", response: "Content-Length: 4096\r\n\r\n", send: func(ctx context.Context, s s3.Session, c *s3.Call) error {
				c.Version = version
				return ops.Stat(ctx, s, c)
			}},
			{name: "delete-version", response: small(""), send: func(ctx context.Context, s s3.Session, c *s3.Call) error {
				c.Version = version
				return ops.Delete(ctx, s, c)
			}},
		},
		"short-put": { // of as many bytes as a document with a tag
			{name: "put", response: small("", etag), send: func(ctx context.Context, s s3.Session, c *s3.Call) error {
				c.Body, c.Size = short, short.Size()
				return ops.Put(ctx, s, c)
			}},
			{name: "put-tag", response: small("", etag), send: func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.PutTag(ctx, s, c, &doc, "k", 7) }},
			{name: "copy", response: small(copied, etag), send: func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.Copy(ctx, s, c, source) }},
		},
		"short-get": {
			{name: "get", response: text, send: get(int64(len(tags)), none)},
			{name: "get-tags", response: text, send: func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.GetTags(ctx, s, c, &doc) }},
		},
	}
	for name, requests := range groups {
		b.Run(name, func(b *testing.B) { compareCost(b, 500, requests) })
	}
}
