package distributed

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityPage has each line of docs/explain/security.md name tests, which exist somewhere in the repository.
func TestSecurityPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/explain/security.md")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	err = filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			have[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") || strings.TrimSpace(cells[len(cells)-1]) == "tests" {
			continue
		}
		lines++
		names := regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(names) == 0 {
			t.Errorf("no test is named: %s", line)
		}
		for _, m := range names {
			if !have[m[1]] {
				t.Errorf("%s does not exist: %s", m[1], line)
			}
		}
	}
	if lines < 20 {
		t.Errorf("the page has %d lines of attacks", lines)
	}
}
