package responder

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"warp/pkg/op"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t testing.TB, opts Options) (*Server, *http.Client) {
	t.Helper()
	s, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(func() {
		tr.CloseIdleConnections()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, &http.Client{Transport: tr}
}

// do sends a request and gives status and body.
func do(t testing.TB, c *http.Client, method, url, body string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}

func TestObjects(t *testing.T) {
	s, c := start(t, Options{Keep: true, Buckets: []string{"b"}})
	u := s.URL() + "/b/a%20dir/%C3%BC+%25"
	steps := []struct {
		method, url, body, ranged string
		status                    int
		want                      string
	}{
		{"GET", u, "", "", 404, "NoSuchKey"},
		{"PUT", u, "0123456789", "", 200, ""},
		{"GET", u, "", "", 200, "0123456789"},
		{"GET", u, "", "bytes=2-4", 206, "234"},
		{"GET", u, "", "bytes=8-100", 206, "89"},
		{"GET", u, "", "bytes=7-", 206, "789"},
		{"GET", u, "", "bytes=-2", 206, "89"},
		{"GET", u, "", "bytes=10-11", 416, "InvalidRange"},
		{"GET", u, "", "bytes=4-2", 416, "InvalidRange"},
		{"HEAD", u, "", "", 200, ""},
		{"DELETE", u, "", "", 204, ""},
		{"DELETE", u, "", "", 204, ""},
		{"HEAD", u, "", "", 404, ""},
		{"PUT", s.URL() + "/nosuch/k", "x", "", 404, "NoSuchBucket"},
		{"PUT", s.URL() + "/b", "", "", 409, "BucketAlreadyOwnedByYou"},
		{"PUT", s.URL() + "/new", "", "", 200, ""},
		{"HEAD", s.URL() + "/new", "", "", 200, ""},
		{"DELETE", s.URL() + "/new", "", "", 204, ""},
		{"DELETE", s.URL() + "/new", "", "", 404, "NoSuchBucket"},
		{"GET", s.URL() + "/b?location", "", "", 200, "LocationConstraint"},
		{"GET", s.URL() + "/b?uploads", "", "", 200, "ListMultipartUploadsResult"},
		{"GET", s.URL() + "/b?versioning", "", "", 200, "VersioningConfiguration"},
		{"GET", s.URL() + "/b?acl", "", "", 501, "NotImplemented"},
	}
	for i, st := range steps {
		var header []string
		if st.ranged != "" {
			header = []string{"Range", st.ranged}
		}
		resp, body := do(t, c, st.method, st.url, st.body, header...)
		if resp.StatusCode != st.status || !strings.Contains(body, st.want) || st.want == "" && body != "" {
			t.Errorf("step %d %s %s: %d %q, want %d %q", i, st.method, st.url, resp.StatusCode, body, st.status, st.want)
		}
	}
	if got := s.Responses(op.Get, 206); got != 4 {
		t.Errorf("%d answers 206 counted, want 4", got)
	}
	if got := s.Requests(op.Get); got != 8 {
		t.Errorf("%d GETs counted, want 8", got)
	}
}

// TestRename: an object is renamed once, in place of another one, and a request with the same token is confirmed.
func TestRename(t *testing.T) {
	s, c := start(t, Options{Buckets: []string{"b"}, Keep: true})
	do(t, c, "PUT", s.URL()+"/b/old", "text")
	do(t, c, "PUT", s.URL()+"/b/new", "another")
	for i, st := range []struct {
		source, token string
		status        int
	}{
		{"other/old", "1", 400}, {"b/none", "1", 404}, {"b/old", "1", 200}, {"b/old", "1", 200}, {"b/old", "2", 404}, {"b/old", "", 404},
	} {
		resp, _ := do(t, c, "PUT", s.URL()+"/b/new?renameObject", "", "X-Amz-Rename-Source", st.source, "X-Amz-Client-Token", st.token)
		if resp.StatusCode != st.status {
			t.Errorf("step %d: %d, want %d", i, resp.StatusCode, st.status)
		}
	}
	_, text := do(t, c, "GET", s.URL()+"/b/new", "")
	if keys := s.Keys("b"); text != "text" || len(keys) != 1 {
		t.Errorf("%q holds %q", keys, text)
	}
}

func TestSizesOnlyAndForget(t *testing.T) {
	s, c := start(t, Options{Buckets: []string{"b"}})
	do(t, c, "PUT", s.URL()+"/b/k", strings.Repeat("x", 100_000))
	if _, body := do(t, c, "GET", s.URL()+"/b/k", ""); body != string(make([]byte, 100_000)) {
		t.Errorf("got %d bytes, or not zeros", len(body))
	}
	f, c := start(t, Options{Forget: true, ObjectSize: 1000})
	do(t, c, "PUT", f.URL()+"/any/k", "x")
	if _, body := do(t, c, "GET", f.URL()+"/any/other", ""); len(body) != 1000 {
		t.Errorf("got %d bytes, want 1000", len(body))
	}
	if len(f.store.buckets) != 0 {
		t.Error("something was kept")
	}
}

func TestListing(t *testing.T) {
	s, c := start(t, Options{Buckets: []string{"b"}})
	for _, k := range []string{"a/1", "a/2", "a/b/3", "a/b/4", "a/c", "a+z", "z"} {
		do(t, c, "PUT", s.URL()+"/b/"+strings.ReplaceAll(k, "+", "%2B"), "12345")
	}
	tests := []struct {
		query string
		max   int
		want  string
	}{
		{"list-type=2", 1000, "a+z a/1 a/2 a/b/3 a/b/4 a/c z"},
		{"list-type=2", 1, "a+z a/1 a/2 a/b/3 a/b/4 a/c z"},
		{"list-type=2&prefix=a/", 2, "a/1 a/2 a/b/3 a/b/4 a/c"},
		{"list-type=2&prefix=a/&delimiter=/", 2, "a/1 a/2 [a/b/] a/c"},
		{"list-type=2&delimiter=/", 1, "a+z [a/] z"},
		{"list-type=2&start-after=a/c", 5, "z"},
		{"list-type=2&prefix=none", 5, ""},
	}
	for _, tc := range tests {
		var got []string
		token := ""
		for range 20 {
			_, body := do(t, c, "GET", fmt.Sprintf("%s/b?%s&max-keys=%d%s", s.URL(), tc.query, tc.max, token), "")
			var a listResult
			if err := xml.Unmarshal([]byte(body), &a); err != nil {
				t.Fatal(err)
			}
			if n := len(a.Contents) + len(a.CommonPrefixes); n > tc.max {
				t.Errorf("%s: page of %d", tc.query, n)
			}
			i := 0
			for _, e := range a.Contents { // merge in order, as listed
				for ; i < len(a.CommonPrefixes) && a.CommonPrefixes[i].Prefix < e.Key; i++ {
					got = append(got, "["+a.CommonPrefixes[i].Prefix+"]")
				}
				got = append(got, e.Key)
			}
			for ; i < len(a.CommonPrefixes); i++ {
				got = append(got, "["+a.CommonPrefixes[i].Prefix+"]")
			}
			if !a.IsTruncated {
				break
			}
			token = "&continuation-token=" + a.NextContinuationToken
		}
		if g := strings.Join(got, " "); g != tc.want {
			t.Errorf("%s by %d: %q, want %q", tc.query, tc.max, g, tc.want)
		}
	}
	resp, _ := do(t, c, "POST", s.URL()+"/b?delete", "<Delete><Object><Key>a/1</Key></Object><Object><Key>z</Key></Object></Delete>")
	if _, body := do(t, c, "GET", s.URL()+"/b?versions", ""); resp.StatusCode != 200 || strings.Count(body, "<Version>") != 5 {
		t.Errorf("after multi-delete: %d %s", resp.StatusCode, body)
	}
	if resp, _ := do(t, c, "DELETE", s.URL()+"/b", ""); resp.StatusCode != 409 {
		t.Errorf("a bucket with objects was removed: %d", resp.StatusCode)
	}
}

func TestInjection(t *testing.T) {
	const delay, stall = 7 * time.Millisecond, 20 * time.Millisecond
	rule := func(kind op.Kind, n uint64) Fault {
		switch {
		case kind == op.Get && n == 0:
			return Fault{Delay: delay}
		case kind == op.Get && n == 1:
			return Fault{Stall: stall}
		case kind == op.Get && n == 2:
			return Fault{Status: 503}
		case kind == op.Get && n == 3:
			return Fault{Bandwidth: 1 << 20} // 32 KiB of it: 31.25 ms
		case kind == op.Put && n == 1:
			return Fault{Stall: stall, Bandwidth: 1 << 20}
		case kind == op.Stat:
			return Fault{Status: 403}
		}
		return Fault{}
	}
	s, c := start(t, Options{Buckets: []string{"b"}, Rule: rule, Record: true})
	u, body := s.URL()+"/b/k", strings.Repeat("x", 32<<10)
	do(t, c, "PUT", u, body)
	began := time.Now()
	want := []int{200, 200, 503, 200}
	for i, status := range want {
		if resp, got := do(t, c, "GET", u, ""); resp.StatusCode != status || status == 200 && len(got) != len(body) {
			t.Errorf("GET %d: %d, %d bytes", i, resp.StatusCode, len(got))
		}
	}
	spent := time.Since(began)
	do(t, c, "PUT", u, body)
	if resp, _ := do(t, c, "HEAD", u, ""); resp.StatusCode != 403 {
		t.Errorf("HEAD: %d", resp.StatusCode)
	}
	in := s.Injected()[1:] // without the first PUT
	if len(in) != 6 {
		t.Fatalf("%d injections: %+v", len(in), in)
	}
	atLeast := []struct{ got, want time.Duration }{
		{in[0].Delay, delay},
		{in[1].Stall, stall},
		{in[1].Body, stall},
		{in[3].Body, 31250 * time.Microsecond},
		{in[4].Body, stall + 31250*time.Microsecond},
		{spent, in[0].Delay + in[1].Body + in[3].Body},
	}
	for i, a := range atLeast {
		if a.got < a.want {
			t.Errorf("%d: %v injected, want at least %v", i, a.got, a.want)
		}
	}
	if in[2].Status != 503 || s.Responses(op.Get, 503) != 1 || s.Responses(op.Get, 200) != 3 {
		t.Errorf("errors counted wrong: %+v", in[2])
	}
}

func TestCloseConnection(t *testing.T) {
	s, c := start(t, Options{Forget: true, Rule: func(op.Kind, uint64) Fault { return Fault{Close: true} }})
	if resp, err := c.Post(s.URL()+"/b?delete", "", bytes.NewReader(nil)); err == nil {
		resp.Body.Close()
		t.Fatal("a response came")
	}
	if s.Responses(op.Delete, 0) != 1 {
		t.Error("not counted")
	}
}

func TestCloseEndsDelays(t *testing.T) {
	arrived := make(chan struct{})
	s, err := New(Options{Forget: true, Rule: func(op.Kind, uint64) Fault {
		close(arrived)
		return Fault{Delay: time.Hour}
	}})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		resp, err := http.Get(s.URL() + "/b/k")
		if err == nil {
			resp.Body.Close()
		}
		http.DefaultClient.CloseIdleConnections()
	}()
	<-arrived
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	<-done
}
