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

// isFile reports whether an output goes to a file of its own: not to standard output, a directory or nowhere.
func isFile(path string) bool {
	return path != "" && path != files.Stdout && path != os.DevNull && !strings.HasSuffix(path, "/")
}

// AddToName returns the path of a file with a stem before its suffix; anything but a file stays as it is.
func AddToName(path, stem string) string {
	if !isFile(path) {
		return path
	}
	suffix := filepath.Ext(path)
	if strings.HasSuffix(path, runinfo.Suffix) {
		suffix = runinfo.Suffix
	}
	return strings.TrimSuffix(path, suffix) + "-" + stem + suffix
}
