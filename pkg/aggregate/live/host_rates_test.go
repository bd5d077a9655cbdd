package live

import (
	"testing"
	"time"

	"warp/pkg/op"
)

// The figures of hosts are the differences of counts, over all kinds and statuses, without the preparation.
func TestHostRates(t *testing.T) {
	begun := time.Unix(1000, 0)
	counts := func(n int64) []Count {
		return []Count{
			{Phase: op.PhasePrepare, Kind: op.Put, Responses: []Response{{Host: "a", Status: 200, Ops: 1000 * n, Time: time.Hour}}},
			{Kind: op.Get, Responses: []Response{
				{Host: "a", Status: 200, Ops: 100 * n, Bytes: 1000 * n, Objects: 100 * n, Time: time.Duration(n) * 200 * time.Millisecond},
				{Host: "a", Status: 503, Ops: 10 * n, Errors: 10 * n},
				{Host: "b", Status: 200, Ops: 50 * n, Bytes: 500 * n, Objects: 50 * n, Time: time.Duration(n) * 50 * time.Millisecond},
			}},
			{Kind: op.Stat, Responses: []Response{{Host: "b", Status: 200, Ops: 50 * n, Objects: 50 * n, Time: time.Duration(n) * 250 * time.Millisecond}}},
		}
	}
	var rates HostRates
	if got := rates.Add(begun, counts(1)); len(got) != 2 || got[0].OpsPerSec != 0 || got[0].Mean != 0 || got[0].Ops != 110 || got[0].Errors != 10 {
		t.Errorf("at first: %+v", got)
	}
	want := []HostFigures{
		{Host: "a", Mean: 2 * time.Millisecond, Figures: Figures{OpsPerSec: 100, BytesPerSec: 1000, ObjectsPerSec: 100}},
		{Host: "b", Mean: 3 * time.Millisecond, Figures: Figures{OpsPerSec: 100, BytesPerSec: 500, ObjectsPerSec: 100}},
	}
	for n := int64(2); n < 10; n++ { // more often than sums are kept
		got := rates.Add(begun.Add(time.Duration(n-1)*time.Second), counts(n))
		want[0].Ops, want[0].Errors, want[1].Ops = 110*n, 10*n, 100*n
		if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("after %d s: %+v, want %+v", n-1, got, want)
		}
	}
	if got := rates.Add(begun.Add(time.Minute), nil); len(got) != 2 || got[0].OpsPerSec != 0 || got[0].Mean != 0 {
		t.Errorf("without counts: %+v", got)
	}
}
