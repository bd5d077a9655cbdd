package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// manualRow is a statement of another tool's manual, and whether it holds here.
type manualRow struct{ statement, answer string }

// worksMark begins a comment in a test that runs a statement: the tool, and the statement.
const worksMark = "works: "

// TestManualsOfOtherTools: in the tables of docs/reference/other-tools each row "works" has a test or session with its mark, and each mark has a row.
func TestManualsOfOtherTools(t *testing.T) {
	t.Parallel()
	tables := manualTables(t)
	marks := map[string][]string{} // places
	for _, dir := range []string{".", "../pkg", "../test"} {
		collectMarks(t, dir, marks)
	}
	for tool, rows := range tables {
		for _, r := range rows {
			mark := tool + ": " + r.statement
			works := strings.HasPrefix(r.answer, "works")
			switch {
			case !works && !strings.HasPrefix(r.answer, "differs: "):
				t.Errorf("%s: the answer %q begins neither with works nor with differs:", mark, r.answer)
			case works && marks[mark] == nil:
				t.Errorf("no test has the comment %q", worksMark+mark)
			}
			delete(marks, mark)
		}
	}
	for mark, places := range marks {
		t.Errorf("%s: %q is no row of docs/reference/other-tools", strings.Join(places, ", "), mark)
	}
}

// manualTables returns the rows of the sections "Statements", by tool: the title of the page.
func manualTables(t *testing.T) map[string][]manualRow {
	t.Helper()
	pages, err := filepath.Glob("../docs/reference/other-tools/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("pages %q, %v", pages, err)
	}
	row := regexp.MustCompile(`(?m)^\| (.+?) \| (.+?) \|$`)
	tables := map[string][]manualRow{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		_, section, ok := strings.Cut(string(text), "\n## Statements\n")
		if !ok {
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		title, _, _ := strings.Cut(string(text), "\n")
		tool := strings.TrimPrefix(title, "# ")
		for _, m := range row.FindAllStringSubmatch(section, -1) {
			if m[1] != "statement" {
				tables[tool] = append(tables[tool], manualRow{m[1], m[2]})
			}
		}
		if len(tables[tool]) == 0 {
			t.Errorf("%s: no table of statements", page)
		}
	}
	return tables
}

// collectMarks collects the marks of the tests and sessions below a directory, with their places.
func collectMarks(t *testing.T, dir string, marks map[string][]string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case strings.HasSuffix(path, "_test.go"):
			return goMarks(path, marks)
		case strings.HasSuffix(path, ".txtar"):
			return sessionMarks(path, marks)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// goMarks collects the marks in tests; elsewhere in a file they count for nothing.
func goMarks(path string, marks map[string][]string) error {
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), "// "+worksMark) {
		return err
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, d := range f.Decls {
		test, ok := d.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(test.Name.Name, "Test") {
			continue
		}
		begin := test.Pos()
		if test.Doc != nil {
			begin = test.Doc.Pos()
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				if mark, ok := strings.CutPrefix(c.Text, "// "+worksMark); ok && begin <= c.Pos() && c.Pos() < test.End() {
					marks[mark] = append(marks[mark], path)
				}
			}
		}
	}
	return nil
}

// sessionMarks collects the marks of a session; a program must be run below them.
func sessionMarks(path string, marks map[string][]string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	session, _, _ := strings.Cut(string(text), "\n-- ")
	var open []string
	for line := range strings.Lines(session) {
		mark, ok := strings.CutPrefix(strings.TrimSpace(line), "# "+worksMark)
		switch {
		case ok:
			open = append(open, mark)
		case strings.HasPrefix(line, "run ") || strings.HasPrefix(line, "start "):
			for _, mark := range open {
				marks[mark] = append(marks[mark], path)
			}
			open = nil
		}
	}
	return nil
}
