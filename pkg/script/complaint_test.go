package script_test

import (
	"strings"
	"testing"

	"warp/pkg/script"
)

// TestExcerpts: an error shows the line, and the column below it.
func TestExcerpts(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, c := range []struct{ text, want string }{
		{"warp: 1\nphase: []\n", `bad.yaml:2:1: unknown key "phase" (did you mean phases?)
     2 | phase: []
       | ^`},
		{"warp: 1\r\nphases:\r\n- {run: é, lod: 3}\r\n", `bad.yaml:3:3: phases[0]: nothing to do (want do: [{get: NAME}], or other operations)
     3 | - {run: é, lod: 3}
       |   ^
bad.yaml:3:12: phases[0]: unknown key "lod" (did you mean load?)
     3 | - {run: é, lod: 3}
       |            ^`}, // columns count characters
		{"warp: 1\nphases: [{wait: " + long + ", lod: 3}]\n", `bad.yaml:2:319: phases[0]: unknown key "lod" (did you mean load?)
     2 | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, lod: 3}]
       |                                                                                                       ^`},
	} {
		_, err := script.Parse("bad.yaml", []byte(c.text))
		compare(t, c.text, err.Error(), c.want)
	}
}

// TestManyMistakes: the first ten are printed, in the order of the file.
func TestManyMistakes(t *testing.T) {
	text := "warp: 1\nphases: []\n" + strings.Repeat("x: 1\n", 3)
	for _, key := range strings.Split("abcdefghijkl", "") {
		text += key + "1: 1\n"
	}
	_, err := script.Parse("x", []byte(text))
	lines := strings.Split(err.Error(), "\n")
	if !strings.HasPrefix(lines[0], "x:3:1: ") || lines[len(lines)-1] != "and 5 more" {
		t.Errorf("first %q, last %q of\n%v", lines[0], lines[len(lines)-1], err)
	}
}
