package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

// Headings under which help shows flags.
const (
	catWorkload = "Benchmark"
	catTarget   = "Target"
	catData     = "Objects"
	catLoad     = "Load"
	catOutput   = "Output"
	catReport   = "Report"
	catClients  = "Clients"
)

// categories are the headings in the order of help.
var categories = []string{catWorkload, catTarget, catData, catLoad, catOutput, catReport, catClients}

// categorize puts flags under a heading of the help.
func categorize(category string, fs []cli.Flag) []cli.Flag {
	for _, f := range fs {
		f.(interface{ SetCategory(string) }).SetCategory(category)
	}
	return fs
}

// oneOf complains of a value that is not among those that a flag allows.
func oneOf[T ~string](flag string, value T, allowed ...T) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = string(a)
	}
	last := len(names) - 1
	return fmt.Errorf("%s: %q is not known; use %s or %s", flag, value, strings.Join(names[:last], ", "), names[last])
}
