package s3_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
)

// converse is a server that sends what respond returns to every request, once it has read it in full. With hangUp it then closes
// the connection.
func converse(t testing.TB, hangUp bool, respond func(r *http.Request) string) (host string) {
	t.Helper()
	return serveConns(t, func(c net.Conn) {
		defer func() { _ = c.Close() }()
		for in := bufio.NewReader(c); ; {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				return
			}
			if _, err := io.WriteString(c, respond(r)); err != nil || hangUp {
				return
			}
		}
	})
}

// TestConformance: both engines make the same of the same responses. What they make of HTTP is in exchange/conformance.
func TestConformance(t *testing.T) {
	const modified = "Last-Modified: Mon, 02 Jan 2006 15:04:05 GMT\r\n"
	success := func(rest string) string { return "HTTP/1.1 200 OK\r\n" + modified + rest }
	failure := func(status, code string) string {
		body := "<Error><Code>" + code + "</Code><Message>m</Message><RequestId>R</RequestId></Error>"
		return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body)
	}
	tests := []struct {
		name, response string
		want           string // class of a GET of 5 bytes
		text           string // whole text of the error, where it does not come from a library
		hold           bool   // the server does not hang up
	}{
		{name: "fine", response: success("Content-Length: 5\r\n\r\nhello"), hold: true},
		{name: "no response", response: "", want: "connection closed", text: "connection closed: EOF"},
		{name: "cut body", response: success("Content-Length: 5\r\n\r\nhel"), want: "short body", text: "short body: unexpected EOF"},
		{name: "too short", response: success("Content-Length: 4\r\n\r\nhell"), want: "wrong length", text: "wrong length: expected 5 bytes, got 4", hold: true},
		{name: "too long", response: success("Content-Length: 6\r\n\r\nhello!"), want: "wrong length", text: "wrong length: expected 5 bytes, got 6", hold: true},
		{name: "not there", response: failure("404 Not Found", "NoSuchKey"), want: "404 NoSuchKey", text: "404 NoSuchKey: m (request R)", hold: true},
		{name: "busy", response: failure("503 Slow Down", "SlowDown"), want: "503 SlowDown", text: "503 SlowDown: m (request R)", hold: true},
		{name: "denied", response: failure("403 Forbidden", "AccessDenied"), want: "403 AccessDenied", text: "403 AccessDenied: m (request R)", hold: true},
		{name: "not XML", response: "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 4\r\n\r\noops", want: "502 Bad Gateway", text: "502 Bad Gateway: oops", hold: true},
		{name: "redirect", response: "HTTP/1.1 301 Moved\r\nLocation: http://127.0.0.1:1/\r\nX-Amz-Bucket-Region: eu-west-1\r\nContent-Length: 0\r\n\r\n", want: "301 Moved Permanently", text: "301 Moved Permanently", hold: true},
		{name: "redirect with a code", response: failure("307 Temporary Redirect", "TemporaryRedirect"), want: "307 TemporaryRedirect", text: "307 TemporaryRedirect: m (request R)", hold: true},
	}
	eachEngine(t, func(t *testing.T, open opener) {
		for _, tc := range tests {
			t.Run(tc.name, func(t *testing.T) {
				host := converse(t, !tc.hold, func(*http.Request) string { return tc.response })
				st := open(t, s3.Config{Hosts: []string{host}})
				defer st.Close()
				s := st.Session(0)
				for i := range 2 {
					c := &s3.Call{Key: "k", Size: 5}
					err := ops.Get(t.Context(), s, c)
					if class(err) != tc.want || tc.text != "" && err.Error() != tc.text {
						t.Errorf("%v, want class %q, text %q", err, tc.want, tc.text)
					}
					if kept := c.Connected == 0; kept != (i > 0 && tc.hold) {
						t.Errorf("request %d: connection kept: %v", i, kept)
					}
				}
			})
		}
	})
}

