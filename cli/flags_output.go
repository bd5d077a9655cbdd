package cli

import (
	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/pkg/s3/connect"
)

// outputFlags say what is printed and kept.
type outputFlags struct {
	benchdata, maxErrors string
	jsonFile             string // of a scenario: the report as JSON, beside the one that is printed
	quiet, json, noColor bool
	serverProfile        string
	overwrite            bool
	stress, stopOnFull   bool
	ui                   string // empty: what suits the terminal and the run
}

func (o *outputFlags) flags() []cli.Flag {
	return categorize(catOutput, append([]cli.Flag{
		o.benchdataFlag(), o.overwriteFlag(),
		&cli.BoolFlag{Name: "stress", Destination: &o.stress, Usage: "make no recording; the report is of live statistics"},
		&cli.StringFlag{Name: "max-errors", Destination: &o.maxErrors, Value: "0", Usage: "`LIMIT` exit with status 3 if more operations fail: a number, a percentage as in 0.1%, or 5%/30s, which ends the run when more than 5% of the operations of 30s fail", DefaultText: "0"},
		&cli.BoolFlag{Name: "stop-on-full", Destination: &o.stopOnFull, Usage: "end the run when the store responds that it is full"},
		&cli.StringFlag{Name: "serverprof", Destination: &o.serverProfile, Usage: "`PROFILE` have a MinIO server profile itself, and save the result beside the recording: cpu, mem, block, mutex or trace"},
		&cli.StringFlag{Name: "ui", Destination: &o.ui, Usage: "`FORM` how progress is shown: full (the whole screen, with charts and keys; by itself for runs of more than a minute), line, or plain", DefaultText: "what the terminal can show"},
	}, o.common()...))
}

func (o *outputFlags) benchdataFlag() cli.Flag {
	return &cli.StringFlag{Name: "benchdata", Category: catOutput, Destination: &o.benchdata, Usage: "`FILE` record operations in this file; .csv.zst is appended. DIR/ stands for the default name there", DefaultText: "warp-COMMAND-TIME-ID"}
}

// common are the flags that every command has which prints a report.
func (o *outputFlags) common() []cli.Flag {
	return categorize(catOutput, []cli.Flag{
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Destination: &o.quiet, Usage: "print no progress, and no notices except about problems"},
		&cli.BoolFlag{Name: "json", Destination: &o.json, Usage: "print the report as JSON, alone on standard output"},
		&cli.BoolFlag{Name: "no-color", Destination: &o.noColor, Usage: "print without colours"},
	})
}

func (o *outputFlags) checkProfile() error {
	if o.serverProfile == "" {
		return nil
	}
	return option.OneOf("serverprof", o.serverProfile, connect.ProfileKinds...)
}

// overwriteFlag allows files that are there to be replaced; see checkNew.
func (o *outputFlags) overwriteFlag() cli.Flag {
	return &cli.BoolFlag{Name: "overwrite", Category: catOutput, Destination: &o.overwrite, Usage: "replace existing recordings and other output files"}
}

// htmlFlag names the file of a page.
func htmlFlag(path *string) cli.Flag {
	return &cli.StringFlag{Name: "html", Destination: path, Usage: "`FILE` write the report as one HTML file with charts, which needs no network"}
}
