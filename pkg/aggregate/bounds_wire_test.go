package aggregate

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"warp/pkg/aggregate/internal/decode"
)

// The wire form of bounds is as long as BoundsBytes says at most, and not much shorter in the worst case.
func TestBoundsBytes(t *testing.T) {
	const groups, threads = 20, 100
	b := NewBounds(Options{})
	for i := range groups {
		g := b.group(decode.Key{Phase: fmt.Sprint("phase ", i, strings.Repeat("x", 200)), Kind: "GET"})
		for k := range threads {
			n, _ := b.tables.Threads.Number("client", math.MaxUint32-uint32(k))
			g.add(n, bound{math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64})
		}
	}
	text, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if n, most := int64(len(text)), BoundsBytes(groups, threads); n > most || n < most*9/10 {
		t.Errorf("%d bytes, expected at most %d", n, most)
	}
	back := new(Bounds)
	if err := json.Unmarshal(text, back); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(back); err != nil || string(again) != string(text) {
		t.Errorf("%v; written again: %.200s", err, again)
	}
}
