package draft

import (
	"flag"
	"io"
	"strings"

	"warp/pkg/script"
)

// Word is an argument of a command line, and its place in the file.
type Word struct {
	Text string
	At   script.Pos
}

// Command is a command line of another tool.
type Command struct {
	Program  string
	At       script.Pos
	Text     string // of the file that has the command line, for errors
	Args     []Word
	Getenv   func(name string) string                   // variables of the script, then of the environment
	ReadFile func(name string) (text string, err error) // relative to the script, or one that the script wrote before
}

// Options are the flags of a command line that package flag has parsed.
type Options struct {
	places  map[string]script.Pos
	command script.Pos
}

// Set reports whether a flag is on the command line.
func (o Options) Set(name string) bool {
	_, ok := o.places[name]
	return ok
}

// At returns the place of a flag; that of the command for one that has its default.
func (o Options) At(name string) script.Pos {
	if at, ok := o.places[name]; ok {
		return at
	}
	return o.command
}

// Value returns a value that a flag of the command line gives.
func (o Options) Value(name, text string) script.Value {
	return script.Text(text).At(o.At(name))
}

// Parse parses a command line as package flag does, which tools written in Go use.
func (c *Command) Parse(fs *flag.FlagSet, errs *Problems) Options {
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = a.Text
	}
	err := fs.Parse(args)
	read := len(args) - fs.NArg()
	switch {
	case err != nil:
		errs.Addf(c.Args[max(0, read-1)].At, "%s", parseError(err.Error()))
	case fs.NArg() > 0:
		errs.Addf(c.Args[read].At, "unexpected argument %q", fs.Arg(0))
	}
	o := Options{c.places(fs), c.At}
	for name, at := range o.places {
		errs.Name(at, "-"+name)
	}
	return o
}

// parseError returns an error of package flag with what it leaves out.
func parseError(text string) string {
	want := " (want a number)"
	if strings.HasPrefix(text, "invalid boolean") {
		want = " (want true or false)"
	}
	return strings.Replace(text, ": parse error", want, 1)
}

// places returns the places of the flags.
func (c *Command) places(fs *flag.FlagSet) map[string]script.Pos {
	places := map[string]script.Pos{}
	for i := 0; i < len(c.Args); i++ {
		name, _, assigned := strings.Cut(strings.TrimLeft(c.Args[i].Text, "-"), "=")
		f := fs.Lookup(name)
		if f == nil {
			break
		}
		places[name] = c.Args[i].At
		if b, ok := f.Value.(interface{ IsBoolFlag() bool }); !assigned && !(ok && b.IsBoolFlag()) {
			i++
		}
	}
	return places
}

// FlagOptions returns the flags of a tool; their usage says what became of them.
func FlagOptions(fs *flag.FlagSet) (list []Option) {
	fs.VisitAll(func(f *flag.Flag) { list = append(list, Option{"-" + f.Name, f.DefValue, f.Usage}) })
	return list
}
