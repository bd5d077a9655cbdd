// Package draft is what the converters of other tools' files have in common: the draft of a scenario, its problems, command lines and
// the forms of files.
package draft

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"warp/internal/option"
	"warp/pkg/script"
	"warp/pkg/units"
)

// Draft is a scenario in the making, with comments that say what was approximated.
type Draft struct {
	script.File
	Problems
	Given

	name    string
	at      script.Pos // of what is being drafted
	checked map[setting]bool
	secrets []string   // options whose values are credentials
	outer   script.Pos // of all
	flags   []Flag
	results []Output
	labels  map[string]bool // of phases
}

// commentWidth is how long a line of a comment may be.
const commentWidth = 110

// AddNote adds a comment to another one, once, in lines that are not too long.
func AddNote(to *string, format string, args ...any) {
	text := Wrap(units.Line(fmt.Sprintf(format, args...)))
	switch {
	case strings.Contains(*to, text):
	case *to == "":
		*to = text
	default:
		*to += "\n" + text
	}
}

// secretKey matches keys whose values may be credentials.
var secretKey = regexp.MustCompile(`(?i)key|secret|token|pass|cred|influxdb`)

// shown returns the value of a key as messages may show it.
func shown(key, value string) string {
	if secretKey.MatchString(key) {
		return "..."
	}
	return value
}

// Unknown is about a key that the converter does not know: a comment says its value, since tools have many keys that
// change nothing here. One that is probably misspelt is an error.
func (d *Draft) Unknown(at script.Pos, what, key, value string, known []string) {
	if near := option.Nearest(key, known); near != "" && max(len(near), len(key))-min(len(near), len(key)) <= 2 {
		d.Addf(at, "%s %q (did you mean %s?)", what, key, near)
		return
	}
	d.Notef("Not known, and left out: %s=%s", key, shown(key, value))
}

// Wrap breaks a text into lines.
func Wrap(text string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > commentWidth {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return strings.Join(append(lines, line), "\n")
}

// Notef adds a comment at the top of the scenario.
func (d *Draft) Notef(format string, args ...any) { AddNote(&d.Head, format, args...) }

// Place is where the file asks for the data sets and phases that follow.
func (d *Draft) Place(at script.Pos) { d.at = at }

// Set returns a data set, which it adds if it is not there.
func (d *Draft) Set(name string) *script.DataSet {
	if _, ok := d.Data.Lookup(name); !ok {
		d.Data = append(d.Data, script.DataSet{Name: name, Note: script.Note{Pos: d.at}})
	}
	s, _ := d.Data.Lookup(name)
	return s
}

// Measure adds a measured phase of one operation.
func (d *Draft) Measure(label string, do ...script.Do) *script.Phase {
	d.Phases = append(d.Phases, script.Phase{Note: script.Note{Pos: d.at}, Run: script.Text(label), Do: do})
	return &d.Phases[len(d.Phases)-1]
}

// Op returns an operation on a data set with parameters: names and values in turn.
func Op(op, set string, params ...string) script.Do {
	o := script.Do{Op: op, Set: script.Text(set)}
	for i := 0; i+1 < len(params); i += 2 {
		o.Add(script.NewParam(params[i], params[i+1]))
	}
	return o
}

// SetHosts sets the hosts of the target, which a place in the file names.
func (d *Draft) SetHosts(at script.Pos, list ...string) {
	for _, h := range list {
		if h = strings.TrimSpace(h); h != "" {
			d.Target.Hosts = append(d.Target.Hosts, script.Text(strings.TrimSuffix(h, "/")).At(at))
		}
	}
}

// Yes is the value of a switch that is on.
func Yes() script.Value { return script.Text("true") }

// IsTrue reports whether a text is a Boolean that is true.
func IsTrue(text string) bool {
	on, _ := strconv.ParseBool(text)
	return on
}

var braces = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^{}]*)?\}|[{}]`)

// KeyText writes text as a part of a template of keys. Variables of the scenario stay.
func KeyText(s string) string {
	return braces.ReplaceAllStringFunc(s, func(found string) string {
		if len(found) > 1 {
			return found
		}
		return found + found
	})
}

// Number is a value.
func Number[T ~int | ~int64 | ~uint64](n T) script.Value { return script.Text(fmt.Sprint(n)) }

// Duration is a value without parts that are zero: 1m, not 1m0s.
func Duration(d time.Duration) script.Value {
	s := d.String()
	if d >= time.Minute && d%time.Minute == 0 {
		s = strings.TrimSuffix(s, "0s")
	}
	if d >= time.Hour && d%time.Hour == 0 {
		s = strings.TrimSuffix(s, "0m")
	}
	return script.Text(s)
}

// Decimal writes a number without exponent and without zeros at its end.
func Decimal(x float64) string {
	s := strconv.FormatFloat(x, 'f', 4, 64)
	if rounded, _ := strconv.ParseFloat(s, 64); rounded == 0 && x != 0 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
