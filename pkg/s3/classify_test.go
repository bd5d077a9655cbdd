package s3

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"unicode"

	"warp/pkg/op"
)

func TestClassOfErrors(t *testing.T) {
	sys := func(e syscall.Errno) error {
		return &url.Error{Op: "Put", URL: "http://h/b/k", Err: &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", e)}}
	}
	tests := []struct {
		err  error
		want string
	}{
		{sys(syscall.ECONNREFUSED), "connection refused"},
		{sys(10061), "connection refused"},
		{sys(syscall.ECONNRESET), "connection reset"},
		{sys(syscall.EPIPE), "connection reset"},
		{sys(syscall.EHOSTUNREACH), "host unreachable"},
		{sys(syscall.EADDRNOTAVAIL), "no free local port"},
		{sys(syscall.EMFILE), "too many open files"},
		{sys(syscall.ETIMEDOUT), "timeout"},
		{&net.DNSError{Err: "no such host", Name: "h", IsNotFound: true}, "no such host"},
		{&net.DNSError{Err: "server misbehaving", Name: "h"}, "name lookup failed"},
		{&url.Error{Op: "Get", Err: context.Canceled}, "canceled"},
		{fmt.Errorf("x: %w", context.DeadlineExceeded), "timeout"},
		{os.ErrDeadlineExceeded, "timeout"},
		{io.ErrUnexpectedEOF, "short body"},
		{io.EOF, "connection closed"},
		{errors.New("http: server closed idle connection"), "connection closed"},
		{x509.UnknownAuthorityError{}, "TLS unknown authority"},
		{&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, "TLS unknown authority"},
		{x509.HostnameError{Certificate: &x509.Certificate{}, Host: "h"}, "TLS wrong host name"},
		{x509.CertificateInvalidError{Reason: x509.Expired}, "TLS bad certificate"},
		{tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, "TLS to a plain port"},
		{errors.New("http: server gave HTTP response to HTTPS client"), "TLS to a plain port"},
		{errors.New("remote error: tls: handshake failure"), "TLS error"},
		{errors.New(`net/http: HTTP/1.x transport connection broken: malformed HTTP response "\x15\x03\x01\x00\x02\x02"`), "plain HTTP to a TLS port"},
		{errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=1"), "connection closed"},
		{errors.New("something new"), "network error"},
	}
	for _, tc := range tests {
		e := Classify(fmt.Errorf("outer: %w", tc.err))
		if e.Class != tc.want {
			t.Errorf("%v: class %q, want %q", tc.err, e.Class, tc.want)
		}
		if got := op.Class(e.Error()); got != tc.want {
			t.Errorf("%q is read back as class %q, want %q", e.Error(), got, tc.want)
		}
		if !errors.Is(e, tc.err) && !strings.Contains(tc.want, "TLS") {
			var u *url.Error
			if !errors.As(tc.err, &u) {
				t.Errorf("%v: what lies below is lost", tc.err)
			}
		}
	}
}

func response(status int, body string, header ...string) *http.Response {
	r := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

func TestResponseError(t *testing.T) {
	tests := []struct {
		name    string
		resp    *http.Response
		want    string
		region  string
		foreign bool
	}{
		{"S3", response(503, `<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Please reduce
			your request rate.</Message><RequestId>R1</RequestId></Error>`), "503 SlowDown: Please reduce your request rate. (request R1)", "", false},
		{
			"namespace", response(403, `<Error xmlns="http://x"><Code>AccessDenied</Code><Message>Access Denied</Message></Error>`),
			"403 AccessDenied: Access Denied", "", false,
		},
		{"no body", response(404, "", "X-Amz-Request-Id", "R2"), "404 Not Found: request R2", "", false},
		{
			"HEAD of MinIO", response(404, "", "X-Minio-Error-Code", "NoSuchKey", "X-Minio-Error-Desc", `"It is not there."`),
			"404 NoSuchKey: It is not there.", "", false,
		},
		{
			"region", response(400, `<Error><Code>AuthorizationHeaderMalformed</Code><Message>m</Message><Region>eu-west-1</Region></Error>`),
			"400 AuthorizationHeaderMalformed: m", "eu-west-1", false,
		},
		{"region in header", response(301, "", "X-Amz-Bucket-Region", "eu-west-2"), "301 Moved Permanently", "eu-west-2", false},
		{"JSON", response(501, `{"Code":"XMinioX","Message":"no","RequestId":"R3"}`), "501 XMinioX: no (request R3)", "", false},
		{"web server", response(405, "<html><body>Not allowed</body></html>"), "405 Method Not Allowed: <html><body>Not allowed</body></html>", "", true},
		{
			"TLS port", response(400, "Client sent an HTTP request to an HTTPS server.\n"),
			"plain HTTP to a TLS port: Client sent an HTTP request to an HTTPS server.", "", true,
		},
		{"invalid code", response(500, `<Error><Code>a: b</Code></Error>`), "500 Internal Server Error", "", false},
		{"unknown status", response(599, ""), "599", "", false},
	}
	for _, tc := range tests {
		e := ResponseError(tc.resp)
		if e.Error() != tc.want || e.Region != tc.region || e.Foreign != tc.foreign {
			t.Errorf("%s: %q, region %q, foreign %v; want %q, %q, %v", tc.name, e, e.Region, e.Foreign, tc.want, tc.region, tc.foreign)
		}
	}
}

func FuzzResponseError(f *testing.F) {
	f.Add(503, []byte("<Error><Code>SlowDown</Code><Message>m</Message></Error>"), "id")
	f.Add(400, []byte(`{"Code":"x"}`), "")
	f.Add(404, []byte("<html>"), "\x00\n")
	f.Fuzz(func(t *testing.T, status int, body []byte, id string) {
		resp := &http.Response{StatusCode: status, Header: http.Header{"X-Amz-Request-Id": {id}}, Body: io.NopCloser(bytes.NewReader(body))}
		s := ResponseError(resp).Error()
		if len(s) > 500 || strings.ContainsFunc(s, unicode.IsControl) {
			t.Errorf("not one short line: %q", s)
		}
		if class := op.Class(s); len(class) > op.MaxClass+3 {
			t.Errorf("class %q is too long", class)
		}
	})
}
