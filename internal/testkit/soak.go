package testkit

import (
	"os"
	"testing"
)

// Soaking reports whether long simulations and rulers run in full; "make soak" sets WARP_SOAK for it.
func Soaking() bool { return os.Getenv("WARP_SOAK") != "" }

// Soak skips the test unless Soaking.
func Soak(t testing.TB) {
	t.Helper()
	if !Soaking() {
		t.Skip("takes minutes; make soak runs it")
	}
}
