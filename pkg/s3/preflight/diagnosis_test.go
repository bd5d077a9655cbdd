package preflight_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
)

// refuse responds to one method with an error, and works otherwise.
func refuse(r *responder.Server, method string, status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		if req.Method != method {
			r.ServeHTTP(w, req)
			return
		}
		_, _ = io.Copy(io.Discard, req.Body)
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestPreflightDiagnoses(t *testing.T) {
	t.Parallel()
	failWith := func(code, message string) string {
		return "<Error><Code>" + code + "</Code><Message>" + message + "</Message></Error>"
	}
	fail := func(code string) string { return failWith(code, "m") }
	with := func(headers ...string) func(*s3.Config) {
		return func(c *s3.Config) {
			for i := 0; i < len(headers); i += 2 {
				c.Headers = append(c.Headers, s3.Header{Name: headers[i], Value: headers[i+1]})
			}
		}
	}
	past := time.Now().Add(-20 * time.Minute).UTC().Format(http.TimeFormat)
	tests := []struct {
		name   string
		method string
		status int
		body   string
		header []string
		change func(*s3.Config)
		want   []string
		not    string // must not be said
	}{
		{name: "key", method: "PUT", status: 403, body: fail("InvalidAccessKeyId"), want: []string{"access key", "--access-key"}},
		{name: "key of VersityGW", method: "PUT", status: 404, body: fail("XAdminUserNotFound"), want: []string{"access key", "--access-key"}},
		{name: "secret", method: "PUT", status: 403, body: fail("SignatureDoesNotMatch"), want: []string{"secret key is wrong", "--secret-key"}},
		{name: "token", method: "PUT", status: 400, body: fail("ExpiredToken"), want: []string{"session token"}},
		{name: "clock", method: "PUT", status: 403, body: fail("RequestTimeTooSkewed"), header: []string{"Date", past}, want: []string{"20m", "ahead of", "NTP"}},
		{name: "clock, unsaid", method: "PUT", status: 403, body: fail("SignatureDoesNotMatch"), header: []string{"Date", past}, want: []string{"20m", "ahead of"}},
		{name: "region", method: "PUT", status: 400, body: "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>", want: []string{"us-east-1, the default", "--region=eu-west-1"}},
		{
			name: "region in words", method: "PUT", status: 400,
			body: "<Error><Code>AuthorizationHeaderMalformed</Code><Message>the region is wrong; expecting 'eu-west-3'</Message></Error>", want: []string{"--region=eu-west-3"},
		},
		{name: "region elsewhere", method: "PUT", status: 301, header: []string{"X-Amz-Bucket-Region", "eu-west-2"}, want: []string{"--region=eu-west-2"}},
		{name: "no put", method: "PUT", status: 403, body: fail("AccessDenied"), want: []string{`may not put objects into the bucket "bucket"`, "s3:PutObject"}},
		{name: "no get", method: "GET", status: 403, body: fail("AccessDenied"), want: []string{"may not get objects", "s3:GetObject"}},
		{name: "no delete", method: "DELETE", status: 403, body: fail("AccessDenied"), want: []string{"may not delete objects", "s3:DeleteObject"}},
		{name: "anonymous", method: "PUT", status: 403, body: fail("AccessDenied"), change: func(c *s3.Config) { c.Signature = "anonymous" }, want: []string{"without credentials", "--access-key"}},
		{name: "bucket", method: "PUT", status: 404, body: fail("NoSuchBucket"), want: []string{`bucket "bucket" does not exist`}},
		{name: "name of bucket", method: "PUT", status: 400, body: fail("InvalidBucketName"), want: []string{`the name "bucket"`, "lower-case letters"}},
		{name: "lost", method: "GET", status: 404, body: fail("NoSuchKey"), want: []string{"just put is not there"}},
		{name: "changed", method: "GET", status: 200, body: "hello", header: []string{"Last-Modified", past}, want: []string{"came back different"}},
		{name: "framing", method: "GET", status: 200, body: "40;chunk-signature=00\r\n", header: []string{"Last-Modified", past}, want: []string{"framing"}},
		{name: "endless", method: "GET", status: 200, body: strings.Repeat("x", 1<<20), header: []string{"Last-Modified", past}, want: []string{"came back different"}},
		{name: "web server", method: "PUT", status: 405, body: "<html>no</html>", want: []string{"not an S3 server", "--host"}},
		{name: "web page", method: "GET", status: 200, body: "<html>hi</html>", want: []string{"not an S3 server"}},
		{name: "busy", method: "PUT", status: 503, body: fail("SlowDown"), want: []string{"cannot put objects", "503 SlowDown: m", "overloaded"}, not: "not an S3 server"},

		{name: "key in words", method: "PUT", status: 403, body: failWith("AccessDenied", "Forbidden: No such key: AKEY"), want: []string{"No such key: AKEY", "--access-key"}, not: "grant"},
		{name: "secret in words", method: "PUT", status: 403, body: failWith("AccessDenied", "Forbidden: Invalid signature"), want: []string{"Invalid signature", "--secret-key"}, not: "grant"},
		{name: "lock in words", method: "DELETE", status: 403, body: failWith("AccessDenied", "Access Denied because object protected by object lock."), want: []string{"protected by object lock", "object lock protects"}, not: "grant"},
		{name: "lock of MinIO", method: "DELETE", status: 400, body: failWith("InvalidRequest", "Object is WORM protected and cannot be overwritten"), want: []string{"WORM protected", "object lock protects"}, not: "grant"},
		{name: "quota", method: "PUT", status: 403, body: fail("QuotaExceeded"), want: []string{"no room", "QuotaExceeded: m"}, not: "grant"},
		{name: "account", method: "PUT", status: 403, body: failWith("AccountProblem", "Pay your bill."), want: []string{"cannot put objects into the bucket (403 AccountProblem: Pay your bill.)"}, not: "grant"},
		{name: "no code", method: "PUT", status: 403, want: []string{"403 Forbidden", "--secret-key"}, not: "grant"},
		{name: "archive", method: "GET", status: 403, body: fail("InvalidObjectState"), want: []string{"cannot be read at once", "--storage-class"}, not: "grant"},
		{name: "escaped", method: "PUT", status: 403, body: failWith("AccessDenied", "&#10;no\u009b31m"+strings.Repeat("x", 9000)), want: []string{"grant s3:PutObject"}, not: "\u009b"},
		{name: "words", method: "PUT", status: 403, body: "<Error><Code>AccessDenied</Code><Message>by policy 7</Message><RequestId>R9</RequestId></Error>", want: []string{"(403 AccessDenied: by policy 7, request R9)", "grant s3:PutObject,"}},
		{name: "tagging", method: "PUT", status: 403, body: fail("AccessDenied"), change: with("X-Amz-Tagging", "a=b"), want: []string{"s3:PutObjectTagging"}},

		{name: "location", method: "PUT", status: 400, body: fail("InvalidLocationConstraint"), want: []string{"no buckets in region us-east-1, the default", "--region"}},
		{name: "region of Garage", method: "PUT", status: 400, body: "<Error><Code>AuthorizationHeaderMalformed</Code><Message>unexpected scope</Message><Region>garage</Region></Error>", want: []string{"--region=garage"}},
		{name: "region, not which", method: "PUT", status: 400, body: failWith("AuthorizationHeaderMalformed", "the region is wrong"), want: []string{"the region is wrong", "use --region"}},

		{name: "class", method: "PUT", status: 400, body: failWith("InvalidStorageClass", "no such class"), change: with("X-Amz-Storage-Class", "COLD"), want: []string{"no such class", "the likely cause is --storage-class: try without"}},
		{name: "class and tag", method: "PUT", status: 501, body: fail("NotImplemented"), change: with("X-Amz-Storage-Class", "COLD", "X-Amz-Tagging", "a=b"), want: []string{"the likely cause is --storage-class or --tag"}},
		{name: "tag", method: "PUT", status: 400, body: fail("InvalidTag"), change: with("X-Amz-Storage-Class", "COLD", "X-Amz-Tagging", "a=b"), want: []string{"the likely cause is --tag:"}},
		{name: "metadata", method: "PUT", status: 400, body: fail("MetadataTooLarge"), change: with("X-Amz-Meta-A", "b"), want: []string{"the likely cause is --add-metadata"}},
		{name: "no option", method: "PUT", status: 501, body: fail("NotImplemented"), want: []string{"cannot put objects into the bucket (501 NotImplemented: m)"}, not: "likely"},

		{
			name: "proxy", method: "PUT", status: 502, body: "<html><head><title>502 Bad Gateway</title><style>p{}</style></head><body><p>nobody home</p></body></html>", header: []string{"Server", "nginx/1.25"},
			want: []string{"502 Bad Gateway from nginx/1.25: 502 Bad Gateway nobody home", "proxy or load balancer"}, not: "not an S3 server",
		},
		{name: "proxy without a page", method: "PUT", status: 504, want: []string{"504 Gateway Timeout", "proxy or load balancer"}},
		{name: "broken", method: "PUT", status: 500, body: "panic: nil map", header: []string{"Server", "thing/1"}, want: []string{"500 Internal Server Error", "panic: nil map", "out of order"}, not: "not an S3 server"},
		{name: "name of a web server", method: "PUT", status: 405, body: "<html>no</html>", header: []string{"Server", "Caddy"}, want: []string{"not an S3 server", "405 Method Not Allowed from Caddy: no"}},
		{
			name: "error as a page", method: "GET", status: 404, body: "<html><body><h1>404 Not Found</h1><ul><li>Code: NoSuchKey</li><li>Message: It isn&#39;t there.</li><li>RequestId: R7</li></ul></body></html>",
			want: []string{"just put is not there", "404 NoSuchKey: It isn't there, request R7"}, not: "not an S3 server",
		},
		{name: "rate", method: "PUT", status: 429, want: []string{"429 Too Many Requests", "limits the rate of requests: try again later"}, not: "not an S3 server"},
		{name: "rate, as a page", method: "PUT", status: 429, body: "<html>slow down</html>", want: []string{"limits the rate of requests"}, not: "not an S3 server"},
		{name: "redirect", method: "PUT", status: 307, want: []string{"the host redirects requests", "if it wants TLS, add --tls"}},
		{
			name: "redirect to TLS", method: "PUT", status: 301, body: "<html>moved</html>", header: []string{"Location", "https://127.0.0.1/bucket"},
			want: []string{"the host redirects to TLS (https://127.0.0.1/bucket)", "add --tls, or write https:// in --host"}, not: "--region",
		},
		{
			name: "redirect to a page", method: "PUT", status: 302, header: []string{"Location", "/login"},
			want: []string{"the host is not an S3 server: it redirects to the page /login", "check --host and its port"}, not: "--region",
		},
		{
			name: "redirect elsewhere", method: "PUT", status: 301, body: fail("PermanentRedirect"), header: []string{"Location", "https://bucket.example.com/k"},
			want: []string{"the host redirects requests"}, not: "not an S3 server",
		},
		{name: "console", method: "PUT", status: 200, body: "<html><title>Console</title></html>", header: []string{"Content-Type", "text/html"}, want: []string{"just put is not there"}},
		{name: "anonymous, other", method: "PUT", status: 400, body: fail("InvalidRequest"), change: func(c *s3.Config) { c.Signature = "anonymous" }, want: []string{"cannot put objects into the bucket anonymously"}},
	}
	for _, engine := range []string{"std", "lean"} {
		for _, tc := range tests {
			t.Run(engine+"/"+tc.name, func(t *testing.T) {
				t.Parallel()
				r := s3test.Serve(t, responder.Options{Keep: true})
				cfg := s3.Config{
					Hosts: []string{s3test.Handle(t, refuse(r, tc.method, tc.status, tc.body, tc.header...))}, Bucket: "bucket",
					AccessKey: "AKEY", SecretKey: "SECRETVALUE", Engine: engine,
				}
				if tc.change != nil {
					tc.change(&cfg)
				}
				err := bucket(t, cfg).TryWrite(t.Context(), "k")
				wantDiagnosis(t, err, tc.want...)
				if tc.not != "" && strings.Contains(err.Error(), tc.not) {
					t.Errorf("%q says %q", err, tc.not)
				}
				if tc.method == "GET" && r.Responses(op.Delete, 204) != 1 {
					t.Error("the object was left behind")
				}
			})
		}
	}
}