// TestOptions: what goes over the wire for each option, with both engines.
func TestOptions(t *testing.T) {
	var mu sync.Mutex
	var seen []*http.Request
	host := converse(t, false, func(r *http.Request) string {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r)
		return "HTTP/1.1 200 OK\r\nETag: \"tag\"\r\nLast-Modified: Mon, 02 Jan 2006 15:04:05 GMT\r\nX-Amz-Version-Id: v7\r\nContent-Length: 0\r\n\r\n"
	})
	last := func() *http.Request {
		mu.Lock()
		defer mu.Unlock()
		return seen[len(seen)-1]
	}
	_, port, _ := net.SplitHostPort(host)
	eachEngine(t, func(t *testing.T, open opener) {
		cfg := s3.Config{
			Hosts: []string{host}, Region: "eu-north-1", SessionToken: "token", LocalAddr: "127.0.0.2", NoKeepAlive: true,
			Headers: []s3.Header{{Name: "X-Amz-Storage-Class", Value: "COLD"}, {Name: "X-Amz-Tagging", Value: "a=b&c=d"}, {Name: "X-Amz-Meta-Who", Value: "me"}},
		}
		s := open(t, cfg).Session(0)
		for range 2 {
			c := putCall("k", "hello")
			if err := ops.Put(t.Context(), s, c); err != nil || c.Connected != 1 || c.Connect <= 0 || c.VersionID != "v7" {
				t.Errorf("%v, %+v", err, c)
			}
		}
		h := last().Header
		for name, want := range map[string]string{"X-Amz-Storage-Class": "COLD", "X-Amz-Tagging": "a=b&c=d", "X-Amz-Meta-Who": "me", "X-Amz-Security-Token": "token"} {
			if h.Get(name) != want || !strings.Contains(h.Get("Authorization"), strings.ToLower(name)) {
				t.Errorf("%s: %q, signed by %s", name, h.Get(name), h.Get("Authorization"))
			}
		}
		if a := h.Get("Authorization"); !strings.Contains(a, "/eu-north-1/s3/") || !last().Close {
			t.Errorf("%s, close %v", a, last().Close)
		}
		c := putCall("k", "part")
		part, err := ops.PutPart(t.Context(), s, c, "id+1", 7)
		if q := last().URL.Query(); err != nil || part.ETag != "tag" || q.Get("uploadId") != "id+1" || q.Get("partNumber") != "7" {
			t.Errorf("part: %v, tag %q, %v", err, part.ETag, q)
		}
		if last().Header.Get("X-Amz-Tagging") != "" {
			t.Error("a part got the headers of an object")
		}
		c = &s3.Call{Key: "k", Version: "v+1", Size: 0}
		if err := ops.Get(t.Context(), s, c); class(err) != s3.ClassBadResponse || last().URL.Query().Get("versionId") != "v+1" {
			t.Errorf("%v, asked for %s", err, last().URL)
		}
		cfg.Lookup, cfg.Names = "host", map[string]string{host: "store.example:" + port}
		st := open(t, cfg)
		if err := ops.Get(t.Context(), st.Session(0), &s3.Call{Key: "a/b", Size: 0}); err != nil {
			t.Fatal(err)
		}
		if r := last(); r.Host != "bucket.store.example:"+port || r.URL.Path != "/a/b" {
			t.Errorf("virtual host: asked %s for %s", r.Host, r.URL.Path)
		}
		if got := st.Hosts()[0]; got != "http://"+host {
			t.Errorf("the host is called %s", got)
		}
	})
}

func TestEngineChoice(t *testing.T) {
	tests := []struct {
		change         func(*s3.Config)
		engine, reason string // or the error
	}{
		{func(*s3.Config) {}, "lean", ""},
		{func(c *s3.Config) { c.Engine = "auto" }, "lean", ""},
		{func(c *s3.Config) { c.Engine = "lean" }, "lean", ""},
		{func(c *s3.Config) { c.Engine = "std" }, "std", "--engine=std"},
		{func(c *s3.Config) { c.Signature = "S3V2" }, "std", "S3V2"},
		{func(c *s3.Config) { c.Signature = "S3V2"; c.AccessKey, c.SecretKey = "", "" }, "lean", ""},
		{func(c *s3.Config) { c.Hosts = []string{"s3.eu-west-1.amazonaws.com", "s3.us-west-2.amazonaws.com"} }, "std", "several regions"},
		{func(c *s3.Config) { c.Engine, c.Signature = "lean", "S3V2" }, "", "--engine=lean cannot be used: --signature=S3V2"},
		{func(c *s3.Config) { c.Engine = "fast" }, "", "--engine: invalid value"},
		{func(c *s3.Config) { c.LocalAddr = "eth0" }, "", "--local-addr"},
		{func(c *s3.Config) { c.Headers = []s3.Header{{Name: "Host", Value: "x"}} }, "", "sets itself"},
	}
	for _, tc := range tests {
		var said string
		cfg := s3.Config{Hosts: []string{"127.0.0.1:1"}, Bucket: "bucket", AccessKey: "a", SecretKey: "s", Debug: func(f string, a ...any) { said = fmt.Sprintf(f, a...) }}
		tc.change(&cfg)
		st, err := connect.New(cfg)
		if tc.engine == "" {
			if err == nil || !strings.Contains(err.Error(), tc.reason) {
				t.Errorf("%v, want %q", err, tc.reason)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if st.Engine() != tc.engine || !strings.Contains(st.EngineReason(), tc.reason) || (st.EngineReason() == "") != (tc.reason == "") {
			t.Errorf("engine %s, because %q; want %s, %q", st.Engine(), st.EngineReason(), tc.engine, tc.reason)
		}
		if wanted := tc.engine == "std" && cfg.Engine != "std"; wanted != strings.Contains(said, tc.reason) && tc.reason != "" {
			t.Errorf("%s: said %q", tc.reason, said)
		}
		st.Close()
	}
}
