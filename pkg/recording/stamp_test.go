package recording

import (
	"math/rand/v2"
	"testing"
	"time"

	"warp/internal/clock"
)

// stampTimes are times around everything that stamper keeps or drops.
func stampTimes() []time.Time {
	rnd := rand.New(rand.NewPCG(1, 2))
	times := []time.Time{
		{},
		time.Unix(0, 0), time.Unix(-1, 1), time.Unix(59, 999999999), time.Unix(60, 0),
		at(0), at(1), at(10), at(999999999), at(100000000), at(38999999999), at(39000000000),
		time.Date(2024, 2, 29, 23, 59, 59, 5, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		time.Date(2019, 12, 7, 3, 4, 5, 120, time.FixedZone("", 5*3600+1800)), clock.Now(),
	}
	for range 1000 {
		times = append(times, at(rnd.Int64N(int64(3*time.Minute))), time.Unix(rnd.Int64N(4e9)-1e9, rnd.Int64N(1e9)))
	}
	return times
}

func TestStamperIsRFC3339Nano(t *testing.T) {
	var s stamper
	for _, tm := range stampTimes() {
		want := tm.UTC().Format(time.RFC3339Nano)
		if got := string(s.append(nil, tm)); got != want {
			t.Errorf("stamp of %v is %s, want %s", tm, got, want)
		}
	}
}

func TestStampReaderReadsRFC3339Nano(t *testing.T) {
	zones := []*time.Location{time.UTC, time.FixedZone("", 3600), time.FixedZone("", -(9*3600 + 1800))}
	var s stampReader
	for i, tm := range stampTimes() {
		text := tm.In(zones[i%len(zones)]).Format(time.RFC3339Nano)
		want, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			continue // the offset took it out of the years that RFC 3339 has
		}
		got, ok := s.parse([]byte(text))
		if !ok || !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("%s is read as %v, %v, want %v", text, got, ok, want)
		}
	}
}

func TestStampReaderRefuses(t *testing.T) {
	const good = "2026-11-21T03:56:21.5Z"
	bad := []string{
		"", "Z", "now", "2026-11-21T03:56:", "2026-11-21T03:56:21", "2026-11-21T03:56:21.Z", "2026-11-21T03:56:21.5",
		"2026-11-21T03:56:61Z", "2026-11-21T03:56:2Z", "2026-11-21T03:56:2xZ", "2026-11-21T03:56:21.5ZZ", "2026-11-21T03:56:21.5z",
		"2026-11-21T03:56:21.5+1", "2026-11-21T24:56:21Z", "2026-13-21T03:56:21Z", "2026-11-21 03:56:21Z",
	}
	for _, text := range bad {
		var fresh, warm stampReader
		if _, ok := warm.parse([]byte(good)); !ok {
			t.Fatalf("%s is not read", good)
		}
		if got, ok := fresh.parse([]byte(text)); ok {
			t.Errorf("%q is read as %v", text, got)
		}
		if got, ok := warm.parse([]byte(text)); ok {
			t.Errorf("%q is read as %v behind a good one", text, got)
		}
	}
}
