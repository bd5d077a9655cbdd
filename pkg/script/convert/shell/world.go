package shell

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// World is what a script may use of this machine, and what its command lines do.
type World struct {
	Args  []string // of the script
	Dir   string   // where it begins, an absolute path
	Check bool     // nothing is run, written, printed or awaited

	Known    func(program string) bool                   // reports whether Run performs the command lines of a program
	Variable func(name string) (value string, ok bool)   // of the user
	Secret   func(name string) bool                      // reports whether only credentials may have the value of a variable
	Access   func(path string, write bool) error         // refuses files
	Run      func(ctx context.Context, l *Line) error    // performs a command line; see ExitStatus and ErrEnd
	Exec     func(ctx context.Context, p *Program) error // executes another program; nil: they are left out
	Stdout   io.Writer
	Stderr   io.Writer

	Keep bool // variables without a value stay as a scenario's: ${NAME}
}

// ErrEnd is the error of a command line that ends the script.
var ErrEnd = errors.New("the script ends")

// ExitStatus is the error of a command line that has failed.
type ExitStatus int

func (s ExitStatus) Error() string { return "the command failed" }

// Line is a command line that is performed.
type Line struct {
	draft.Command
	Stdout   io.Writer // where the script has its output go
	Stderr   io.Writer
	Dir      string
	Env      []string // variables that the script exports, as NAME=VALUE
	Machines []string // that the script runs it on

	s *session
}

// Wrote says that a file is a result of the line, whose contents are not known in a check.
func (l *Line) Wrote(path string) { l.s.files.wrote(l.At, path) }

// Begins reports whether nothing comes before the line that may have made a file that it reads.
func (l *Line) Begins() bool {
	l.s.alone.Lock()
	lines := l.s.result.Lines
	l.s.alone.Unlock()
	l.s.files.mu.Lock()
	defer l.s.files.mu.Unlock()
	return lines == 1 && l.s.World.Exec == nil && len(l.s.files.memory) == 0 && len(l.s.files.dirs) == 0
}

// ReadsMade reports whether the line reads what the script makes: it names a file that the script writes, or standard input, or begins in
// a directory that is not there yet.
func (l *Line) ReadsMade() bool {
	if info, err := os.Stat(l.Dir); err != nil || !info.IsDir() {
		return true
	}
	l.s.files.mu.Lock()
	defer l.s.files.mu.Unlock()
	for _, a := range l.Args {
		_, value, _ := strings.Cut(a.Text, "=")
		for _, name := range []string{a.Text, value, strings.TrimPrefix(value, "file:")} {
			if _, made := l.s.files.memory[l.s.files.path(l.Dir, name)]; made || name == "-" {
				return true
			}
		}
	}
	return false
}

// Prints reports whether the output of the script at this place, or its errors, go to the same place as the script's.
func (l *Line) Prints() (output, errors bool) {
	return l.Stdout == io.Writer(l.s.out), l.Stderr == io.Writer(l.s.err)
}

// String is the line for people. Secrets are in it.
func (l *Line) String() string {
	text := l.Program
	for _, a := range l.Args {
		text += " " + quoted(l.s.unknowns.shown(a.Text))
	}
	return text
}

// Program is another program that a script starts.
type Program struct {
	Args   []string
	Dir    string
	Env    []string // variables that the script exports, as NAME=VALUE
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
}

// Result is what became of a script.
type Result struct {
	Code      int      // its exit status
	Lines     int      // command lines that were performed
	More      bool     // there are more: a check was ended
	LeftOut   []string // what was not executed, each once
	Remarks   []string // each once
	Variables []string // names of those that the script uses

	mistakes []script.Complaint
}

// mistakes returns complaints as one error; nil without any.
func (s *Script) mistakes(list []script.Complaint) error {
	source := script.NewSource(s.name, s.text)
	source.Hide(s.secrets...)
	return source.Error(list...)
}
