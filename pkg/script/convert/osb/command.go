package osb

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/option"
	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/script/convert/shell"
)

// program is the name of the command; the shell finds it in a command line of java.
const program = "object-store-bench"

// optionRows are the options of the command.
func optionRows() [][3]string {
	return slices.Concat([][3]string{
		{"--script", "", "the statements"},
		{"-i, --input", "", "a file with the statements; precedes --script"},
		{"--base-uri", "", "`hosts` of the target"},
		{"--bucket", "bucket", "`bucket` of the target"},
		{"--implementation", "awsApache", "`store` of the target: gcs, or azure for adls; nothing for the clients of S3"},
		{"--s3-region", "eu-central-1", "`region` of the target"},
		{"--s3-access-key", "", "nothing: credentials are never in a scenario. A run uses it"},
		{"--s3-secret-key", "", "nothing: credentials are never in a scenario. A run uses it"},
		{"--s3-cloud", "", "nothing: requests are the same"},
		{"--signature-version", "V4", "`signature` of the target"},
		{"--http-protocol", "", "`http2` of the target, for version 2"},
		{"--http-expect-continue", "", "`expect-continue` of the target"},
		{"--http-max-connections", "", "the most operations at a time, as --http-max-concurrency"},
		{"--http-max-concurrency", "", "`max-inflight` or `threads`, unless MAX is less"},
		{"--http-*-timeout", "", "nothing, with a comment"},
		{"--virtual-threads", "", "nothing: it is about Java"},
		{"--stats-interval", "PT1S", "a flag of the command: --analyze.dur"},
	}, storeRows(), [][3]string{{"--gcp-*, --adls-*, --vertx-*", "", "nothing, with a comment: they are about other clients"}})
}

// switches are options without a value.
var switches = []string{"--virtual-threads", "--http-expect-continue"}

// others is the options that change nothing that is measured.
var others = regexp.MustCompile(`^--(http-[a-z-]*timeout|gcp-[a-z-]+|adls-[a-z-]+|vertx-[a-z-]+)$`)

// optionNames lists the options that are known by name.
func optionNames() (names []string) {
	for _, r := range optionRows() {
		for name := range strings.SplitSeq(r[0], ", ") {
			if !strings.Contains(name, "*") {
				names = append(names, name)
			}
		}
	}
	return names
}

// commandStart is the first option of a file that holds options only. Two hyphens begin a comment of a script too.
var commandStart = regexp.MustCompile(`^\s*(-i\s|--(script|input|base-uri|bucket|implementation|s3-[a-z-]+|http-[a-z-]+)[= ])`)

// inShell reports whether a file holds a command line, not statements.
func inShell(text string) bool {
	target := strings.Contains(text, "--base-uri") || strings.Contains(text, "--implementation")
	return commandStart.MatchString(text) || target && shell.Runs(text, program)
}

// command drafts the scenario of a command line.
func command(d *draft.Draft, line *draft.Command) {
	c := newConverter(d)
	given := c.options(line)
	c.target(given)
	c.limits(given)
	text, ok := c.statements(line, given)
	if ok {
		c.convert(text)
	}
}

// argument is an option of a command line.
type argument struct {
	value string
	at    script.Pos
}

// options reads the options. What precedes the first one belongs to java.
func (c *converter) options(line *draft.Command) map[string]argument {
	given, names := map[string]argument{}, optionNames()
	var left []string
	args := line.Args
	first := slices.IndexFunc(args, func(a draft.Word) bool {
		name, _, _ := strings.Cut(a.Text, "=")
		return slices.Contains(names, name) || others.MatchString(name)
	})
	if first < 0 {
		c.Draft.Addf(line.At, "no option of object-store-bench (want --base-uri, and --script or -i)")
		return given
	}
	for i := first; i < len(args); i++ {
		name, value, assigned := strings.Cut(args[i].Text, "=")
		known := slices.Contains(names, name)
		if !known && !others.MatchString(name) {
			c.unknownOption(args[i], name, names)
			continue
		}
		at := args[i].At
		takes := takesValue(name, known, args[i+1:])
		switch {
		case assigned:
		case takes && i+1 == len(args):
			c.Draft.Addf(at, "%s: missing value", name)
			continue
		case takes:
			i++
			value, at = args[i].Text, args[i].At
		default:
			value = "true"
		}
		if !known || isOfStore(name) {
			left = append(left, name)
		}
		given[name] = argument{value, at}
		c.Name(at, name)
	}
	own := prefixes[storeOf(given)]
	left = slices.DeleteFunc(left, func(name string) bool {
		return own != "" && strings.HasPrefix(name, own) && slices.Contains(names, name)
	})
	if len(left) > 0 {
		c.Notef("Left out, since they are about other clients or about time-outs: %s", strings.Join(left, ", "))
	}
	return given
}

