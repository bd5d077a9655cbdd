package bench_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/checksum"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

func init() {
	rows = append(
		rows,
		row{"get --if-none-match=current", conditional("get", "GET_304", "-if-none-match=current")},
		row{"get --if-match=other", conditional("get", "GET_412", "-if-match=other")},
		row{"put --if-none-match=* --objects=40", conditional("put", "PUT_412", "-if-none-match=*", "-objects=40")},
		row{"put --if-match=other --objects=40", conditional("put", "PUT_412", "-if-match=other", "-objects=40")},
		row{"put --if-match=current --objects=40", conditional("put", op.Put, "-if-match=current", "-objects=40")},
		row{"stat --if-none-match=current", conditional("stat", "STAT_304", "-if-none-match=current")},
		row{"stat --if-match=other", conditional("stat", "STAT_412", "-if-match=other")},
		row{"delete --batch=1 --if-match=other", conditional("delete", "DELETE_412", "-if-match=other", "-batch=1")},
	)
	rows = append(rows, row{"contend", job{workload: "contend", args: []string{"-keys=1"}, change: func(p *bench.Plan) {
		p.Phases[0].Duration, p.Phases[0].Concurrency = 2*time.Second, 8 // so that a server that lets two writers win does so
	}}})
	with := func(name string, u s3.Uploads, headers ...s3.Header) {
		rows = append(rows, row{name, job{workload: "get", args: []string{"-verify"}, options: func(c *s3.Config) { c.Uploads, c.Headers = u, headers }}})
	}
	for _, name := range checksum.Names() {
		if slices.Contains(newSums, name) {
			continue
		}
		with("--checksum="+name, s3.Uploads{Checksum: name})
	}
	with("--checksum=CRC32C --checksum-trailer", s3.Uploads{Checksum: "CRC32C", Trailer: true})
	with("--checksum=CRC64NVME --checksum-trailer --payload=unsigned", s3.Uploads{Checksum: "CRC64NVME", Trailer: true, Payload: s3.PayloadUnsigned})
	with("--md5", s3.Uploads{MD5: true})
	parts := func(name, workload string, u s3.Uploads, args ...string) {
		change := func(p *bench.Plan) {
			if serverName != "ministack" { // which needs more than ten seconds for the CRC of 5 MiB
				inParts(p)
			}
		}
		rows = append(rows, row{workload + " " + name, job{workload: workload, args: args, change: change, options: func(c *s3.Config) { c.Uploads = u }}})
	}
	for _, name := range []string{"CRC32C", "CRC64NVME", "SHA256"} {
		parts("--checksum="+name, "multipart-put", s3.Uploads{Checksum: name})
	}
	parts("--checksum=CRC32C-FO", "multipart-put", s3.Uploads{Checksum: "CRC32C", FullObject: true})
	parts("--checksum=CRC32C --checksum-trailer", "multipart-put", s3.Uploads{Checksum: "CRC32C", Trailer: true})
	parts("--sse-s3", "multipart-put", s3.Uploads{Encryption: s3.SSES3})
	parts("--part.size --checksum=CRC32C", "copy", s3.Uploads{Checksum: "CRC32C"}, "-objects=2", "-part.size=5MiB", "-part.concurrent=2")
	parts("--part.size --checksum=CRC64NVME", "copy", s3.Uploads{Checksum: "CRC64NVME"}, "-objects=2", "-part.size=5MiB", "-part.concurrent=2")
	with("--payload=signed", s3.Uploads{Payload: s3.PayloadSigned})
	with("--payload=streaming", s3.Uploads{Payload: s3.PayloadStreaming})
	with("--sse-s3", s3.Uploads{Encryption: s3.SSES3})
	with("--sse-kms", s3.Uploads{Encryption: s3.SSEKMS})
	with("--storage-class=STANDARD", s3.Uploads{}, s3.Header{Name: "X-Amz-Storage-Class", Value: "STANDARD"})
	with("--acl=private", s3.Uploads{}, s3.Header{Name: "X-Amz-Acl", Value: "private"})
	with("--add-metadata=a=rand:20 --tag=b=rand:5", s3.Uploads{Random: []s3.RandomHeader{
		{Name: "X-Amz-Meta-a", Parts: []s3.RandomPart{{Length: 20}}}, {Name: "X-Amz-Tagging", Parts: []s3.RandomPart{{Text: "b=", Length: 5}}},
	}})
}

// conditional is a job whose operations are of one kind if the server honours conditions. S3Proxy closes the connection of an upload
// that it refuses, sometimes before its response is read; so requests are repeated.
func conditional(workload string, kind op.Kind, args ...string) job {
	return job{
		workload: workload, args: args, kind: kind, change: func(p *bench.Plan) { p.Phases[0].Concurrency = 1 },
		options: func(c *s3.Config) { c.Retries = 5 },
	}
}

// newSums are the checksums that servers have had for a short time. They are tried on the embedded server alone.
var newSums = []string{"SHA512", "MD5CS", "XXH64", "XXH3", "XXH128"}

// TestNewSums: the embedded server takes each of them, in a header, behind the contents, and of parts.
// works: MinIO warp: checksums `CRC32`, `CRC32C`, `SHA1`, `SHA256`, `CRC64NVME`, `MD5` and others
func TestNewSums(t *testing.T) {
	if serverName != "embedded" {
		t.Skip("the embedded server stands for those that know them")
	}
	for _, name := range newSums {
		for _, trailer := range []bool{false, true} {
			for _, workload := range []string{"put", "multipart-put"} {
				j := job{workload: workload, options: func(c *s3.Config) { c.Uploads = s3.Uploads{Checksum: name, Trailer: trailer} }, ops: 20}
				if workload == "multipart-put" {
					j.change, j.ops = inParts, 4 // parts of 5 MiB
				}
				m, _, err := j.run(t.Context(), t, openWith(t, newBucket(), j.options))
				if err != nil || m.failed() != "" || len(m.ops) == 0 {
					t.Errorf("%s of %s, trailer %v: %v; failed: %s", workload, name, trailer, err, m.failed())
				}
			}
		}
	}
}

// unchecked are the checksums that a server accepts although they are wrong.
var unchecked = map[string][]string{}

// TestWrongChecksums: a server that takes a checksum refuses a wrong one, or is known not to.
func TestWrongChecksums(t *testing.T) {
	aboutS3(t)
	store, ctx := open(t, newBucket()), context.Background()
	bucket := preflight.Open(store)
	if _, err := bucket.Ensure(ctx); err != nil {
		t.Fatal(err)
	}
	session := store.Session(0)
	accepted := []string{}
	all := []*checksum.Algorithm{checksum.MD5}
	for _, name := range checksum.Names() {
		if a := checksum.Find(name); serverName == "embedded" || !slices.Contains(newSums, name) {
			all = append(all, a)
		}
	}
	for _, a := range all {
		c := &s3.Call{Key: "k", Body: strings.NewReader("hello"), Size: 5}
		c.Begin(http.MethodPut, s3.MakesObjects)
		c.Headers = append(c.Headers, s3.Header{Name: a.Header, Value: base64.StdEncoding.EncodeToString(make([]byte, a.Size))})
		if err := session.Do(ctx, c); err == nil {
			accepted = append(accepted, a.Name)
		}
	}
	if want := append([]string{}, unchecked[serverName]...); !slices.Equal(accepted, want) {
		t.Errorf("wrong checksums that were accepted: %q, want %q", accepted, want)
	}
	if err := errors.Join(ops.Delete(ctx, session, &s3.Call{Key: "k", Size: -1}), bucket.Remove(ctx)); err != nil {
		t.Error(err)
	}
}
