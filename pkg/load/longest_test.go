package load

import (
	"testing"
	"time"
)

func TestLongestPause(t *testing.T) {
	for text, want := range map[string]time.Duration{"20ms": 20 * time.Millisecond, "1s@start": time.Second, "exp(20ms)": 240 * time.Millisecond} {
		think, err := ParseThink(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := think.Longest(); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		longer := 0
		for n := range uint64(10_000) {
			if think.after(1, n) > think.Longest() {
				longer++
			}
		}
		if longer > 2 {
			t.Errorf("%s: %d of 10,000 pauses are longer", text, longer)
		}
	}
	if got := (Think{Random: true, Mean: maxLength}).Longest(); got != maxLength {
		t.Errorf("%v, want at most %v", got, maxLength)
	}
}
