package terminal

import (
	"strings"
	"testing"
	"time"
)

// TestResent: operations that met a closed connection are said behind errors, in lines of progress and at the end, if there are any.
func TestResent(t *testing.T) {
	for resent, want := range map[int64]string{0: "2 errors\n", 5: "2 errors, 5 resent\n"} {
		var out strings.Builder
		p := plain{w: &out}
		p.Stage(Stage{Name: "Benchmark"})
		p.Update(Update{Elapsed: time.Minute, Ops: 9, Errors: 2, Resent: resent})
		p.Close()
		if strings.Count(out.String(), want) != 2 {
			t.Errorf("%q does not say %q twice", &out, want)
		}
	}
}
