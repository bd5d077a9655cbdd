package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/usage"
	"warp/internal/testkit"
)

// flagRow is a flag as the page of commands has it.
type flagRow struct{ category, name, text string }

// TestCommandsPage: docs/reference/commands.md is made of the help of each command. Flags that mean the same in most benchmarks are there once.
func TestCommandsPage(t *testing.T) {
	env, _ := testEnv(benchmarks()...)
	r := root(&env)
	shared := sharedFlags(r)
	p := &commandsPage{shared: shared}
	p.WriteString("# Commands and flags\n\n*Read this if you look for a flag. A test writes this page from the help.*\n\n" +
		"`warp COMMAND -h` prints the flags of a first run, `warp COMMAND --help` all of them. Values are explained in the\n" +
		"pages on [load](load.md), [objects](objects.md), [benchmarks](benchmarks.md), [the store](store.md),\n" +
		"[reports](reports.md) and [variables](variables.md).\n")
	groups := usage.CommandGroups(r)
	for _, g := range groups {
		fmt.Fprintf(p, "\n| %s | |\n|---|---|\n", g.Title)
		for _, c := range g.Commands {
			fmt.Fprintf(p, "| [%s](#warp-%s) | %s |\n", c.Name, c.Name, c.Usage)
		}
	}
	p.WriteString("\n## Flags that benchmarks share\n")
	for _, category := range flags.Categories {
		p.table(category, shared)
	}
	for _, g := range groups {
		for _, c := range g.Commands {
			p.command("warp "+c.Name, c)
		}
	}
	if testkit.Golden(t, "../docs/reference/commands.md", p.String()); t.Failed() {
		t.Log("a flag or command has changed: write the page again with \"go test ./cli -run TestCommandsPage -update\"")
	}
}

// rowsOf returns the flags of a command that help shows.
func rowsOf(c *cli.Command) (rows []flagRow) {
	for _, f := range c.Flags {
		if h, ok := f.(usage.HelpFlag); ok && h.IsVisible() && h.GetCategory() != "" {
			name, text := usage.FlagText(h)
			rows = append(rows, flagRow{h.GetCategory(), name, strings.ReplaceAll(text, "\u00a0", " ")})
		}
	}
	slices.SortFunc(rows, func(a, b flagRow) int { return strings.Compare(a.name, b.name) })
	return rows
}

// sharedFlags returns the flags that most benchmarks have with the same text.
func sharedFlags(r *cli.Command) (rows []flagRow) {
	names := benchmarks()
	count := map[flagRow]int{}
	for _, name := range names {
		for _, row := range rowsOf(r.Command(name)) {
			if count[row]++; count[row] == len(names)/2+1 && row.category != flags.CatWorkload {
				rows = append(rows, row)
			}
		}
	}
	slices.SortFunc(rows, func(a, b flagRow) int { return strings.Compare(a.name, b.name) })
	return rows
}

// commandsPage is the page being written.
type commandsPage struct {
	strings.Builder
	shared []flagRow
}

// command writes a section for a command and its subcommands.
func (p *commandsPage) command(name string, c *cli.Command) {
	if c.Hidden {
		return
	}
	fmt.Fprintf(p, "\n## %s\n\n%s.\n", name, strings.ToUpper(c.Usage[:1])+c.Usage[1:])
	if c.Description != "" {
		fmt.Fprintf(p, "\n%s\n", c.Description)
	}
	if c.UsageText != "" {
		fmt.Fprintf(p, "\n```\n%s\n```\n", c.UsageText)
	}
	if name == "warp search" || name == "warp sweep" {
		p.WriteString("\nIn addition to the flags of the operation:\n")
		for _, category := range flags.Categories {
			p.table(category, rowsOf(&cli.Command{Flags: usage.SharedFlags(c)}))
		}
		return // the commands of operations have the flags of their benchmark
	}
	all := rowsOf(c)
	own := slices.DeleteFunc(slices.Clone(all), func(row flagRow) bool { return slices.Contains(p.shared, row) })
	p.sharedOf(all)
	for _, category := range flags.Categories {
		p.table(category, own)
	}
	for _, sub := range c.Commands {
		p.command(name+" "+sub.Name, sub)
	}
}

// sharedOf says which of the shared flags a command has: it names them, or those that it lacks.
func (p *commandsPage) sharedOf(all []flagRow) {
	var has, lacks []string
	for _, row := range p.shared {
		flag, _, _ := strings.Cut(row.name, " ")
		flag = "`" + strings.TrimSuffix(flag, ",") + "`"
		if slices.Contains(all, row) {
			has = append(has, flag)
		} else {
			lacks = append(lacks, flag)
		}
	}
	const link = "[shared flags](#flags-that-benchmarks-share)"
	switch {
	case len(has) == 0:
	case len(lacks) == 0:
		fmt.Fprintf(p, "\nIt has all %s.\n", link)
	case len(lacks) < len(has):
		fmt.Fprintf(p, "\nIt has the %s except %s.\n", link, strings.Join(lacks, ", "))
	default:
		fmt.Fprintf(p, "\nOf the %s it has %s.\n", link, strings.Join(has, ", "))
	}
}

// table writes the flags of a category.
func (p *commandsPage) table(category string, rows []flagRow) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(row flagRow) bool { return row.category != category })
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(p, "\n| %s | |\n|---|---|\n", category)
	for _, row := range rows {
		fmt.Fprintf(p, "| `%s` | %s |\n", strings.ReplaceAll(row.name, "|", `\|`), markdownEscapes.Replace(row.text))
	}
}

// markdownEscapes are of what Markdown would read as a column or a tag.
var markdownEscapes = strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`)
