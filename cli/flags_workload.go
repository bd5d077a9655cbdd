package cli

import (
	"flag"

	"github.com/urfave/cli/v3"

	"warp/pkg/bench"
)

// value gives a flag of the standard library to the command line's parser.
type value struct{ flag.Value }

// Get is the text of the value.
func (v value) Get() any { return v.String() }

// IsBoolFlag tells that the flag needs no argument.
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
