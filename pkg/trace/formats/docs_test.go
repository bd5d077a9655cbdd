package formats

import (
	"os"
	"strings"
	"testing"
)

// TestDocumentedFormats: the manual has a row for each format, in the words of help.
func TestDocumentedFormats(t *testing.T) {
	manual, err := os.ReadFile("../../../docs/manual.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(manual), "| format | source |")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(strings.ReplaceAll(table, "`", ""), "\n")[2:]
	if len(rows) != len(All()) {
		t.Errorf("the manual has %d formats, the table %d", len(rows), len(All()))
	}
	for i, f := range All() {
		if want := "| " + f.Name + " | " + f.About + " | "; i < len(rows) && !strings.HasPrefix(rows[i], want) {
			t.Errorf("row %d of the manual's formats is %q, want %q", i+1, rows[i], want)
		}
	}
}
