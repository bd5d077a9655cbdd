package cli

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"warp/internal/testkit"
)

// established is where recordings of the established tool lie, made against a real server. A stranger's clone has none.
const established = "../../shared/recordings"

// TestEstablishedRecordings: a comparison of the established tool's recordings stays as it is. Reports of them are tested
// in package report, and that their figures are right, in package aggregate.
func TestEstablishedRecordings(t *testing.T) {
	if _, err := os.Stat(established); err != nil {
		t.Skip("there are no recordings in", established)
	}
	testkit.Golden(t, "testdata/established/cmp.txt",
		printed(t, "cmp", "--analyze.op=GET", "--analyze.dur=250ms", "upstream-get.csv.zst", "upstream-mixed.csv.zst"))
}

// printed is what warp prints where the recordings lie.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	warp := exec.Command("warp", args...)
	warp.Dir, warp.Env = established, append(os.Environ(), "TZ=UTC")
	var complaints bytes.Buffer
	warp.Stderr = &complaints
	out, err := warp.Output()
	if err != nil || complaints.Len() > 0 {
		t.Fatalf("%q: %v\n%s", args, err, &complaints)
	}
	return string(out)
}
