package testkit

import (
	"fmt"
	"os"
	"testing"
)

// Soaking reports whether long simulations and rulers run in full; "make soak" sets WARP_SOAK for it.
func Soaking() bool { return os.Getenv("WARP_SOAK") != "" }

// InTurn reports whether the case with this number runs: all do, unless WARP_TEST_TURN is TURN/OF, for one in OF of them.
// "make race" sets it, for sessions that also run without the race detector.
func InTurn(t testing.TB, number int) bool {
	t.Helper()
	text := os.Getenv("WARP_TEST_TURN")
	if text == "" {
		return true
	}
	var turn, of int
	if n, err := fmt.Sscanf(text, "%d/%d", &turn, &of); n != 2 || err != nil || of < 1 || turn < 0 || turn >= of {
		t.Fatalf("WARP_TEST_TURN: invalid value %q (want TURN/OF, as in 0/3)", text)
	}
	return number%of == turn
}

// SkipSerial skips a test that only one goroutine computes, or that measures memory, where tests are short: "make race" has them short,
// and there is no race to detect.
func SkipSerial(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("not concurrent")
	}
}

// Soak skips the test unless Soaking.
func Soak(t testing.TB) {
	t.Helper()
	if !Soaking() {
		t.Skip("takes minutes; make soak runs it")
	}
}
