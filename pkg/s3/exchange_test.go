package s3

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// roundTrip is an http.RoundTripper that is a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestWireHidesFailures: an SDK that sees a 503 or a broken connection repeats the request, or waits as if it would.
func TestWireHidesFailures(t *testing.T) {
	answers := map[string]roundTrip{
		"503 SlowDown": func(*http.Request) (*http.Response, error) {
			return response(503, "<Error><Code>SlowDown</Code></Error>"), nil
		},
		"connection refused": func(*http.Request) (*http.Response, error) { return nil, &Error{Class: classRefused} },
	}
	for want, answer := range answers {
		x, ctx := newExchange(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://h/b/k", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := (&wire{base: answer}).RoundTrip(req)
		if err != nil || resp.StatusCode != http.StatusBadRequest || resp.Body != http.NoBody {
			t.Errorf("%s: the SDK sees %v, %v", want, resp, err)
		}
		if x.err == nil || x.err.Class != want {
			t.Errorf("noted %v, want %s", x.err, want)
		}
	}
}

func TestSent(t *testing.T) {
	stamps := func(taken, written, first int64) *exchange {
		x := &exchange{}
		x.taken.Store(taken)
		x.written.Store(written)
		x.firstByte.Store(first)
		return x
	}
	tests := []struct {
		name string
		x    *exchange
		want int64 // 0: unknown
	}{
		{"in order", stamps(1, 2, 3), 2},
		{"answer seen before the end of the write", stamps(1, 3, 2), 1},
		{"answered without waiting for the body", stamps(3, 4, 2), 0},
		{"no answer", stamps(1, 2, 0), 2},
		{"nothing sent", stamps(0, 0, 0), 0},
	}
	for _, tc := range tests {
		got := tc.x.sent()
		if tc.want == 0 && !got.IsZero() || tc.want != 0 && !got.Equal(tc.x.start.Add(time.Duration(tc.want))) {
			t.Errorf("%s: %v, want %d", tc.name, got, tc.want)
		}
	}
}

func TestOutgoingStamps(t *testing.T) {
	x, _ := newExchange(t.Context())
	o := &outgoing{x: x, body: strings.NewReader("abc"), left: 3}
	p := make([]byte, 1)
	for i := range 3 {
		if x.taken.Load() != 0 {
			t.Errorf("stamped after %d of 3 bytes", i)
		}
		if n, err := o.Read(p); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if x.taken.Load() == 0 || x.written.Load() != 0 {
		t.Error("after the last byte: taken, but not seen to be written")
	}
	if _, err := o.Read(p); err != io.EOF || x.written.Load() == 0 {
		t.Errorf("at the end: %v", err)
	}
}
