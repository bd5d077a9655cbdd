package aggregate

import (
	"testing"
	"time"

	"warp/pkg/op"
)

// runningOptions are what reports ask for, and whether the figures are computed during the run.
var runningOptions = map[string]struct {
	opts Options
	one  bool
}{
	"text":          {Options{HostCounts: true}, true},
	"verbose":       {Options{HostCounts: true, HostSegments: true}, true},
	"charts":        {Options{HostCounts: true, HostSegments: true, SegmentTimes: true}, true},
	"hosts in time": {Options{HostSegments: true, SegmentTimes: true}, true},
	"all the time":  {Options{AllTime: []string{""}}, true},
	"length":        {Options{Segment: 500 * time.Millisecond}, false},
	"skip":          {Options{Skip: time.Second}, false},
	"kind":          {Options{Op: op.Get}, false},
	"host":          {Options{Host: "host0:9000"}, false},
}

// What is computed during a run is what its recording gives.
func TestRunningIsTwoPasses(t *testing.T) {
	ops := ordered(steady(20, 5*time.Millisecond, 10*time.Second, nil), byEnd)
	for name, c := range runningOptions {
		t.Run(name, func(t *testing.T) {
			windows, want := twoPasses(t, Options{AllTime: c.opts.AllTime}, ops)
			if c.one {
				_, want = twoPasses(t, c.opts, ops)
			}
			r := NewRunning(c.opts)
			for rest := ops; len(rest) > 0; rest = rest[min(32, len(rest)):] {
				if err := r.Write(rest[:min(32, len(rest))]); err != nil {
					t.Fatal(err)
				}
			}
			if w := r.Windows(); !w.equal(windows) {
				t.Errorf("windows %+v, want %+v", w, windows)
			}
			switch got := r.Take(); {
			case (got != nil) != c.one:
				t.Errorf("figures are computed: %v, want %v", got != nil, c.one)
			case got != nil:
				same(t, got, want)
			}
		})
	}
}
