package usage

import (
	"cmp"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
)

// ManPages returns the pages of warp and all of its commands by the names of their files. Operations of a search or sweep have none: they
// have the flags of that command and of their benchmark.
func ManPages(r *cli.Command) map[string]string {
	pages := map[string]string{"warp.1": rootPage(r)}
	var add func(name, path string, c *cli.Command)
	add = func(name, path string, c *cli.Command) {
		if c.Hidden {
			return
		}
		pages[name+".1"] = manPage(name, path, c)
		for _, sub := range PagedCommands(c) {
			add(name+"-"+sub.Name, path+" "+sub.Name, sub)
		}
	}
	for _, c := range r.Commands {
		add("warp-"+c.Name, "warp "+c.Name, c)
	}
	return pages
}

// PagedCommands returns the commands below a command that have man pages: there is more to say than a line.
func PagedCommands(c *cli.Command) (list []*cli.Command) {
	for _, sub := range c.Commands {
		if commandsTitle(c) == "" && (sub.Description != "" || sub.UsageText != "") {
			list = append(list, sub)
		}
	}
	return list
}

// rootExamples are the examples of warp(1): what they do, and the command.
var rootExamples = [][2]string{
	{"Try warp on the embedded server:", "warp get --duration=5s --obj.size=1MiB --objects=100"},
	{
		"Check a store, then measure it; credentials are in WARP_ACCESS_KEY and WARP_SECRET_KEY, or where AWS tools have them:",
		"warp doctor --host=s3.example.com:9000\nwarp mixed --host=s3.example.com:9000 --duration=1m --html=mixed.html",
	},
	{"Find the highest rate of downloads at which 99% take less than 50 ms:", "warp search get --host=s3.example.com:9000 --slo='p99<50ms'"},
	{"Compare two runs, and fail if downloads have become slower:", "warp cmp --fail-if='GET.p99>+10%' before.csv.zst after.csv.zst"},
	{"Print what a scenario would do and cost, then run it:", "warp run --explain mixed.warp.yaml\nwarp run mixed.warp.yaml"},
}

// rootFiles are the files of warp(1).
var rootFiles = [][2]string{
	{
		"warp-COMMAND-TIME-ID.csv.zst",
		"The recording of a run, in the working directory unless --benchdata names it: all operations, as compressed CSV.",
	},
	{"*.warp.yaml", "Scenarios; see warp-run(1)."},
	{"~/.aws/config, ~/.aws/credentials", "Profiles with hosts, regions and keys, as for AWS tools."},
}

// rootPage is the page of warp itself.
func rootPage(r *cli.Command) string {
	m := newMan("warp", r.Usage)
	m.macro("SH", "SYNOPSIS")
	m.macro("B", "warp COMMAND")
	m.text("[flags]")
	m.macro("SH", "DESCRIPTION")
	m.text("Measures S3-compatible object storage. With no --host, most commands measure a server embedded in warp.")
	m.text("\"warp COMMAND -h\" prints the flags of a first run, \"warp COMMAND --help\" all of them, and \"warp help TOPIC\" a topic below.")
	m.macro("SH", "COMMANDS")
	for _, g := range CommandGroups(r) {
		m.macro("SS", g.Title)
		for _, c := range g.Commands {
			m.item("warp-"+c.Name+"(1)", c.Usage)
		}
	}
	m.macro("SH", "EXAMPLES")
	for _, e := range rootExamples {
		m.macro("PP")
		m.text(e[0])
		m.example(e[1])
	}
	m.macro("SH", "VALUES OF FLAGS")
	for _, t := range Topics {
		if t.Name != environment {
			m.macro("SS", t.Title)
			m.topic(&t)
		}
	}
	t, _ := FindTopic(environment)
	m.macro("SH", "ENVIRONMENT")
	m.topic(&t)
	m.macro("SH", "FILES")
	for _, f := range rootFiles {
		m.item(f[0], f[1])
	}
	m.status(process.ExitStatus)
	m.macro("SH", "SEE ALSO")
	m.text("warp-get(1), warp-mixed(1), warp-doctor(1), warp-run(1), warp-search(1), warp-analyze(1), warp-cmp(1)")
	return m.String()
}

// manPage is the page of a command.
func manPage(name, path string, c *cli.Command) string {
	m := newMan(name, c.Usage)
	m.macro("SH", "SYNOPSIS")
	m.macro("B", path)
	shared := shown(SharedFlags(c))
	if len(shared) > 0 {
		m.text(c.ArgsUsage + " [flags]")
	} else {
		m.text(strings.TrimSpace("[flags] " + c.ArgsUsage))
	}
	if c.Description != "" {
		m.macro("SH", "DESCRIPTION")
		m.text(c.Description)
	}
	if len(c.Commands) > 0 {
		m.macro("SH", strings.ToUpper(cmp.Or(commandsTitle(c), "Commands")))
	}
	for _, sub := range c.Commands {
		switch {
		case len(shared) > 0:
			m.item(sub.Name, sub.Usage+"; see warp-"+sub.Name+"(1)")
		case slices.Contains(PagedCommands(c), sub):
			m.item(name+"-"+sub.Name+"(1)", sub.Usage)
		default:
			m.item(sub.Name, sub.Usage)
		}
	}
	m.macro("SH", "OPTIONS")
	first := First(c)
	m.flags("", shared)
	m.flags("Common", first)
	for _, category := range flags.Categories {
		m.flags(category, visible(category, c.Flags, first))
	}
	if c.UsageText != "" {
		m.macro("SH", "EXAMPLE")
		m.example(c.UsageText)
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

// example writes lines as they are.
func (m *man) example(text string) {
	m.macro("EX")
	m.text(text)
	m.macro("EE")
}

// topic writes a topic below its heading.
func (m *man) topic(t *Topic) {
	m.text(t.About)
	for _, f := range t.Forms {
		m.item(f[0], f[1])
	}
}

// flags writes flags below a heading, if there is one.
func (m *man) flags(heading string, list []HelpFlag) {
	if len(list) > 0 && heading != "" {
		m.macro("SS", heading)
	}
	for _, f := range list {
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
