package formats

import (
	"testing"

	"warp/pkg/op"
)

// TestKindOfRequest: a GET of a bucket is a listing unless it asks for a property of the bucket; what is no bucket is no operation.
func TestKindOfRequest(t *testing.T) {
	for line, want := range map[string]op.Kind{
		"GET /bkt HTTP/1.1": op.List, "GET /bkt/ HTTP/1.1": op.List, "GET /bkt?list-type=2&prefix=&delimiter=%2F HTTP/1.1": op.List,
		"GET /bkt?prefix=a&max-keys=5&x-id=ListObjects HTTP/1.1": op.List, "GET /bkt?versions&prefix=a HTTP/1.1": op.List, "GET /bkt?versions= HTTP/1.1": op.List,
		"GET /bkt?marker=&prefix HTTP/1.1": op.List, "GET /bkt?list-type=2&X-Amz-Signature=abc HTTP/1.1": op.List, "GET /bkt?metadata=true&list-type=2 HTTP/1.1": op.List,
		"GET /bkt?policy HTTP/1.1": "", "GET /bkt?lifecycle HTTP/1.1": "", "GET /bkt?acl= HTTP/1.1": "", "GET /bkt?tagging HTTP/1.1": "", "GET /bkt?website HTTP/1.1": "",
		"GET /bkt?policyStatus HTTP/1.1": "", "GET /bkt/?object-lock HTTP/1.1": "", "GET /bkt?session HTTP/1.1": "", "GET /bkt?location= HTTP/1.1": "", "GET /bkt?uploads HTTP/1.1": "",
		"GET /bkt?versioning HTTP/1.1": "", "GET /bkt?inventory&id=a HTTP/1.1": "", "GET /bkt?analytics&id=a HTTP/1.1": "", "GET /bkt?uploads=&prefix=a HTTP/1.1": "",
		"GET / HTTP/1.1": "", "GET /favicon.ico HTTP/1.1": "", "GET /minio/health/live HTTP/1.1": "", "GET /minio/v2/metrics/cluster HTTP/1.1": "",
		"GET /minio/admin/v3/info HTTP/1.1": "", "GET /minio/photo HTTP/1.1": op.Get, "GET /bkt/favicon.ico HTTP/1.1": op.Get, "GET /bkt/policy HTTP/1.1": op.Get,
		"GET /bkt/key?acl HTTP/1.1": "", "PUT /bkt HTTP/1.1": "", "HEAD /bkt/key HTTP/1.1": op.Stat,
	} {
		var e event
		if ok := e.setRequest([]byte(line), &events{}); ok != (want != "") || ok && e.Kind != want {
			t.Errorf("%s: %q, %v, want %q", line, e.Kind, ok, want)
		}
	}
	for _, name := range []string{"ListObjectVersions", "ListObjectVersionsM"} {
		if apiKinds[name] != op.List {
			t.Errorf("%s is no listing", name)
		}
	}
}
