package testkit

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestMessagesAreInOrder: no text is made while a map is ranged over, since two runs would print it in different orders.
func TestMessagesAreInOrder(t *testing.T) {
	SkipSerial(t)
	for _, p := range modulePackages(t) {
		for _, fault := range mapOrderFaults(t, p) {
			t.Error(fault)
		}
	}
}

func TestMapOrderFaults(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output() // a test built with -trimpath does not know it
	if err != nil {
		t.Fatal(err)
	}
	build.Default.GOROOT = strings.TrimSpace(string(root))
	const head = "package p\nimport (\"errors\"; \"fmt\"; \"maps\"; \"slices\")\nvar _, _, _, _ = errors.New, fmt.Sprint, maps.Keys[map[int]int], slices.Sorted[int]\nvar names map[string]int\nfunc take(x any) {}\nfunc f() (text string, err error) {\n"
	library := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for _, c := range []struct {
		body string
		want int
	}{
		{`for name := range names { err = errors.Join(err, fmt.Errorf("%s", name)) }`, 1},
		{`for name := range map[string]bool{"a": true, "b": false} { text += fmt.Sprint(name) }`, 1},
		{`for name := range maps.Keys(names) { err = errors.New(name) }`, 1},
		{`take(maps.Keys(names))`, 1},
		{`for _, name := range slices.Sorted(maps.Keys(names)) { err = errors.New(name) }`, 0},
		{`n := 0; for _, v := range names { n += v }; text = fmt.Sprint(n)`, 0},
		{`for _, name := range []string{"a"} { text += fmt.Sprint(name) }`, 0},
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "p.go", head+c.body+"\nreturn text, err\n}\n", parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		p := &checkedPackage{path: "p", fset: fset, files: []*ast.File{f}, from: library}
		if got := mapOrderFaults(t, p); len(got) != c.want {
			t.Errorf("%s: %q, want %d faults", c.body, got, c.want)
		}
	}
}

// mapOrderFaults returns the places in a package where texts are made in the order of a map.
func mapOrderFaults(t *testing.T, p *checkedPackage) (faults []string) {
	t.Helper()
	_, info := p.check(t)
	unordered := func(x ast.Expr) bool {
		if call, ok := x.(*ast.CallExpr); ok {
			pkg, name := calleeOf(info, call)
			return pkg == "maps" && slices.Contains([]string{"Keys", "Values", "All"}, name)
		}
		kind := info.TypeOf(x)
		if kind == nil {
			return false
		}
		_, isMap := kind.Underlying().(*types.Map)
		return isMap
	}
	for _, f := range p.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.RangeStmt:
				if !unordered(n.X) {
					break
				}
				ast.Inspect(n.Body, func(n ast.Node) bool {
					if call, ok := n.(*ast.CallExpr); ok && makesText(calleeOf(info, call)) {
						faults = append(faults, fmt.Sprintf("%v: a text is made in the order of a map", p.fset.Position(call.Pos())))
					}
					return true
				})
			case *ast.CallExpr:
				if pkg, _ := calleeOf(info, n); pkg == "slices" || pkg == "maps" {
					break
				}
				for _, arg := range n.Args {
					if call, ok := arg.(*ast.CallExpr); ok && unordered(call) {
						faults = append(faults, fmt.Sprintf("%v: keys are passed in the order of a map", p.fset.Position(call.Pos())))
					}
				}
			}
			return true
		})
	}
	return faults
}

// makesText reports whether a function makes a text that may be shown.
func makesText(pkg, name string) bool {
	switch {
	case pkg == "fmt", pkg == "errors" && name == "New", strings.HasSuffix(pkg, "internal/option"):
		return true
	}
	return slices.Contains([]string{"addf", "warn", "warnf", "notice", "Notice"}, name)
}

// calleeOf returns the package and the name of the function that is called; no package for what is none.
func calleeOf(info *types.Info, call *ast.CallExpr) (pkg, name string) {
	fun := call.Fun
	if i, ok := fun.(*ast.IndexExpr); ok {
		fun = i.X
	}
	var id *ast.Ident
	switch f := fun.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return "", ""
	}
	f, ok := info.Uses[id].(*types.Func)
	if !ok || f.Pkg() == nil {
		return "", id.Name
	}
	return f.Pkg().Path(), f.Name()
}
