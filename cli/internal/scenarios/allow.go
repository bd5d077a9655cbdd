package scenarios

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/internal/option"
	"warp/internal/secret"
)

// What --allow takes; a variable has its name behind allowVariable.
const (
	allowPrograms = "exec"
	allowFiles    = "files"
	allowVariable = "env:"
)

const wantAllowed = "exec, files or env:NAME"

// Allowance is what the user lets scenarios use of this machine.
type Allowance struct {
	texts     []string
	programs  bool
	files     bool
	variables []string
}

// Flags are --allow and its older form.
func (a *Allowance) Flags() []cli.Flag {
	return []cli.Flag{
		&flags.Choices{Values: flags.Offered(allowPrograms, allowFiles), GenericFlag: cli.GenericFlag{
			Name: "allow", Value: flags.Repeated(&a.texts), Sources: process.CommandLineOnly(),
			Usage: "`WHAT` let the files run programs (exec), use other files (files), or read env:NAME",
		}},
		&cli.BoolFlag{Name: "allow-exec", Destination: &a.programs, Sources: process.CommandLineOnly(), Usage: "same as --allow=exec"},
	}
}

// parse reads the values of the flag. The line of a shell script allows no programs that the script may not execute.
func (a *Allowance) parse(in *process.Script) error {
	for _, text := range a.texts {
		for what := range strings.SplitSeq(text, ",") {
			name, variable := strings.CutPrefix(what, allowVariable)
			switch {
			case what == allowPrograms:
				a.programs = true
			case what == allowFiles:
				a.files = true
			case !variable || name == "":
				return option.Invalid("allow", what, wantAllowed)
			case secret.Variable(name):
				return option.Errorf("allow", "%s is secret, and never a value of a scenario", name)
			case !slices.Contains(a.variables, name):
				a.variables = append(a.variables, name)
			}
		}
	}
	if a.programs && in != nil && !in.Programs {
		return option.Errorf("allow-exec", "the shell script may execute no programs (start it with --allow-exec if that is what you want)")
	}
	return nil
}
