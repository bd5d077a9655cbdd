package process

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/pkg/s3/target"
)

// Notice prints a line for people, once.
func (e *Env) Notice(text string) {
	if e.noticed[text] {
		return
	}
	if e.noticed == nil {
		e.noticed = map[string]bool{}
	}
	e.noticed[text] = true
	fmt.Fprintln(e.Stderr, text)
}

// Line checks a text that becomes part of a header, and trims it with a notice. The source is where it comes from: a flag, a variable,
// a file.
func (e *Env) Line(source string, text *string) error {
	clean, trimmed, err := option.Line(*text)
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	if *text = clean; trimmed {
		e.Notice(option.TrimmedText(source))
	}
	return nil
}

// Origin is the variable that gave a flag its value, or the flag.
func (e *Env) Origin(flag, value string, variables ...string) string {
	for _, name := range variables {
		if e.Getenv(name) == value {
			return name
		}
	}
	return "--" + flag
}

// Empty reports whether a variable is set, to nothing.
func (e *Env) Empty(name string) bool {
	return e.Environ != nil && slices.Contains(e.Environ(), name+"=")
}

// WarpVariables are all variables of warp. TestWarpVariables finds one that is missing here.
var WarpVariables = []string{
	"WARP_ACCESS_KEY", "WARP_HOST", "WARP_HTTP_TOKEN", "WARP_INFLUXDB_CONNECT", "WARP_KTLS",
	"WARP_LOOKUP", "WARP_OTLP", "WARP_RDMA", "WARP_REGION",
	"WARP_REMOTE_WRITE", "WARP_SECRET_KEY", "WARP_SESSION_TOKEN", "WARP_STS_WEB_TOKEN", "WARP_TLS", "WARP_TOKEN",
}

// kubernetesVariable matches the variables that Kubernetes sets in pods for services named warp...
var kubernetesVariable = regexp.MustCompile(`^WARP(_[A-Z0-9]+)*_(SERVICE_(HOST|PORT)|PORT)(_[A-Z0-9_]+)?$`)

// ReadVariable returns a variable that a scenario names.
func (e *Env) ReadVariable(name string) string {
	if e.read == nil {
		e.read = map[string]bool{}
	}
	e.read[name] = true
	return e.Getenv(name)
}

// WarnUnread tells of variables that were probably meant for warp, and that nothing reads: no flag, and no scenario.
func (e *Env) WarnUnread() {
	if e.Environ == nil {
		return
	}
	var known []string
	for _, name := range WarpVariables {
		known = append(known, strings.TrimPrefix(name, "WARP_"))
	}
	for _, v := range slices.Sorted(slices.Values(e.Environ())) {
		name, _, _ := strings.Cut(v, "=")
		own, ours := strings.CutPrefix(name, "WARP_")
		foreign := !ours || strings.HasPrefix(name, "WARP_TEST_") || kubernetesVariable.MatchString(name)
		if foreign || slices.Contains(WarpVariables, name) || e.read[name] {
			continue
		}
		e.Notice("The variable " + name + " has no effect" + DidYouMean("WARP_%s", own, known) + ".")
	}
}

// variable is an environment variable that a flag takes its value from. An empty one counts as not set.
type variable struct {
	name   string
	getenv func(string) string
}

// Source makes variables the source of a flag; the first that is set counts.
func (e *Env) Source(names ...string) cli.ValueSourceChain {
	var chain []cli.ValueSource
	for _, name := range names {
		chain = append(chain, variable{name, e.Getenv})
	}
	return cli.NewValueSourceChain(chain...)
}

// Lookup gives the value of the variable, and whether it is set.
func (v variable) Lookup() (string, bool) {
	value := v.getenv(v.name)
	if value != "" && strings.HasPrefix(v.name, "AWS_ENDPOINT_URL") && target.IgnoresEndpoints(v.getenv) {
		return "", false
	}
	return value, value != ""
}

// IsFromEnv and Key have the variable shown in help.
func (v variable) IsFromEnv() bool { return true }

// Key is the name of the variable.
func (v variable) Key() string { return v.name }

// String is what error messages call the variable.
func (v variable) String() string { return v.name }

// GoString is for debugging.
func (v variable) GoString() string { return fmt.Sprintf("variable %q", v.name) }
