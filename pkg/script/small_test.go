package script_test

import (
	"slices"
	"strings"
	"testing"

	"warp/pkg/script"
)

// TestMistakesInSmall: what is wrong with a small size is said, whether the file is run at it or not.
func TestMistakesInSmall(t *testing.T) {
	with := func(small string) string {
		return "small: " + small + "\nwarp: 1\ndata: {p: {objects: \"${OBJECTS:-100}\", size: \"${SIZE:-1KiB}\"}}\nphases: [{run: a, do: [{get: p}], until: 1s}]"
	}
	check(t, []mistake{
		{with("{OBJCTS: 10, SIZE: 1KiB}"), `1:9 small.OBJCTS: unknown variable "OBJCTS" (did you mean OBJECTS?)`},
		{with("{colour: blue}"), `1:9 small.colour: unknown variable "colour" (want OBJECTS or SIZE)`},
		{with("{SIZE: [1KiB, 2KiB]}"), `1:9 small.SIZE: a list where a single value belongs`},
		{with("{OBJECTS: \"${SIZE}0\"}"), `1:18 small.OBJECTS: invalid value "${SIZE}0" (want a value without a variable)`},
		{with("{OBJECTS: }"), `1:9 small.OBJECTS: missing value`},
		{with("{OBJECTS: 1, OBJECTS: 2}"), `1:21 small.OBJECTS: the key is given twice`},
		{with("10"), `1:8 small: a value where a mapping belongs (want a mapping)`},
		{"small: {N: 1}\n" + phases(run("")), `1:9 small.N: the file has no variable (want one, as in ${N:-1MiB})`},
	})
}

func TestSmall(t *testing.T) {
	text := "warp: 1\nsmall: {OBJECTS: 10, SIZE: {uniform: [1KiB, 2KiB]}}\ndata: {p: {objects: \"${OBJECTS:-100}\", size: \"${SIZE}\"}}\n" +
		"phases: [{run: a, do: [{get: p}], until: \"${TIME:-1s}\"}]"
	f, err := script.Parse("x", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"OBJECTS": "10", "SIZE": "uniform(1KiB,2KiB)", "TIME": ""} {
		if got, ok := f.Small.Value(name); got != want || ok != (want != "") {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got, want := f.Variables(), []string{"OBJECTS", "SIZE", "TIME"}; !slices.Equal(got, want) {
		t.Errorf("variables %v, want %v", got, want)
	}
	if want := "\nsmall: {OBJECTS: 10, SIZE: \"uniform(1KiB,2KiB)\"}\n"; !strings.Contains(f.Format(), want) {
		t.Errorf("%s has no line %q", f.Format(), want)
	}
}
