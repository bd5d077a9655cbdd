package terminal

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func TestBarLine(t *testing.T) {
	for _, c := range []struct {
		width    int
		fraction float64
		name     string
		left     string
		want     string
	}{
		{30, 0, "GET ", "", "GET  ───────────────────    0%"},
		{30, 0.5, "GET ", "  9s", "GET  ━━━━━━━╸───────   50%  9s"},
		{30, 0.9999, "GET ", "", "GET  ━━━━━━━━━━━━━━━━━━╸   99%"},
		{30, 1, "GET ", "", "GET  ━━━━━━━━━━━━━━━━━━╸  100%"},
		{30, 0.5, "準備 ", "  9s", "準備  ━━━━━━╸───────   50%  9s"},
		{20, 0.5, "GET ", "  warm-up, 10s left of it", "GET   50%  warm-up, "}, // no room for a bar
	} {
		for _, colored := range []bool{false, true} {
			got := BarLine(c.width, c.name, c.fraction, c.left, colored, false)
			if plain := sgr.ReplaceAllString(got, ""); plain != c.want {
				t.Errorf("in %d columns %q, want %q", c.width, plain, c.want)
			}
			if n := strings.Count(got, sgrReset); colored && n > 1 {
				t.Errorf("%d times back to no colour in %q", n, got)
			}
		}
	}
}

// In an East Asian locale a bar is as long as in any other.
func TestBarLineInEastAsia(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestBarLine$", "-test.count=1")
	cmd.Env = append(os.Environ(), "LC_ALL=ja_JP.UTF-8", "RUNEWIDTH_EASTASIAN=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The line never becomes wider than the terminal, whatever is left to say: a second line would stay behind when it is drawn again.
func TestHeadFits(t *testing.T) {
	for width := minWidth; width < 130; width++ {
		for _, s := range []Stage{
			{Name: "Benchmarking mixed of 準備", Duration: time.Minute, Warmup: time.Minute},
			{Name: "Preparing", Total: 100},
		} {
			v := newTerminal(nil, Options{Width: func() int { return width }, Color: true})
			v.now = Current{Stage: s, Last: Update{Elapsed: 20 * time.Second, Done: 1, Threads: 1000}}
			if head := v.head(width - 1); Cells(head) != width-1 {
				t.Errorf("%d cells in a terminal of %d columns: %q", Cells(head), width, head)
			}
		}
	}
}
