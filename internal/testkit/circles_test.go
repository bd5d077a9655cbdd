package testkit

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Files of a package form a circle if each needs each other, directly or over others: to change one is to know them all. A file needs
// another one whose functions, methods, types, constants or variables it uses.
const (
	maxCircle      = 10
	maxBenchCircle = 6 // in pkg/bench and below
)

func TestCircles(t *testing.T) {
	SkipSerial(t)
	for _, p := range modulePackages(t) {
		limit := maxCircle
		if p.path == "warp/pkg/bench" || strings.HasPrefix(p.path, "warp/pkg/bench/") {
			limit = maxBenchCircle
		}
		for _, circle := range circles(needs(t, p)) {
			if len(circle) > limit {
				t.Errorf("%s: %d files need each other (want at most %d): %s", p.path, len(circle), limit, strings.Join(circle, " "))
			}
		}
	}
}

func TestCirclesOfFiles(t *testing.T) {
	p := &checkedPackage{path: "p", fset: token.NewFileSet(), from: importer.ForCompiler(token.NewFileSet(), "source", nil)}
	for name, text := range map[string]string{
		"a.go": "package p\ntype A struct{ field int }\nfunc (*A) Use() { f() }\n",
		"b.go": "package p\nfunc f() { g(C) }\n",
		"c.go": "package p\nconst C = 1\nfunc g(int) { (*A).Use(nil) }\n",
		"d.go": "package p\nvar d A\n",                     // needs a.go, and is not needed
		"e.go": "package p\nfunc e(a A) { _ = a.field }\n", // likewise
	} {
		f, err := parser.ParseFile(p.fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		p.files = append(p.files, f)
	}
	got := circles(needs(t, p))
	if len(got) != 3 || !slices.Equal(got[0], []string{"a.go", "b.go", "c.go"}) || len(got[1]) != 1 {
		t.Errorf("circles %q", got)
	}
}

// needs returns the files that each file of a package needs.
func needs(t *testing.T, p *checkedPackage) map[string]map[string]bool {
	t.Helper()
	pkg, info := p.check(t)
	file := func(pos token.Pos) string { return filepath.Base(p.fset.Position(pos).Filename) }
	all := map[string]map[string]bool{}
	for _, f := range p.files {
		name := file(f.Pos())
		all[name] = map[string]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			if o := info.Uses[id]; o != nil && o.Pkg() == pkg && counts(o) && file(o.Pos()) != name {
				all[name][file(o.Pos())] = true
			}
			return true
		})
	}
	return all
}

// counts reports whether the use of an object makes a file need another one.
func counts(o types.Object) bool {
	switch o.(type) {
	case *types.Func:
		return true
	case *types.Var, *types.Const, *types.TypeName:
		return o.Parent() == o.Pkg().Scope() // neither a field nor a local name
	}
	return false
}

// circles returns the strongly connected components of a graph, the largest first (Tarjan 1972).
func circles(graph map[string]map[string]bool) (found [][]string) {
	index, low, stacked := map[string]int{}, map[string]int{}, map[string]bool{}
	var stack []string
	var visit func(v string)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack, stacked[v] = append(stack, v), true
		for _, w := range slices.Sorted(maps.Keys(graph[v])) {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if stacked[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] != index[v] {
			return
		}
		k := slices.Index(stack, v)
		circle := slices.Sorted(slices.Values(stack[k:]))
		for _, w := range circle {
			stacked[w] = false
		}
		stack = stack[:k]
		found = append(found, circle)
	}
	for _, v := range slices.Sorted(maps.Keys(graph)) {
		if index[v] == 0 {
			visit(v)
		}
	}
	slices.SortStableFunc(found, func(a, b []string) int { return len(b) - len(a) })
	return found
}
