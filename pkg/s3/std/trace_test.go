package std

import (
	"io"
	"strings"
	"testing"
	"time"

	"warp/pkg/s3/exchange"
)

func TestSent(t *testing.T) {
	stamps := func(taken, written, first int64) *trace {
		x := &trace{}
		x.taken.Store(taken)
		x.written.Store(written)
		x.firstByte.Store(first)
		return x
	}
	tests := []struct {
		name string
		x    *trace
		want int64 // 0: unknown
	}{
		{"in order", stamps(1, 2, 3), 2},
		{"response seen before the end of the write", stamps(1, 3, 2), 1},
		{"response without waiting for the body", stamps(3, 4, 2), 0},
		{"no response", stamps(1, 2, 0), 2},
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
	x, _ := newTrace(t.Context(), true)
	o := &outgoing{trace: x, request: &exchange.Request{Body: strings.NewReader("abc"), Size: 3}, left: 3}
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
