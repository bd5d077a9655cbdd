package aggregate

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/op"
)

// sliceSource is a Source over a slice.
type sliceSource struct {
	ops []op.Op
	i   int
	err error
}

func (s *sliceSource) Scan() bool { s.i++; return s.i <= len(s.ops) }
func (s *sliceSource) Op() *op.Op { return &s.ops[s.i-1] }
func (s *sliceSource) Err() error { return s.err }

// analyze is Analyze of ops.
func analyze(t testing.TB, opts Options, ops []op.Op) *Snapshot {
	t.Helper()
	s, err := Analyze(opts, func() (op.Source, func() error, error) {
		return &sliceSource{ops: ops}, func() error { return nil }, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ofKind(ops []op.Op, k op.Kind) []op.Op {
	var out []op.Op
	for _, o := range ops {
		if o.Kind == k {
			out = append(out, o)
		}
	}
	return out
}

// TestRecordings compares every recording of MinIO warp with the definition.
// works: MinIO warp: fastest, median and slowest segment; `--analyze.dur`
func TestRecordings(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/recordings/*.csv.zst")
	if len(files) == 0 {
		t.Skip("no recordings next to the checkout")
	}
	for i := range 2 * len(files) {
		f, rule := files[i/2], []Rule{Active, Classic}[i%2]
		t.Run(filepath.Base(f)+"/"+string(rule), func(t *testing.T) {
			ops := readRecording(t, f)
			s := analyze(t, Options{Rule: rule}, ops)
			if s.Segment != time.Second {
				t.Errorf("segments are %v long", s.Segment)
			}
			var requests int64
			for _, g := range s.Groups {
				t.Run(string(g.Kind), func(t *testing.T) {
					own := ofKind(ops, g.Kind)
					all := own
					if strings.Contains(f, "mixed") {
						all = ops
					}
					referenceOf(own, all, s.Segment, rule).compare(t, g, 0.001)
				})
				requests += g.Requests
			}
			if requests != int64(len(ops)) {
				t.Errorf("%d requests, but the file holds %d", requests, len(ops))
			}
			// Only the mixed one has kinds at the same time; in the others the uploads came before.
			if mixed := strings.Contains(f, "mixed"); mixed != (len(s.Totals) == 1) {
				t.Fatalf("%d totals", len(s.Totals))
			} else if mixed {
				referenceOf(ops, ops, s.Segment, rule).compare(t, s.Totals[0], 0.001)
			}
		})
	}
}

// In recordings of MinIO warp, both rules agree to within one operation at the end of the window; figures to 0.2 %, and what one operation
// is of the window.
// works: MinIO warp: analysis begins when all threads have completed an operation, and ends when the first has none left
func TestActiveIsClassicInRecordings(t *testing.T) {
	testkit.SkipSerial(t)
	files, _ := filepath.Glob("../../../shared/recordings/*.csv.zst")
	if len(files) == 0 {
		t.Skip("no recordings next to the checkout")
	}
	for _, f := range files {
		ops := readRecording(t, f)
		active, classic := analyze(t, Options{}, ops), analyze(t, Options{Rule: Classic}, ops)
		for i, c := range classic.Groups {
			a := active.Groups[i]
			if c.Window.Duration() < shortWindow {
				continue // also the preparation
			}
			longest := time.Duration(a.Latency.Max())
			if len(active.Totals) > 0 {
				longest *= 4 // the threads of a mix start their next operation of a kind after some of others
			}
			if late := a.Window.End.Sub(c.Window.End); a.Kind != c.Kind || !a.Window.Start.Equal(c.Window.Start) || late < 0 || late > longest {
				t.Errorf("%s, %s: windows %v to %v, and %v to %v", f, a.Name(), a.Window.Start, a.Window.End, c.Window.Start, c.Window.End)
			}
			within := 0.002 + a.Latency.Mean()/float64(a.Window.Duration())
			testkit.Near(t, f+" objects/s", a.ObjectsPerSec(), c.ObjectsPerSec(), within)
			testkit.Near(t, f+" bytes/s", a.BytesPerSec(), c.BytesPerSec(), within)
			testkit.Near(t, f+" average", a.Latency.Mean(), c.Latency.Mean(), within+0.002)
			a50, _ := a.Latency.Percentile(50)
			c50, _ := c.Latency.Percentile(50)
			testkit.Near(t, f+" p50", float64(a50), float64(c50), within)
		}
	}
}
