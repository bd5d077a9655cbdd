package cli

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"warp/internal/testkit"
)

// upstream is where recordings of MinIO warp lie, made against a real server. A stranger's clone has none.
const upstream = "../../shared/recordings"

// TestUpstreamRecordings: a comparison of MinIO warp's recordings stays as it is. Reports of them are tested
// in package report, and that their figures are right, in package aggregate.
func TestUpstreamRecordings(t *testing.T) {
	if _, err := os.Stat(upstream); err != nil {
		t.Skip("there are no recordings in", upstream)
	}
	testkit.Golden(t, "testdata/upstream/cmp.txt",
		printed(t, "cmp", "--analyze.op=GET", "--analyze.dur=250ms", "upstream-get.csv.zst", "upstream-mixed.csv.zst"))
}

// printed is what warp prints where the recordings lie.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	warp := exec.Command("warp", args...)
	warp.Dir, warp.Env = upstream, append(os.Environ(), "TZ=UTC")
	var complaints bytes.Buffer
	warp.Stderr = &complaints
	out, err := warp.Output()
	told := slices.DeleteFunc(strings.Split(complaints.String(), "\n"), func(line string) bool { // slow machines show progress
		return line == "" || strings.HasPrefix(line, "Reading ")
	})
	if err != nil || len(told) > 0 {
		t.Fatalf("%q: %v\n%s", args, err, &complaints)
	}
	return string(out)
}
