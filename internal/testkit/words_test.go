package testkit

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// phrases are those that were replaced by the terms of docs/glossary.md.
var phrases = regexp.MustCompile(`(?i)\b(tells whether|(?:it|that|which|this|who) is none\b|whoever|the established (?:tool|format)|on the way home)`)

// TestWords keeps phrases out of code and documents that docs/glossary.md has better terms for.
func TestWords(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all files")
	}
	root := filepath.Join("..", "..")
	read := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
				return filepath.SkipDir
			}
			return err
		}
		switch filepath.Ext(path) {
		case ".go", ".md", ".txt", ".txtar", ".sh":
		default:
			return nil
		}
		if d.Name() == "words_test.go" || d.Name() == "glossary.md" {
			return nil
		}
		text, err := os.ReadFile(path)
		read++
		for i, line := range strings.Split(string(text), "\n") {
			if found := phrases.FindString(line); found != "" {
				t.Errorf("%s:%d: %q; see docs/glossary.md", strings.TrimPrefix(path, root+string(filepath.Separator)), i+1, found)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 300 {
		t.Errorf("only %d files were read", read)
	}
}
