package cli

import (
	"flag"

	"warp/pkg/bench"

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

// value gives a flag of the standard library to the command line's parser.
type value struct{ flag.Value }

// Get is the value, or its text if the flag does not give it.
func (v value) Get() any {
	if g, ok := v.Value.(flag.Getter); ok {
		return g.Get()
	}
	return v.String()
}

// IsBoolFlag reports whether the flag needs no argument.
func (v value) IsBoolFlag() bool {
	b, ok := v.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// workloadFlags binds a workload's parameters to flags of its command.
func workloadFlags(w bench.Workload) []cli.Flag {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	w.Flags(set)
	var fs []cli.Flag
	set.VisitAll(func(f *flag.Flag) {
		d := f.DefValue
		if d == "false" {
			d = ""
		}
		fs = append(fs, &cli.GenericFlag{Name: f.Name, Usage: f.Usage, Value: value{f.Value}, DefaultText: d})
	})
	return categorize(catWorkload, fs)
}
