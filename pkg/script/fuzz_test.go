package script_test

import (
	"errors"
	"testing"

	"warp/pkg/script"
)

// FuzzParse: whatever the file, there are complaints with places, or it is written as it was read.
func FuzzParse(f *testing.F) {
	for _, text := range []string{sample, script.Start, "warp: 1", "warp: 1\nphases: [{run: a, do: get}]", "a: &x [*x]", "[[[[", "- - -", "warp: 1\ndata: {a: {size: {hist: {1: 2}}}}", "? a\n: b", "warp: !!int 1", "warp: 1\n---\nwarp: 1", "warp: |\n  1\n  2", "\xff", "warp: 1 # c\n# d", "warp: 1\nphases: [{run: a, do: []}]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := script.Parse("x", []byte(text))
		if err != nil {
			var all *script.Error
			if !errors.As(err, &all) || len(all.Complaints) == 0 || all.Error() == "" {
				t.Fatalf("%q: error %v", text, err)
			}
			return
		}
		once := file.Format()
		again, err := script.Parse("x", []byte(once))
		if err != nil {
			t.Fatalf("%q is written as\n%s\n%v", text, once, err)
		}
		if twice := again.Format(); twice != once {
			t.Fatalf("%q is written as\n%s\nand then as\n%s", text, once, twice)
		}
	})
}
