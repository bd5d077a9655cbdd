package flags

import (
	"github.com/urfave/cli/v3"

	"warp/pkg/s3/connect"
)

// Output say what is printed and kept.
type Output struct {
	Benchdata, MaxErrors string
	JSONFile             string // of a scenario: the report as JSON, in addition to the printed one
	Quiet, JSON, NoColor bool
	ServerProfile        string
	Overwrite            bool
	Stress, StopOnFull   bool
	UI                   string // empty: what suits the terminal and the run
}

// Flags are all flags about what a run writes and prints.
func (o *Output) Flags() []cli.Flag {
	return Categorize(CatOutput, append([]cli.Flag{
		o.BenchdataFlag(), o.OverwriteFlag(),
		&cli.BoolFlag{Name: "stress", Destination: &o.Stress, Usage: "make no recording; report live statistics"},
		&cli.StringFlag{
			Name:        "max-errors",
			Destination: &o.MaxErrors,
			Value:       "0",
			Usage:       "`LIMIT` exit with 3 if more operations fail: 10, 0.1%, or 5%/30s to end the run",
			DefaultText: "0",
		},
		&cli.BoolFlag{Name: "stop-on-full", Destination: &o.StopOnFull, Usage: "end the run when the store is full"},
		&Choice{Values: Offered(connect.ProfileKinds...), Several: true, StringFlag: cli.StringFlag{
			Name:        "serverprof",
			Destination: &o.ServerProfile,
			Usage:       "`KINDS` profiles to take of the MinIO server, as in cpu,mem",
		}},
		&Choice{Values: Offered(forms...), StringFlag: cli.StringFlag{
			Name:        "ui",
			Destination: &o.UI,
			Usage:       "`FORM` progress: full (the whole screen), line or plain",
			DefaultText: "what the terminal can show",
		}},
	}, o.Common()...))
}

// BenchdataFlag names the recording.
func (o *Output) BenchdataFlag() cli.Flag {
	return &cli.StringFlag{
		Name:        "benchdata",
		Category:    CatOutput,
		Destination: &o.Benchdata,
		Usage:       "`FILE` name of the recording, without .csv.zst; DIR/: a directory for it",
		DefaultText: "warp-COMMAND-TIME-ID",
	}
}

// Common are the flags that every command has which prints a report.
func (o *Output) Common() []cli.Flag {
	return Categorize(CatOutput, []cli.Flag{
		&cli.BoolFlag{
			Name:        "quiet",
			Aliases:     []string{"q"},
			Destination: &o.Quiet,
			Usage:       "print no progress, and only notices about problems",
		},
		&cli.BoolFlag{Name: "json", Destination: &o.JSON, Usage: "print the report as JSON"},
		&cli.BoolFlag{Name: "no-color", Destination: &o.NoColor, Usage: "print without colours"},
	})
}

// CheckProfile rejects kinds of profiles that no server has.
func (o *Output) CheckProfile() error {
	if o.ServerProfile == "" {
		return nil
	}
	return connect.CheckProfiles(o.ServerProfile)
}

// OverwriteFlag allows files that are there to be replaced; see files.CheckNew.
func (o *Output) OverwriteFlag() cli.Flag {
	return &cli.BoolFlag{
		Name:        "overwrite",
		Category:    CatOutput,
		Destination: &o.Overwrite,
		Usage:       "replace existing files",
	}
}

// HTMLFlag names the file of a page.
func HTMLFlag(path *string) cli.Flag {
	return &cli.StringFlag{
		Name:        "html",
		Destination: path,
		Usage:       "`FILE` write the report as an HTML file with charts",
	}
}
