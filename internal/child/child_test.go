package child

import (
	"io"
	"strings"
	"testing"
)

// TestRun: the first argument alone says what a process is, and normal commands are no children.
func TestRun(t *testing.T) {
	one := &Kind{"__one", func(io.Reader, io.Writer) int { return 1 }}
	two := &Kind{"__two", func(io.Reader, io.Writer) int { return 2 }}
	for args, want := range map[string]int{"": 0, "get": 0, "get __one": 0, "__one": 1, "__two": 2, "__one __two": 1} {
		if code, ran := Run(strings.Fields(args), nil, nil, one, two); code != want || ran != (want > 0) {
			t.Errorf("%q: %d, %v; want %d", args, code, ran, want)
		}
	}
}
