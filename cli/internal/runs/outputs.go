package runs

import (
	"os"
	"path/filepath"
	"strings"

	"warp/cli/internal/files"
	"warp/pkg/runinfo"
)

// Outputs returns the names of the files that a run writes; empty: none.
func (b *Benchmark) Outputs() []*string {
	return []*string{
		&b.Out.Benchdata, &b.Out.JSONFile, &b.Analyze.Out, &b.Analyze.HTML, &b.Analyze.Summary.JUnit, &b.Analyze.Summary.Markdown,
	}
}

// isFile reports whether the name of an output is that of a file of its own.
func isFile(path string) bool {
	return path != "" && path != files.Stdout && path != os.DevNull && !strings.HasSuffix(path, "/")
}

// WithStem returns the path of a file with a stem before its suffix; what is no file stays as it is.
func WithStem(path, stem string) string {
	if !isFile(path) {
		return path
	}
	suffix := filepath.Ext(path)
	if strings.HasSuffix(path, runinfo.Suffix) {
		suffix = runinfo.Suffix
	}
	return strings.TrimSuffix(path, suffix) + "-" + stem + suffix
}
