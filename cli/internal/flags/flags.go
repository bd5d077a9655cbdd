// Package flags has the flags that commands share: groups of them, which check themselves and make what they stand for.
package flags

import (
	"flag"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/pkg/bench/work"
)

// Headings under which help shows flags.
const (
	CatTrace       = "Trace"
	CatScenario    = "Scenario"
	CatWorkload    = "Benchmark"
	CatTarget      = "Store"
	CatData        = "Objects"
	CatUploads     = "Uploads"
	CatSearch      = "Search"
	CatSweep       = "Sweep"
	CatLoad        = "Load"
	CatOutput      = "Output"
	CatReport      = "Report"
	catViews       = "Live views and metrics"
	catClients     = "Clients"
	catCredentials = "Credentials"
	catConnections = "Connections"
	catTLS         = "TLS"
	catEncryption  = "Encryption"
)

// Categories are the headings in the order of help: what few need is last.
var Categories = []string{
	CatTrace, CatScenario, CatSearch, CatSweep, CatWorkload, CatLoad, CatData, CatReport, CatOutput, CatTarget, catViews, catClients,
	CatUploads, catCredentials, catTLS, catEncryption, catConnections,
}

// TargetCategories are the headings of flags about hosts, requests and uploads.
var TargetCategories = []string{CatTarget, CatUploads, catCredentials, catTLS, catEncryption, catConnections}

// Categorize puts flags under a heading of the help.
func Categorize(category string, fs []cli.Flag) []cli.Flag {
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

// Repeated is the value of a flag that may be repeated; its values go to list.
func Repeated(list *[]string) cli.Value { return value{(*texts)(list)} }

// texts are the values of a flag that may be repeated. They may hold commas, unlike the values of cli.StringSliceFlag.
type texts []string

func (t *texts) String() string { return strings.Join(*t, " ") }

// Set adds a value, or several, each a line: a variable can be set only once.
func (t *texts) Set(text string) error {
	*t = append(*t, strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
	return nil
}

// WorkloadFlags binds a workload's parameters to flags of its command.
func WorkloadFlags(w work.Workload) []cli.Flag {
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
	return Categorize(CatWorkload, fs)
}

// Named returns the flag that has a name, or nil.
func Named(fs []cli.Flag, name string) cli.Flag {
	i := slices.IndexFunc(fs, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if i < 0 {
		return nil
	}
	return fs[i]
}

// Without returns flags but those whose name a parameter of the workload has. It means something else there, so no variable sets it.
func Without(fs, parameters []cli.Flag) []cli.Flag {
	return slices.DeleteFunc(fs, func(f cli.Flag) bool {
		i := slices.IndexFunc(parameters, func(p cli.Flag) bool { return p.Names()[0] == f.Names()[0] })
		if i < 0 {
			return false
		}
		parameters[i].(*cli.GenericFlag).Sources = process.CommandLineOnly()
		return true
	})
}
