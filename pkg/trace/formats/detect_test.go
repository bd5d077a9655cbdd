package formats

import "testing"

// FuzzDetect finds a format in anything.
func FuzzDetect(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s.text))
	}
	f.Fuzz(func(_ *testing.T, head []byte) { detected(head) })
}