// takesValue reports whether the next word is the value of an option.
func takesValue(name string, known bool, rest []draft.Word) bool {
	switch {
	case slices.Contains(switches, name):
		return false
	case slices.Contains(booleans, name):
		return len(rest) > 0 && (strings.EqualFold(rest[0].Text, "true") || strings.EqualFold(rest[0].Text, "false"))
	}
	return known || len(rest) > 0 && !strings.HasPrefix(rest[0].Text, "-")
}

func (c *converter) unknownOption(arg draft.Word, name string, names []string) {
	what := "argument"
	if strings.HasPrefix(name, "-") {
		what = "option"
	}
	if near := option.Nearest(name, names); near != "" {
		c.Draft.Addf(arg.At, "unknown %s %s (did you mean %s?)", what, name, near)
		return
	}
	c.Draft.Addf(arg.At, "unknown %s %s", what, name)
}

// target says where requests go, with the tool's defaults.
func (c *converter) target(given map[string]argument) {
	c.store(given)
	if strings.Contains(given["--http-protocol"].value, "2") {
		c.param("http2", "true")
	}
	if draft.IsTrue(given["--http-expect-continue"].value) {
		c.param("expect-continue", "true")
	}
	if a, ok := given["--stats-interval"]; ok {
		d, err := time.ParseDuration(strings.ToLower(strings.TrimPrefix(strings.ToUpper(a.value), "PT")))
		if err != nil || d <= 0 {
			c.Draft.Addf(a.at, "--stats-interval %s (want a duration, as in PT1S)", a.value)
			return
		}
		c.Flag(a.at, "analyze.dur", d.String())
	}
}

// limits are the most operations at a time that the client of the tool performs.
func (c *converter) limits(given map[string]argument) {
	for _, name := range []string{"--http-max-connections", "--http-max-concurrency"} {
		a, ok := given[name]
		if !ok {
			continue
		}
		n, err := strconv.Atoi(a.value)
		if err != nil || n < 1 {
			c.Draft.Addf(a.at, "%s %s (want a number, 1 or more)", name, a.value)
			continue
		}
		if c.most == 0 || n < c.most {
			c.most = n
		}
	}
}

// statements returns the text of the statements.
func (c *converter) statements(line *draft.Command, given map[string]argument) (text string, ok bool) {
	for _, name := range []string{"-i", "--input"} {
		a, ok := given[name]
		if !ok {
			continue
		}
		if line.ReadFile == nil {
			c.Draft.Addf(a.at, "%s %s: no file is read here; write the statements with --script", name, a.value)
			return "", false
		}
		text, err := line.ReadFile(a.value)
		if err != nil {
			c.Draft.Addf(a.at, "%s %s: %w", name, a.value, err)
			return "", false
		}
		c.origin = origin{file: a.value, at: a.at}
		return text, true
	}
	a, ok := given["--script"]
	if !ok {
		c.Draft.Addf(line.At, "there are no statements (want --script or -i)")
	}
	c.origin = origin{at: a.at}
	if at, found := placeOf(line.Text, a.at, a.value); found {
		c.origin = origin{start: at}
	}
	return a.value, ok
}

// placeOf returns the place of a text in a word of a file that begins at a place. The text is elsewhere if a shell has changed it.
func placeOf(file string, at script.Pos, text string) (script.Pos, bool) {
	lines := strings.SplitAfter(file, "\n")
	if at.Line < 1 || at.Line > len(lines) || at.Column < 1 || at.Column > len(lines[at.Line-1]) {
		return at, false
	}
	rest := lines[at.Line-1][at.Column-1:] + strings.Join(lines[at.Line:], "")
	n := strings.Index(rest, text)
	if n < 0 || n > len("--script='") {
		return at, false
	}
	at.Column += n
	return at, true
}
