package testkit

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// phrases were replaced by the terms of docs/glossary.md.
	phrases = regexp.MustCompile(`(?i)\b(tells whether|(?:it|that|which|this|who) is none\b|whoever|the established (?:tool|format)|on the way home)`)
	// stilted matches phrases with a plainer equivalent. It skips "beside" in quotation marks, a key in JSON.
	stilted = regexp.MustCompile(`(?i)\b(?:(?:by|of|in) which|those of|so many)\b|[^"]\bbeside\b`)
)

// TestWords rejects phrases that docs/glossary.md has better terms for, and stilted ones in code and documents.
func TestWords(t *testing.T) {
	SkipSerial(t)
	read := 0
	err := eachText(filepath.Join("..", ".."), func(path, text string) {
		read++
		prose := filepath.Ext(path) == ".go" || filepath.Ext(path) == ".md"
		for i, line := range strings.Split(text, "\n") {
			if found := phrases.FindString(line); found != "" {
				t.Errorf("%s:%d: %q; see docs/glossary.md", path, i+1, found)
			}
			if found := stilted.FindString(line); found != "" && prose {
				t.Errorf("%s:%d: %q; a noun often does", path, i+1, found)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 300 {
		t.Errorf("only %d files were read", read)
	}
}

// eachText calls f with the code, documents and scripts below root, and their paths from there.
func eachText(root string, f func(path, text string)) error {
	return fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != ".":
			return fs.SkipDir
		case d.IsDir() || d.Name() == "words_test.go" || d.Name() == "glossary.md":
			return nil
		}
		switch filepath.Ext(path) {
		case ".go", ".md", ".txt", ".txtar", ".sh":
			text, err := os.ReadFile(filepath.Join(root, path))
			f(path, string(text))
			return err
		}
		return nil
	})
}
