package ycsb

import (
	"fmt"
	"strings"

	"warp/pkg/script/convert/draft"
)

// valued are the options of the command that have a value, as the property that they set; empty: it changes nothing.
var valued = map[string]string{"-threads": "threadcount", "-target": "target", "-db": "db", "-l": "", "-cp": "", "-jvm-args": ""}

// command drafts the load or the run of a command line.
func command(d *draft.Draft, c *draft.Command) {
	y := &converter{Draft: d, command: true}
	args := y.words(c)
	var last settings // what wins over files
	for i := 0; i < len(args); i++ {
		at, name := args[i].At, args[i].Text
		property := property{at: at}
		_, takes := valued[name]
		if takes || name == "-P" || name == "-p" {
			if i++; i == len(args) {
				d.Addf(at, "%s needs a value", name)
				return
			}
			property.at, property.value = args[i].At, args[i].Text
		}
		switch {
		case name == "-P":
			y.file(c, property)
		case name == "-p":
			key, value, ok := strings.Cut(property.value, "=")
			if !ok {
				d.Addf(property.at, "-p %s (want NAME=VALUE)", property.value)
			}
			property.value = value
			last.set(key, property)
		case takes && valued[name] != "":
			last.set(valued[name], property)
		case takes, name == "-s":
		case name == "-load":
			y.load, y.run = true, false
		case name == "-t":
			y.load, y.run = false, true
		default:
			d.Addf(at, "unexpected argument %q (want -P, -p, -threads, -target, -s or -l)", name)
		}
	}
	for _, name := range last.names {
		y.set(name, last.values[name])
	}
	if db := y.values["db"]; db.value != "" && !strings.HasSuffix(db.value, ".S3Client") {
		d.Addf(db.at, "-db %s: only YCSB's S3 binding can be converted", db.value)
	}
	if y.load == y.run && len(d.List) == 0 {
		d.Addf(c.At, "%s needs load or run", c.Program)
	}
	if len(d.List) == 0 {
		y.convert()
	}
}

// words takes what comes before the options of the command, as in ycsb load s3, and returns those.
func (y *converter) words(c *draft.Command) []draft.Word {
	args := c.Args
	if len(args) == 0 || strings.HasPrefix(args[0].Text, "-") {
		return args
	}
	switch args[0].Text {
	case "load":
		y.load = true
	case "run":
		y.run = true
	default:
		y.Addf(args[0].At, "unexpected command %q (want load or run)", args[0].Text)
	}
	args = args[1:]
	if len(args) == 0 || strings.HasPrefix(args[0].Text, "-") {
		y.Addf(c.At, "the name of a binding is missing (want s3)")
		return args
	}
	if args[0].Text != "s3" {
		y.Addf(args[0].At, "YCSB's binding %s is no S3 (want s3)", args[0].Text)
	}
	return args[1:]
}

// file reads the properties of a file.
func (y *converter) file(c *draft.Command, name property) {
	if c.ReadFile == nil {
		y.Addf(name.at, "-P %s: files cannot be read here", name.value)
		return
	}
	text, err := c.ReadFile(name.value)
	if err != nil {
		y.Addf(name.at, "%w", err)
		return
	}
	line, err := y.parse(text, func(value string, line int) property {
		return property{value: value, at: name.at, in: fmt.Sprintf("%s:%d: ", name.value, line)}
	})
	if err != nil {
		y.Addf(name.at, "%s:%d: %w", name.value, line, err)
	}
}
