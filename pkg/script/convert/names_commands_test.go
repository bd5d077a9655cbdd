package convert

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/naming"
	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// TestNamesOfCommands: buckets and keys are the real tools', byte for byte.
func TestNamesOfCommands(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	files, err := filepath.Glob("testdata/names/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Lookup(strings.TrimSuffix(filepath.Base(path), ".txt"))
		if err != nil {
			t.Fatal(err)
		}
		var file *script.File
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSuffix(line, "\n")
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				job, err := s.Convert("f", command, draft.Given{})
				if err != nil {
					t.Fatalf("%s: %v", command, err)
				}
				file = job.File
				keys, err := naming.Hostname(file.Data[0].Keys.Text)
				if err != nil {
					t.Fatal(err)
				}
				file.Data[0].Keys = script.Text(keys)
			}
			var i uint64
			var bucket, key string
			if n, _ := fmt.Sscan(line, &i, &bucket, &key); n != 3 {
				continue
			}
			want := bucket + "/" + strings.ReplaceAll(key, "HOST", host)
			if got := objectOf(t, file, file.Data[0].Name, 0, i); got != want {
				t.Errorf("%s: object %d is %s, want %s", path, i, got, want)
			}
		}
	}
}
