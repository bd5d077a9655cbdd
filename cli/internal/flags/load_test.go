package flags

import (
	"testing"
	"time"
)

func TestSyncStart(t *testing.T) {
	zone := time.FixedZone("here", 3600)
	now := time.Date(2026, 11, 30, 17, 5, 30, 0, zone)
	for text, want := range map[string]time.Time{
		"":      {},
		"17:06": time.Date(2026, 11, 30, 17, 6, 0, 0, zone),
		"17:05": time.Date(2026, 12, 1, 17, 5, 0, 0, zone), // it is over
		"00:00": time.Date(2026, 12, 1, 0, 0, 0, 0, zone),
		"9:30":  time.Date(2026, 12, 1, 9, 30, 0, 0, zone),
	} {
		if got, err := (&Load{syncStart: text}).Start(now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"24:00", "17", "5pm", "17:60", "17:05:00", "-1:00", " 17:05"} {
		if _, err := (&Load{syncStart: text}).Start(now); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
