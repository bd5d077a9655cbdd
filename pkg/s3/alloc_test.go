//go:build !race

package s3_test

import (
	"bytes"
	"net"
	"strings"
	"testing"

	"warp/internal/responder/stores"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// quiet is a server that responds to requests without a body in one way, and allocates nothing.
func quiet(t *testing.T, response string) (host string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		in, out, end := make([]byte, 64<<10), []byte(response), []byte("\r\n\r\n")
		for {
			if n, err := c.Read(in); err != nil || !bytes.Contains(in[:n], end) {
				return
			}
			if _, err := c.Write(out); err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return l.Addr().String()
}

// TestFewAllocations: what uploads say of their contents costs two allocations at most.
func TestFewAllocations(t *testing.T) {
	random := []s3.RandomHeader{{Name: "X-Amz-Meta-A", Parts: []s3.RandomPart{{Length: 20}}}}
	body := strings.NewReader(strings.Repeat("x", 200))
	for name, u := range map[string]s3.Uploads{
		"CRC32C":             {Checksum: "CRC32C"},
		"CRC64NVME":          {Checksum: "CRC64NVME"},
		"MD5, SHA256 signed": {Checksum: "SHA256", MD5: true, Payload: s3.PayloadSigned},
		"trailer":            {Checksum: "CRC32C", Trailer: true},
		"unsigned trailer":   {Checksum: "CRC64NVME", Trailer: true, Payload: s3.PayloadUnsigned},
		"streaming":          {Payload: s3.PayloadStreaming},
		"random":             {Random: random},
		"all":                {Checksum: "SHA1", Trailer: true, MD5: true, Random: random, Encryption: s3.SSES3},
	} {
		host := quiet(t, "HTTP/1.1 200 OK\r\nX-Amz-Server-Side-Encryption: AES256\r\nContent-Length: 0\r\n\r\n")
		st := open(t, s3.Config{Hosts: []string{host}, Engine: "lean", Concurrency: 1, Uploads: u})
		s, c := st.Session(0), &s3.Call{}
		operation := func() {
			c.Reset()
			c.Key, c.Body, c.Size = "k", body, body.Size()
			if err := ops.Put(t.Context(), s, c); err != nil {
				t.Error(err)
			}
		}
		operation()
		if n := testing.AllocsPerRun(200, operation); n > 2 {
			t.Errorf("%s: %.0f allocations", name, n)
		}
		st.Close()
	}
}

// azureStatuses are how Azure responds to what succeeds, where S3 does otherwise.
var azureStatuses = map[string]*strings.Replacer{
	"put": strings.NewReplacer("200 OK", "201 Created"), "part": strings.NewReplacer("200 OK", "201 Created"),
	"delete": strings.NewReplacer("204 No Content", "202 Accepted\r\nContent-Length: 0"), "deletion of a version": strings.NewReplacer("204 No Content", "202 Accepted\r\nContent-Length: 0"),
}

// googleBody is what Google's JSON interface says of an object.
const googleBody = "200 OK\r\nContent-Length: 44\r\n\r\n{\"generation\":\"1795594363038512\",\"size\":\"5\"}"

// googleResponses are successes of Google's JSON interface, where they differ from S3. It has no parts.
var googleResponses = map[string]string{
	"put": "HTTP/1.1 " + googleBody, "stat": "HTTP/1.1 " + googleBody, "part": "",
	"get": "HTTP/1.1 200 OK\r\nX-Goog-Generation: 1795594363038512\r\nContent-Length: 5\r\n\r\nhello",
}

// TestNoAllocations: an operation of the lean engine allocates nothing, from its call to its end, with each kind of store and
// each way to prove who asks; a part its ETag and its number, or its name.
func TestNoAllocations(t *testing.T) {
	for _, of := range everyProof() {
		t.Run(of.Name, func(t *testing.T) { allocateNothing(t, &of) })
	}
}

func allocateNothing(t *testing.T, of *stores.Kind) {
	allowed := map[string]float64{"part": 2}
	for kind, response := range map[string]string{
		"get":    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"put":    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
		"part":   "HTTP/1.1 200 OK\r\nETag: \"0123456789abcdef\"\r\nContent-Length: 0\r\n\r\n",
		"stat":   "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
		"delete": "HTTP/1.1 204 No Content\r\n\r\n",

		"get of a version":      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"deletion of a version": "HTTP/1.1 204 No Content\r\n\r\n",

		"conditional put": "HTTP/1.1 412 Precondition Failed\r\nContent-Length: 29\r\n\r\n<Error><Code>C</Code></Error>",
		"conditional get": "HTTP/1.1 304 Not Modified\r\n\r\n",
	} {
		if r := azureStatuses[kind]; r != nil && spelling(&of.Config) == s3.StoreAzure {
			response = r.Replace(response)
		}
		if other, ok := googleResponses[kind]; ok && spelling(&of.Config) == s3.StoreGCS {
			if response = other; response == "" {
				continue
			}
		}
		cfg := of.Config
		cfg.Hosts, cfg.Engine, cfg.Concurrency = []string{quiet(t, response)}, "lean", 1
		st := open(t, cfg)
		s, c, body := st.Session(0), &s3.Call{}, bytes.NewReader([]byte("hello"))
		expected := []int{304, 412}
		operation := func() {
			c.Reset()
			c.Key, c.Size = "k", 5
			var err error
			switch kind {
			case "get":
				err = ops.Get(t.Context(), s, c)
			case "put":
				c.Body = body
				err = ops.Put(t.Context(), s, c)
			case "part":
				c.Body = body
				_, err = ops.PutPart(t.Context(), s, c, "an-id", 1234)
			case "conditional put":
				c.Body, c.If.Match, c.Expected = body, `"e"`, expected
				if err = ops.Put(t.Context(), s, c); s3.Outcome(err, expected) == 412 {
					err = nil
				}
			case "conditional get":
				c.If.NoneMatch, c.Expected = `"e"`, expected
				if err = ops.Get(t.Context(), s, c); s3.Outcome(err, expected) == 304 {
					err = nil
				}
			case "get of a version":
				c.Version = "01M822XR2D00HTBHA059HN8NRP"
				err = ops.Get(t.Context(), s, c)
			case "deletion of a version":
				c.Version = "01M822XR2D00HTBHA059HN8NRP"
				err = ops.Delete(t.Context(), s, c)
			case "stat":
				err = ops.Stat(t.Context(), s, c)
			case "delete":
				err = ops.Delete(t.Context(), s, c)
			}
			if err != nil {
				t.Error(err)
			}
		}
		operation()
		if n := testing.AllocsPerRun(200, operation); n > allowed[kind] {
			t.Errorf("%s: %.0f allocations", kind, n)
		}
		st.Close()
	}
}
