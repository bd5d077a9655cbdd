package convert

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// FuzzConvert: whatever the file, it becomes a scenario that can be parsed, or an error; and it is recognized as one tool's at most.
func FuzzConvert(f *testing.F) {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil || strings.HasSuffix(name, ".warp.yaml") {
			continue
		}
		for i, s := range sources {
			if tool, _, _ := strings.Cut(filepath.Base(name), "-"); strings.HasPrefix(s.Name, strings.TrimSuffix(tool, filepath.Ext(tool))) || tool == "osb" {
				f.Add(uint8(i), string(text))
			}
		}
	}
	f.Fuzz(func(t *testing.T, source uint8, text string) {
		Detect(text)
		s := sources[int(source)%len(sources)]
		job, err := s.Convert("file", text, draft.Given{})
		if err != nil {
			return
		}
		if _, err := script.Parse("file", []byte(job.File.Format())); err != nil {
			t.Errorf("%s: %q: %v\n%s", s.Name, text, err, job.File.Format())
		}
	})
}
