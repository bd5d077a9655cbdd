package page

import (
	"encoding/json"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/units"
)

// Figures as the text report has them, which the script must format alike: test/browser compares.
func TestUnits(t *testing.T) {
	type vector struct {
		Duration   map[string]float64 `json:"duration"` // ms, by text
		Span       map[string]float64 `json:"span"`
		Size       map[string]float64 `json:"size"`
		Throughput map[string]float64 `json:"throughput"`
		Digits     map[string]float64 `json:"digits"`
		Change     map[string]float64 `json:"signedChange"`
	}
	v := vector{map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}}
	for _, d := range []time.Duration{0, 1, 850, 999, 1000, 12345, 999_400, 999_600, 9_104_000, 99_949_000, 99_960_000, 999_400_000, 1250 * time.Millisecond, 59 * time.Second, 59_960 * time.Millisecond, 75 * time.Second, 7203 * time.Second} {
		v.Duration[units.Duration(d)] = float64(d) / 1e6
		v.Span[units.Span(d)] = float64(d) / 1e6
	}
	for _, n := range []int64{0, 100, 1023, 1024, 1536, 10 << 20, 3 << 40} {
		v.Size[units.Size(n)] = float64(n)
	}
	for _, n := range []float64{0, 4509, 100_000, 1 << 20, 17_424_973, 5e9} {
		v.Throughput[units.Throughput(n)] = n
	}
	for _, n := range []float64{0, 0.012, 3.5, 25, 98.7, 12345} {
		v.Digits[units.Digits(n)] = n
	}
	for _, n := range []float64{0, 0.021, -0.0035, 12.34, -0.00001} {
		v.Change[units.Change(n)] = n
	}
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/units.json", string(text)+"\n")
}
