package testkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// checkedPackage is a package of this module, without its tests.
type checkedPackage struct {
	path    string
	fset    *token.FileSet
	files   []*ast.File
	from    types.Importer
	checked *types.Package // with info; nil: not yet
	info    *types.Info
}

// check returns the types of the package.
func (p *checkedPackage) check(t *testing.T) (*types.Package, *types.Info) {
	t.Helper()
	if p.checked == nil {
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
		pkg, err := (&types.Config{Importer: p.from}).Check(p.path, p.fset, p.files, info)
		if err != nil {
			t.Fatal(err)
		}
		p.checked, p.info = pkg, info
	}
	return p.checked, p.info
}

// modulePackages returns all packages of this module, as the compiler takes them on this system: the same ones each time.
func modulePackages(t *testing.T) []*checkedPackage {
	t.Helper()
	if loaded != nil {
		return loaded
	}
	list, err := loadPackages()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) || errors.Is(err, exec.ErrNotFound) {
		t.Skipf("go list: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	loaded = list
	return list
}

var loaded []*checkedPackage // what modulePackages has returned; tests run one after another

func loadPackages() (list []*checkedPackage, err error) {
	goList := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,GoFiles,Dir,Module", "./...")
	goList.Dir = filepath.Join("..", "..")
	out, err := goList.Output()
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	fset := token.NewFileSet()
	from := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	files := 0
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var unit struct {
			ImportPath, Export, Dir string
			GoFiles                 []string
			Module                  *struct{ Main bool }
		}
		if err := dec.Decode(&unit); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		exports[unit.ImportPath] = unit.Export
		if unit.Module == nil || !unit.Module.Main {
			continue
		}
		p := &checkedPackage{path: unit.ImportPath, fset: fset, from: from}
		for _, name := range unit.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(unit.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			p.files = append(p.files, f)
		}
		list, files = append(list, p), files+len(p.files)
	}
	if files < 500 {
		return nil, fmt.Errorf("only %d files are checked", files)
	}
	return list, nil
}
