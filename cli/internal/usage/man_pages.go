package usage

import (
	"cmp"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
)

// ManPages returns the pages of warp and all of its commands by the names of their files.
func ManPages(r *cli.Command) map[string]string {
	pages := map[string]string{"warp.1": rootPage(r)}
	var add func(name, path string, c *cli.Command)
	add = func(name, path string, c *cli.Command) {
		if c.Hidden {
			return
		}
		pages[name+".1"] = manPage(name, path, c)
		for _, sub := range c.Commands {
			add(name+"-"+sub.Name, path+" "+sub.Name, sub)
		}
	}
	for _, c := range r.Commands {
		add("warp-"+c.Name, "warp "+c.Name, c)
	}
	return pages
}

// rootPage is the page of warp itself.
func rootPage(r *cli.Command) string {
	m := newMan("warp", r.Usage)
	m.macro("SH", "SYNOPSIS")
	m.macro("B", "warp COMMAND")
	m.text("[flags]")
	m.macro("SH", "DESCRIPTION")
	m.text("Measures S3-compatible object storage. With no --host, most commands measure a server embedded in warp.")
	heading := ""
	for _, c := range r.Commands {
		if c.Hidden {
			continue
		}
		if h := cmp.Or(c.Category, "Other commands"); h != heading {
			heading = h
			m.macro("SS", heading)
		}
		m.item("warp-"+c.Name+"(1)", c.Usage)
	}
	for _, t := range Topics {
		m.topic(&t)
	}
	m.status(process.ExitStatus)
	return m.String()
}

// manPage is the page of a command.
func manPage(name, path string, c *cli.Command) string {
	m := newMan(name, c.Usage)
	m.macro("SH", "SYNOPSIS")
	m.macro("B", path)
	m.text(strings.TrimSpace("[flags] " + c.ArgsUsage))
	if c.Description != "" {
		m.macro("SH", "DESCRIPTION")
		m.text(c.Description)
	}
	if len(c.Commands) > 0 {
		m.macro("SH", "COMMANDS")
	}
	for _, sub := range c.Commands {
		m.item(name+"-"+sub.Name+"(1)", sub.Usage)
	}
	m.macro("SH", "OPTIONS")
	for _, category := range flags.Categories {
		m.flags(category, c.Flags)
	}
	if c.UsageText != "" {
		m.macro("SH", "EXAMPLE")
		m.macro("EX")
		m.text(c.UsageText)
		m.macro("EE")
	}
	m.status(statusOf(c))
	m.macro("SH", "SEE ALSO")
	m.text("warp(1)")
	return m.String()
}

// man is a page being written, in the macros of man(7).
type man struct{ strings.Builder }

func newMan(name, usage string) *man {
	m := &man{}
	m.macro("TH", strings.ToUpper(name), "1", "", "warp", "User Commands")
	m.macro("SH", "NAME")
	m.text(name + " - " + usage)
	return m
}

// macro writes a request with its arguments.
func (m *man) macro(name string, args ...string) {
	m.WriteString("." + name)
	for _, a := range args {
		m.WriteString(` "` + strings.ReplaceAll(Roff(a), `"`, `\(dq`) + `"`)
	}
	m.WriteByte('\n')
}

// text writes lines, and escapes what a formatter would take for a request.
func (m *man) text(text string) {
	for line := range strings.SplitSeq(strings.ReplaceAll(text, noBreak, " "), "\n") {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			m.WriteString(`\&`)
		}
		m.WriteString(Roff(line) + "\n")
	}
}

// item writes a name in bold, and a text below it.
func (m *man) item(name, text string) {
	m.macro("TP")
	m.macro("B", name)
	m.text(text)
}

// topic writes a section of its own.
func (m *man) topic(t *Topic) {
	m.macro("SH", strings.ToUpper(t.Name))
	m.text(t.Title + ".")
	m.text(t.About)
	for _, f := range t.Forms {
		m.item(f[0], f[1])
	}
}

// flags writes the flags of a category in order of their names.
func (m *man) flags(category string, flags []cli.Flag) {
	of := visible(category, flags)
	if len(of) > 0 {
		m.macro("SS", category)
	}
	for _, f := range of {
		m.item(FlagText(f))
	}
}

// status writes the exit status.
func (m *man) status(list []process.Status) {
	m.macro("SH", "EXIT STATUS")
	for _, s := range list {
		m.item(s.Code, s.Meaning)
	}
}

// Roff escapes what means something to a formatter.
func Roff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "~", `\(ti`, "^", `\(ha`, "`", `\(ga`, "'", `\(aq`).Replace(text)
}
