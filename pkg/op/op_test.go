package op

import (
	"testing"
	"testing/synctest"
	"time"

	"warp/internal/clock"
)

func TestKind(t *testing.T) {
	tests := []struct {
		kind      Kind
		bytes, up bool
	}{
		{Get, true, false},
		{Put, true, true},
		{Delete, false, false},
		{Stat, false, false},
		{List, false, false},
		{"POST", true, true},
		{PutPart, true, true},
		{CreateUpload, false, false},
		{CompleteUpload, false, false},
		{AbortUpload, false, false},
		{GetPart, true, false},
		{MultipartPut, true, false},
		{MultipartGet, true, false},
		{"APPEND", true, true},
		{"TABLE_GET", true, false},
	}
	for _, tt := range tests {
		if got := tt.kind.MovesBytes(); got != tt.bytes {
			t.Errorf("%s moves bytes: %v", tt.kind, got)
		}
		if got := tt.kind.Upload(); got != tt.up {
			t.Errorf("%s is an upload: %v", tt.kind, got)
		}
	}
}

func TestLatencyAndService(t *testing.T) {
	o := Op{Start: when(300), End: when(1000)}
	if o.Latency() != 700 || o.Service() != 700 {
		t.Errorf("closed loop: latency %v, service %v, want both 700ns", o.Latency(), o.Service())
	}
	o.Due = when(100)
	if o.Latency() != 900 || o.Service() != 700 {
		t.Errorf("open loop: latency %v, service %v, want 900ns and 700ns", o.Latency(), o.Service())
	}
}

func TestTTFB(t *testing.T) {
	tests := []struct {
		name  string
		op    Op
		want  time.Duration
		known bool
	}{
		{"download", Op{Kind: Get, Start: when(100), FirstByte: when(150), End: when(400)}, 50, true},
		{"download, due earlier", Op{Kind: Get, Due: when(0), Start: when(100), FirstByte: when(150), End: when(400)}, 50, true},
		{"listing", Op{Kind: List, Start: when(100), FirstByte: when(170), End: when(400)}, 70, true},
		{"download without a first byte", Op{Kind: Get, Start: when(100), End: when(400)}, 0, false},
		{"upload", Op{Kind: Put, Start: when(100), Sent: when(200), FirstByte: when(350), End: when(400)}, 150, true},
		{"upload without a first byte", Op{Kind: Put, Start: when(100), Sent: when(200), End: when(400)}, 200, true},
		{"upload without a last byte", Op{Kind: Put, Start: when(100), FirstByte: when(350), End: when(400)}, 0, false},
	}
	for _, tt := range tests {
		got, known := tt.op.TTFB()
		if known != tt.known || known && got != tt.want {
			t.Errorf("%s: %v, %v, want %v, %v", tt.name, got, known, tt.want, tt.known)
		}
	}
}

func TestFailed(t *testing.T) {
	if (&Op{Status: 404}).Failed() {
		t.Error("an operation without an error text failed")
	}
	if !(&Op{Err: "404 NoSuchKey: gone"}).Failed() {
		t.Error("an operation with an error text did not fail")
	}
}

func TestNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := clock.Now()
		time.Sleep(time.Hour)
		if got := clock.Now().Sub(before); got != time.Hour {
			t.Errorf("after an hour, Now is %v later", got)
		}
		// Between stamps, the monotonic and the wall clock must agree: recordings hold the latter.
		if got := clock.Now().Round(0).Sub(before.Round(0)); got != time.Hour {
			t.Errorf("after an hour, the wall clock of Now is %v later", got)
		}
	})
}
