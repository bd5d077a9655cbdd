package testkit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// platform is the part of a file's name that stands for the systems it is built for.
var platform = regexp.MustCompile(`_(linux|darwin|bsd|unix|windows|other)$`)

// TestMethodsLieTogether holds the methods of each type in at most two files; a type that needs more is several concepts.
func TestMethodsLieTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all files")
	}
	files := map[string][]string{} // by package and type
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, name := filepath.Split(path)
		name = platform.ReplaceAllString(strings.TrimSuffix(name, ".go"), "")
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil {
				key := strings.TrimPrefix(dir, root) + receiver(fn.Recv.List[0].Type)
				if !slices.Contains(files[key], name) {
					files[key] = append(files[key], name)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 100 {
		t.Errorf("only %d types with methods were found", len(files))
	}
	for key, in := range files {
		if len(in) > 2 {
			t.Errorf("%s: methods in %d files: %s", key, len(in), strings.Join(in, ", "))
		}
	}
}

// receiver returns the name of the type of a method.
func receiver(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return "?"
}
