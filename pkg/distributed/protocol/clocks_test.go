package protocol

import (
	"testing"
	"time"

	"warp/pkg/op"
	"warp/pkg/runinfo"
)

func TestCorrection(t *testing.T) {
	at := func(s float64) time.Time { return time.Unix(1_000_000, 0).Add(time.Duration(s * 1e9)) }
	for name, c := range map[string]struct {
		start runinfo.Clock
		end   *runinfo.Clock
		times map[float64]float64 // of the client, and what they are on the coordinator's clock
	}{
		"same":             {runinfo.Clock{At: at(0)}, &runinfo.Clock{At: at(100)}, map[float64]float64{0: 0, 50: 50}},
		"ahead":            {runinfo.Clock{At: at(0), Offset: time.Second}, &runinfo.Clock{At: at(100), Offset: time.Second}, map[float64]float64{1: 0, 51: 50}},
		"end not known":    {runinfo.Clock{At: at(0), Offset: time.Second}, nil, map[float64]float64{1: 0, 101: 100}},
		"too fast":         {runinfo.Clock{At: at(0)}, &runinfo.Clock{At: at(100), Offset: time.Second}, map[float64]float64{0: 0, 50.5: 50, 101: 100}},
		"too slow":         {runinfo.Clock{At: at(0), Offset: time.Second}, &runinfo.Clock{At: at(100)}, map[float64]float64{1: 0, 50.5: 50, 100: 100}},
		"end not behind":   {runinfo.Clock{At: at(0), Offset: time.Second}, &runinfo.Clock{At: at(0), Offset: 5 * time.Second}, map[float64]float64{1: 0, 51: 50}},
		"behind, and slow": {runinfo.Clock{At: at(0), Offset: -time.Second}, &runinfo.Clock{At: at(100), Offset: -2 * time.Second}, map[float64]float64{-1: 0, 48.5: 50, 98: 100}},
	} {
		t.Run(name, func(t *testing.T) {
			correct := NewCorrection(c.start, c.end)
			for client, want := range c.times {
				if got := correct.Apply(at(client)); got.Sub(at(want)).Abs() > time.Microsecond {
					t.Errorf("%v s of the client are %v s, want %v", client, got.Sub(at(0)).Seconds(), want)
				}
			}
			o := op.Op{Start: at(1), Arrived: at(1.75), End: at(2)}
			correct.Ops(&o)
			if !o.Due.IsZero() || !o.Start.Equal(correct.Apply(at(1))) || !o.Arrived.Equal(correct.Apply(at(1.75))) || !o.End.Equal(correct.Apply(at(2))) {
				t.Errorf("an operation became %+v", o)
			}
			late := op.Op{Due: at(1), Start: at(1.5), OwnLate: time.Second / 2}
			correct.Ops(&late)
			if d := late.Start.Sub(late.Due) - late.OwnLate; d.Abs() > time.Microsecond {
				t.Errorf("an operation was late by its client's fault only, and became %+v", late)
			}
		})
	}
}
