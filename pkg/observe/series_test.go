package observe

import (
	"testing"
	"time"
)

var begin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// second is the sample of second i, with i segments sent.
func second(i int) Sample {
	return Sample{Start: begin.Add(time.Duration(i) * time.Second), Seconds: 1, TCP: &TCP{SentSegments: int64(i)}, Goroutines: int64(i)}
}

func TestSeries(t *testing.T) {
	const limit = seriesLimit
	for _, c := range []struct {
		name            string
		added, want     int
		first, lastLong float64 // seconds
	}{
		{"none", 0, 0, 0, 0},
		{"one", 1, 1, 1, 1},
		{"nearly full", limit - 1, limit - 1, 1, 1},
		{"full", limit, limit / 2, 2, 2},
		{"one more", limit + 1, limit/2 + 1, 2, 1},
		{"two more", limit + 2, limit/2 + 1, 2, 2},
		{"full again", 2 * limit, limit / 2, 4, 4},
		{"a day", 86400, 675, 128, 128},
	} {
		var s series
		var sum int64
		for i := range c.added {
			s.add(second(i))
			sum += int64(i)
			if len(s.samples) >= limit {
				t.Fatalf("%s: %d samples kept", c.name, len(s.samples))
			}
		}
		got := s.all()
		if len(got) != c.want {
			t.Fatalf("%s: %d samples, want %d", c.name, len(got), c.want)
		}
		at := begin
		for _, one := range got {
			if !one.Start.Equal(at) {
				t.Fatalf("%s: a sample starts at %v, the one before ended at %v", c.name, one.Start, at)
			}
			at = one.End()
			sum -= one.TCP.SentSegments
		}
		if sum != 0 {
			t.Errorf("%s: %d segments lost", c.name, sum)
		}
		if len(got) > 0 && (got[0].Seconds != c.first || got[len(got)-1].Seconds != c.lastLong) {
			t.Errorf("%s: first %v s, last %v s long", c.name, got[0].Seconds, got[len(got)-1].Seconds)
		}
	}
}

// What was handed out must not change afterwards.
func TestSeriesHandsOutCopies(t *testing.T) {
	var s series
	for i := range seriesLimit - 1 {
		s.add(second(i))
	}
	got := s.all()
	for i := range seriesLimit {
		s.add(second(seriesLimit - 1 + i))
	}
	for i, one := range got {
		if one.Seconds != 1 || one.TCP.SentSegments != int64(i) {
			t.Fatalf("sample %d became %+v %+v", i, one, one.TCP)
		}
	}
}
