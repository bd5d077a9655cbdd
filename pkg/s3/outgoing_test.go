package s3

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
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
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: req}, err
}

// TestBodyIsNotShared: a transport that still reads for an earlier request gets nothing of the next upload's body.
func TestBodyIsNotShared(t *testing.T) {
	store, err := newSDK(Config{Hosts: []string{"127.0.0.1:1"}, Bucket: "bucket", AccessKey: "A", SecretKey: "S"})
	if err != nil {
		t.Fatal(err)
	}
	late := &lateReader{}
	store.hosts[0].wire.base = late
	s, body := store.Session(0), strings.NewReader("first")
	if err := s.Put(t.Context(), &Call{Key: "k", Body: body, Size: 5}); err == nil {
		t.Fatal("the first upload succeeds")
	}
	const second = "the second upload"
	body.Reset(second)
	err = s.Put(t.Context(), &Call{Key: "k", Body: body, Size: int64(len(second))})
	if err != nil || late.got != second || late.late != "" {
		t.Errorf("%v; sent %q, and %q for the first upload", err, late.got, late.late)
	}
}
