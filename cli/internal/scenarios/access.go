package scenarios

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/cli/internal/files"
	"warp/cli/internal/process"
	"warp/cli/internal/runs"
	"warp/internal/secret"
	"warp/pkg/bench"
	"warp/pkg/script"
)

// Access is what a scenario uses of this machine: variables that are set for it, and files at or below its directory. More needs
// --allow. It notes what is used.
type Access struct {
	dir     string // of the scenario
	allowed *Allowance
	set     map[string]string // variables
	env     *process.Env
	traces  runs.OpenTraces // that were opened for scenarios so far
	dry     bool            // nothing is sent
	at      string          // what dir is
	small   *script.Small   // values of unset variables; nil: the defaults

	variables     map[string]string // by name: where the value is from
	ignored       []string          // variables of the environment that are set and not allowed
	hosts         []string
	reads, writes []string
}

// NewAccess returns the access of a scenario with a file name.
func NewAccess(name string, allowed *Allowance, set map[string]string, e *process.Env, traces runs.OpenTraces) *Access {
	return &Access{
		dir:       filepath.Dir(name),
		at:        "the scenario's directory",
		allowed:   allowed,
		set:       set,
		env:       e,
		traces:    traces,
		variables: map[string]string{},
	}
}

// UseSmall gives variables the values of a small trial, unless they are set.
func (a *Access) UseSmall(s *script.Small) { a.small = s }

// foreign is about the file of another tool, which takes names to be relative to where it is started.
func (a *Access) foreign() { a.dir, a.at = ".", "the current directory" }

// given returns the value of a variable that is set for the scenario.
func (a *Access) given(name string) (value string, ok bool, err error) {
	value, ok = a.set[name]
	if ok {
		a.variables[name] = "--set"
	}
	return value, ok, nil
}

// variable returns the value of a variable.
func (a *Access) variable(name string) (value string, ok bool, err error) {
	if secret.Variable(name) {
		return "", false, fmt.Errorf("the variable %s is secret, and never a value of a scenario", name)
	}
	if value, ok, _ := a.given(name); ok {
		return value, true, nil
	}
	value = a.env.ReadVariable(name)
	switch {
	case value != "" && slices.Contains(a.allowed.variables, name):
		a.variables[name] = "environment"
		return value, true, nil
	case value != "" && !slices.Contains(a.ignored, name):
		a.ignored = append(a.ignored, name)
	}
	if a.small != nil {
		if value, ok := a.small.Value(name); ok {
			a.variables[name] = "small"
			return value, true, nil
		}
	}
	a.variables[name] = "default"
	return "", false, nil
}

// read returns the path of a file that the scenario reads, or of a directory.
func (a *Access) read(name string) (string, error) {
	path, err := a.path(name)
	if err != nil {
		return "", err
	}
	a.reads = addName(a.reads, name)
	if info, err := os.Stat(path); !a.allowed.files && err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return "", fmt.Errorf("%s: a scenario reads regular files only (add --allow=files if that is what you want)", name)
	}
	return path, nil
}

// write returns the path of a file that the scenario writes.
func (a *Access) write(name string) (string, error) {
	if name == files.Stdout {
		return name, nil
	}
	path, err := a.path(name)
	if err == nil {
		a.writes = addName(a.writes, name)
	}
	return path, err
}

func addName(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// path returns the path of a file that the scenario names.
func (a *Access) path(name string) (string, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.dir, path)
	}
	if a.allowed.files {
		return path, nil
	}
	root, err := filepath.Abs(a.dir)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return "", err
	}
	real, err := realPath(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, files.WithoutPath(err))
	}
	below, err := filepath.Rel(root, real)
	switch {
	case err != nil || !filepath.IsLocal(below):
		return "", fmt.Errorf("%s is outside of %s (add --allow=files if that is what you want)", name, a.at)
	case hidden(below):
		return "", fmt.Errorf("%s is hidden: its path has a name that begins with a dot (add --allow=files if that is what you want)", name)
	}
	return path, nil
}

// realPath returns the absolute path of a file without symbolic links. The file may be missing, as may its directories, but a link that
// leads nowhere is an error, since a write through it makes its target.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if _, there := os.Lstat(path); there == nil {
		return "", err
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path, nil
	}
	real, err = realPath(dir)
	return filepath.Join(real, filepath.Base(path)), err
}

// hidden reports whether a part of a relative path begins with a dot.
func hidden(path string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if part != "." && strings.HasPrefix(part, ".") {
			return true
		}
	}
	return false
}

// lines says what the scenario uses, for --check and --explain.
func (a *Access) lines(plan *bench.Plan) string {
	var b strings.Builder
	var variables []string
	for name, from := range a.variables {
		variables = append(variables, name+" ("+from+")")
	}
	slices.Sort(variables)
	for _, l := range []struct {
		title string
		list  []string
	}{{"hosts", a.hosts}, {"variables", variables}, {"reads", a.reads}, {"writes", a.writes}, {"runs", runs.Programs(plan)}} {
		if len(l.list) > 0 {
			fmt.Fprintf(&b, "  %s: %s\n", l.title, strings.Join(l.list, ", "))
		}
	}
	if plan.Target.Insecure {
		b.WriteString("  insecure: certificates of hosts are not checked\n")
	}
	if plan.Force {
		fmt.Fprintf(&b, "  force: objects in bucket %s that the run did not make may be overwritten and deleted\n", plan.Target.Bucket)
	}
	return b.String()
}

// filesIn returns the files that the value of a flag names.
func filesIn(flag, value string) (list []string) {
	if name, ok := strings.CutPrefix(value, "file("); ok {
		if flag == "rate" || flag == "concurrent" {
			name, _, _ = strings.Cut(name, ",") // the scale
		}
		return []string{strings.TrimSuffix(name, ")")}
	}
	switch {
	case flag == "trace" || strings.HasSuffix(flag, "-file"):
		return []string{value}
	case flag == "host":
		for item := range strings.SplitSeq(value, ",") {
			if name, ok := strings.CutPrefix(strings.TrimSpace(item), "file:"); ok {
				list = append(list, name)
			}
		}
	}
	return list
}
