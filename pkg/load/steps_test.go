package load

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestSteps(t *testing.T) {
	for text, want := range map[string]string{
		"8":                         "",
		"burst(5,1s)":               "",
		"8/1m,16/1m,32/1m":          "8 to 1m0s, 16 to 2m0s, 32 to 2m30s",
		"8/1m":                      "8 to 1m0s, 8 to 2m30s",
		"0..16/2m":                  "0..2 to 15s, 2..4 to 30s, 4..6 to 45s, 6..8 to 1m0s, 8..10 to 1m15s, 10..12 to 1m30s, 12..14 to 1m45s, 14..16 to 2m0s, 16 to 2m30s",
		"repeat(5/50s,0/10s)":       "5 to 50s, 0 to 1m0s, 5 to 1m50s, 0 to 2m0s, 5 to 2m30s",
		"repeat(5/1s,0/1s)":         "", // too many
		"100,200@1m,400..800@5m/5m": "100 to 1m0s, 200 to 2m30s",
	} {
		var got []string
		for _, s := range Steps(shapeFrom(t, text), 150*time.Second) {
			level := fmt.Sprint(s.From)
			if s.To != s.From {
				level += fmt.Sprint("..", s.To)
			}
			got = append(got, level+" to "+s.End.String())
		}
		if list := strings.Join(got, ", "); list != want {
			t.Errorf("%s: got %s, want %s", text, list, want)
		}
	}
}
