package draft

import (
	"maps"
	"slices"
	"strings"

	"warp/pkg/script"
)

// Settings are the options of a file or of a command line, by name.
type Settings map[string]Word

// setting is an option with its value.
type setting struct {
	name  string
	value Word
}

// Refused begins what became of an option that a scenario can't express; the reason follows. One that is off is no mistake.
const Refused = "refused: "

// Noted begins what became of an option that makes only a comment.
const Noted = "a comment: "

// Check finds each setting in the options of its tool: one that is refused or unknown is an error or a comment. The name of an option may
// be several, separated by commas; one that ends in * is the beginning of names.
func (d *Draft) Check(s Settings, options []Option) {
	if d.checked == nil {
		d.checked = map[setting]bool{}
	}
	names := slices.SortedFunc(maps.Keys(s), func(a, b string) int { return comparePlaces(s[a].At, s[b].At) })
	for _, name := range names {
		value := s[name]
		if d.checked[setting{name, value}] { // in another section, which inherits it too
			continue
		}
		d.checked[setting{name, value}] = true
		d.Name(value.At, name)
		o := find(options, name)
		reason, refused := strings.CutPrefix(o.Became, Refused)
		note, noted := strings.CutPrefix(o.Became, Noted)
		switch {
		case o.Name == "":
			d.Unknown(value.At, "unknown option", name, value.Text, Names(options))
		case IsOff(value.Text):
		case refused:
			d.Addf(value.At, "%s=%s cannot be converted: %s", name, shown(name, value.Text), reason)
		case noted:
			d.Notef("%s=%s: %s.", name, shown(name, value.Text), note)
		}
	}
}

func comparePlaces(a, b script.Pos) int {
	if a.Line != b.Line {
		return a.Line - b.Line
	}
	return a.Column - b.Column
}

// find returns the option of a name.
func find(options []Option, name string) Option {
	for _, o := range options {
		for known := range strings.SplitSeq(o.Name, ", ") {
			begin, open := strings.CutSuffix(known, "*")
			if known == name || open && strings.HasPrefix(name, begin) {
				return o
			}
		}
	}
	return Option{}
}

// Known reports whether a tool has an option.
func Known(options []Option, name string) bool { return find(options, name).Name != "" }

// Names returns the names of options that change the run, without beginnings of names.
func Names(options []Option) (names []string) {
	for _, o := range options {
		if strings.HasPrefix(o.Became, "nothing") || strings.HasPrefix(o.Became, Noted) {
			continue
		}
		for name := range strings.SplitSeq(o.Name, ", ") {
			if !strings.HasSuffix(name, "*") {
				names = append(names, name)
			}
		}
	}
	return names
}

// IsOff reports whether a setting is off.
func IsOff(text string) bool {
	return slices.Contains([]string{"", "0", "off", "no", "none", "false"}, strings.ToLower(text))
}

// Default returns the default of an option.
func Default(options []Option, name string) string { return find(options, name).Default }
