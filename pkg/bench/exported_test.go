package bench_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"warp/pkg/bench/work"
)

// A workload needs only what bench exports, so that it could live in another package: its file uses nothing unexported of
// other files, and gives no methods to their types.
func TestWorkloadsNeedOnlyExportedNames(t *testing.T) {
	fset := token.NewFileSet()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	fileOf := func(pos token.Pos) string { // files of one workload, such as list.go and list_starts.go, are one
		file := fset.Position(pos).Filename
		if name, _, ok := strings.Cut(file, "_"); ok {
			if _, ok := work.Lookup(name); ok {
				return name + ".go"
			}
		}
		return file
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	conf := types.Config{Error: func(error) {}} // other packages stay unresolved: what they export is no matter here
	pkg, _ := conf.Check("warp/pkg/bench", fset, files, &info)
	exported, unexported := map[string]int{}, map[string][]string{}
	for id, obj := range info.Uses {
		switch from := fileOf(id.Pos()); {
		case obj.Pkg() != pkg || !obj.Pos().IsValid() || fileOf(obj.Pos()) == from:
		case obj.Exported():
			exported[from]++
		default:
			unexported[from] = append(unexported[from], id.Name)
		}
	}
	for id, obj := range info.Defs {
		fn, ok := obj.(*types.Func)
		if !ok || fn.Signature().Recv() == nil {
			continue
		}
		recv := fn.Signature().Recv().Type()
		if p, ok := recv.(*types.Pointer); ok {
			recv = p.Elem()
		}
		if n, ok := recv.(*types.Named); ok && fileOf(n.Obj().Pos()) != fileOf(id.Pos()) {
			unexported[fileOf(id.Pos())] = append(unexported[fileOf(id.Pos())], n.Obj().Name()+"."+id.Name)
		}
	}
	for _, i := range work.Registry() {
		file := i.Name + ".go"
		if i.Name == "elsewhere" {
			continue // it does live in another package
		}
		if exported[file] < 5 {
			t.Errorf("%s: only %d names of other files were found", file, exported[file])
		}
		if names := unexported[file]; len(names) > 0 {
			t.Errorf("%s needs what is not exported: %s", file, strings.Join(names, ", "))
		}
	}
	if len(unexported["run.go"]) == 0 {
		t.Error("not even run.go needs unexported names: the check finds none")
	}
}
