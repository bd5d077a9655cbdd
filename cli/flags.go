package cli

import (
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
