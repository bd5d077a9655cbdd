package page

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

//go:embed web/*.js web/*.css vendor/uplot
var files embed.FS

// module returns a file of the script, or its style.
func module(name string) string { return read("web/" + name) }

// vendored returns a file of uPlot.
func vendored(name string) string { return read("vendor/uplot/" + name) }

func read(path string) string {
	text, err := files.ReadFile(path)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// Modules refer to each other with these, each on a line of its own.
var (
	importLine = regexp.MustCompile(`(?m)^import \{[^}]*\} from "\./([a-z]+\.js)";\n`)
	exportWord = regexp.MustCompile(`(?m)^export (const|function|class|async function) `)
)

// bundle returns all modules as one: each after those that it imports, without the lines that join them. A page in one
// file can import nothing. So a name at the top of a module must be there once in all of them.
func bundle() string {
	var out strings.Builder
	var done []string
	var add func(name string, above []string)
	add = func(name string, above []string) {
		if slices.Contains(above, name) {
			panic(fmt.Sprintf("modules import each other: %q", append(above, name)))
		}
		if slices.Contains(done, name) {
			return
		}
		text := module(name)
		for _, m := range importLine.FindAllStringSubmatch(text, -1) {
			add(m[1], append(slices.Clone(above), name))
		}
		done = append(done, name)
		text = importLine.ReplaceAllString(text, "")
		out.WriteString(exportWord.ReplaceAllString(text, "$1 "))
	}
	add("main.js", nil)
	return out.String()
}
