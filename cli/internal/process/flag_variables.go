package process

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/internal/secret"
	"warp/pkg/s3/target"
)

// variablePrefix begins the names of all variables of warp.
const variablePrefix = "WARP_"

var underscores = strings.NewReplacer(".", "_", "-", "_")

// VariableOf returns the variable that sets a flag: WARP_OBJ_SIZE for obj.size.
func VariableOf(flag string) string {
	return variablePrefix + strings.ToUpper(underscores.Replace(flag))
}

// BindVariables lets variables set flags, unless the command line does. They precede the other sources of a flag.
func (e *Env) BindVariables(flags []cli.Flag) {
	if e.bound == nil {
		e.bound = map[string]bool{}
	}
	for _, f := range flags {
		sources := sourcesOf(f)
		var own []cli.ValueSource
		for _, name := range f.Names() {
			if len(name) > 1 && !onlyOnCommandLine(f) {
				own = append(own, &variable{name: VariableOf(name), env: e})
			}
		}
		sources.Chain = append(own, sources.Chain...)
		for _, source := range sources.Chain {
			if v, ok := source.(*variable); ok {
				v.flag = f
				e.bound[v.name] = true
			}
		}
	}
}

// Source makes variables the source of a flag, in addition to that of BindVariables; the first that is set counts.
func (e *Env) Source(names ...string) cli.ValueSourceChain {
	var chain []cli.ValueSource
	for _, name := range names {
		chain = append(chain, &variable{name: name, env: e})
	}
	return cli.NewValueSourceChain(chain...)
}

// CommandLineOnly is the source of a flag that no variable sets: a permission, or what an argument of this one command means.
func CommandLineOnly() cli.ValueSourceChain { return cli.NewValueSourceChain(commandLine{}) }

// sourcesOf returns the sources of a flag. All flags of the parser have them, but no interface for them.
func sourcesOf(f cli.Flag) *cli.ValueSourceChain {
	return reflect.ValueOf(f).Elem().FieldByName("Sources").Addr().Interface().(*cli.ValueSourceChain)
}

func onlyOnCommandLine(f cli.Flag) bool {
	return slices.Contains(sourcesOf(f).Chain, cli.ValueSource(commandLine{}))
}

// commandLine marks a flag that no variable sets.
type commandLine struct{}

// Lookup gives no value.
func (commandLine) Lookup() (string, bool) { return "", false }

func (commandLine) String() string   { return "command line" }
func (commandLine) GoString() string { return "command line" }

// variable is an environment variable that a flag takes its value from. An empty one counts as not set.
type variable struct {
	name string
	env  *Env
	flag cli.Flag // nil: unknown
}

// Lookup gives the value of the variable, and whether it is set.
func (v *variable) Lookup() (string, bool) {
	value := v.env.Getenv(v.name)
	if value == "" || strings.HasPrefix(v.name, "AWS_ENDPOINT_URL") && target.IgnoresEndpoints(v.env.Getenv) {
		return "", false
	}
	if v.flag != nil {
		v.env.given.add(v.flag.Names()[0], setBy{v.flag, v.name, value})
	}
	return value, true
}

// IsFromEnv and Key have the variable shown in help.
func (v *variable) IsFromEnv() bool { return true }

// Key is the name of the variable.
func (v *variable) Key() string { return v.name }

// String is what error messages call the variable.
func (v *variable) String() string { return v.name }

// GoString is for debugging.
func (v *variable) GoString() string { return fmt.Sprintf("variable %q", v.name) }

// setBy is a flag that a variable has set.
type setBy struct {
	flag        cli.Flag
	name, value string
}

// givenFlags are the flags that variables have set, by name.
type givenFlags map[string]setBy

func (g *givenFlags) add(flag string, v setBy) {
	if *g == nil {
		*g = givenFlags{}
	}
	(*g)[flag] = v
}

// FromVariable reports whether a variable has set a flag.
func (e *Env) FromVariable(flag string) bool { return e.given[flag].name != "" }

// FromAWS reports whether a variable of AWS has set a flag: it sets the flag of each command on this machine.
func (e *Env) FromAWS(flag string) bool { return strings.HasPrefix(e.given[flag].name, "AWS_") }

// IgnoreVariable notes that the variable of a flag does not count: a scenario sets the flag.
func (e *Env) IgnoreVariable(flag string) { delete(e.given, flag) }

// FlagOf returns the flag set by a variable, or nil.
func (e *Env) FlagOf(variable string) cli.Flag {
	for _, v := range e.given {
		if v.name == variable {
			return v.flag
		}
	}
	return nil
}

// Origin is the variable that gave a flag this value, or the flag.
func (e *Env) Origin(flag, value string) string {
	if v := e.given[flag]; v.name != "" && v.value == value {
		return v.name
	}
	return "--" + flag
}

// CommandLine returns the arguments, after the variables of warp that have set flags, as a shell takes them. It leaves out secret values.
func (e *Env) CommandLine() (args []string) {
	for _, flag := range slices.Sorted(maps.Keys(e.given)) {
		if v := e.given[flag]; strings.HasPrefix(v.name, variablePrefix) {
			args = append(args, v.name+"="+secret.Redact(flag, v.value))
		}
	}
	return append(args, e.Args...)
}

// NameVariables replaces flags that variables have set by their variables: WARP_DURATION: invalid value.
func (e *Env) NameVariables(message string) string {
	parts := strings.Split(message, ": ")
	for i, part := range parts[:len(parts)-1] {
		names := strings.Split(part, ", ")
		for k, name := range names {
			flag, ok := strings.CutPrefix(name, "--")
			if v := e.given[flag]; ok && v.name != "" {
				names[k] = v.name
			}
		}
		parts[i] = strings.Join(names, ", ")
	}
	return strings.Join(parts, ": ")
}
