package std

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"warp/pkg/s3/exchange"
)

// lateReader is a transport that returns before it has read the body of the first request, as net/http does when a
// connection is closed, and reads it while the second one is sent.
type lateReader struct {
	wg    sync.WaitGroup
	first io.Reader
	late  string // what it got late
	got   string // of the second request
}

func (l *lateReader) RoundTrip(req *http.Request) (*http.Response, error) {
	if l.first == nil {
		l.first = req.Body
		return nil, io.EOF
	}
	some := make([]byte, 3)
	n, _ := l.first.Read(some)
	l.wg.Go(func() {
		text, _ := io.ReadAll(l.first)
		l.late = string(some[:n]) + string(text)
	})
	text, err := io.ReadAll(req.Body)
	l.got = string(text)
	l.wg.Wait()
	return &http.Response{StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody, Request: req}, err
}

// TestBodyIsNotShared: a transport that still reads for an earlier request gets nothing of the next upload's body.
func TestBodyIsNotShared(t *testing.T) {
	late := &lateReader{}
	c := NewClient(Options{Targets: []*Target{{URL: url.URL{Scheme: "http", Host: "h", Path: "/b"}, Transport: late}}})
	body := strings.NewReader("first")
	q := exchange.Request{Method: http.MethodPut, Key: "k", Body: body, Size: 5}
	if err := c.Do(t.Context(), 0, &q); err == nil {
		t.Fatal("the first upload succeeds")
	}
	const second = "the second upload"
	body.Reset(second)
	q.Size = int64(len(second))
	if err := c.Do(t.Context(), 0, &q); err != nil {
		t.Fatal(err)
	}
	c.Finish()
	if late.got != second || late.late != "" {
		t.Errorf("sent %q, and %q for the first upload", late.got, late.late)
	}
}
