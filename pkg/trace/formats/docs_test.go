package formats

import (
	"os"
	"strings"
	"testing"
)

// TestDocumentedFormats: docs/guide/traces.md has a row for each format, in the words of help.
func TestDocumentedFormats(t *testing.T) {
	page, err := os.ReadFile("../../../docs/guide/traces.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| format | source |")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(strings.ReplaceAll(table, "`", ""), "\n")[2:]
	if len(rows) != len(All()) {
		t.Errorf("the page has %d formats, the table %d", len(rows), len(All()))
	}
	for i, f := range All() {
		if want := "| " + f.Name + " | " + f.About + " | "; i < len(rows) && !strings.HasPrefix(rows[i], want) {
			t.Errorf("row %d of its formats is %q, want %q", i+1, rows[i], want)
		}
	}
}
