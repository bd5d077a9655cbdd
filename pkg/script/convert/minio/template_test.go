package minio

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"warp/pkg/script/convert/draft"
)

// expanded expands a template with some variables.
func expanded(text string) (string, error) {
	d := &draft.Draft{Given: draft.Given{Vars: map[string]string{"A": "a", "Sizes": "1KiB 2KiB", "Empty": "", "Ten": "0123456789"}}}
	text = expandTemplate(d, text)
	if len(d.List) > 0 {
		return "", errors.New(d.List[0].Text)
	}
	return text, nil
}

// TestTemplates: what the templates of MinIO warp can do.
func TestTemplates(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain",
		strings.Repeat("{{if .A}}", 5000) + "x" + strings.Repeat("{{end}}", 5000):                                    "x",
		"{{.A}} {{if .Empty}}x{{else}}y{{end}} {{with .A}}{{.}}{{end}}":                                              "a y a",
		`{{printf "%s-%03d" .A 7}} {{print .A "b"}} {{html "<"}} {{js "'"}} {{urlquery "a b"}}{{println}}`:           "a-007 ab &lt; \\' a+b\n",
		`{{range $i := 3}}{{if eq $i 1}}{{continue}}{{end}}{{$i}},{{end}}{{range 9}}{{break}}{{else}}none{{end}}`:    "0,2,",
		`{{define "size"}}obj: {{.}}{{end}}{{template "size" .A}} {{block "more" .}}{{.Ten}}{{end}}`:                 "obj: a 0123456789",
		`{{define "down"}}{{len .}}{{if .}}{{template "down" slice . 1}}{{end}}{{end}}{{template "down" .Ten}}`:      "109876543210",
		`{{$s := ""}}{{range 3}}{{$s = printf "%s%d" $s .}}{{end}}{{$s}} {{index . "A"}} {{and .A (or .Empty "z")}}`: "012 a z",
	} {
		if got, err := expanded(text); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
}

// TestTemplateBombs: a template that would take all memory, all time or all of the stack ends at a limit.
func TestTemplateBombs(t *testing.T) {
	double := `{{$a := "0123456789"}}` + strings.Repeat(`{{$a = printf "%s%s" $a $a}}`, 40)
	for name, c := range map[string]struct{ text, want string }{
		"doubled":            {double, "it m"},
		"doubled by print":   {strings.ReplaceAll(double, `printf "%s%s"`, "print"), "it makes"},
		"many variables":     {`{{$a := printf "%500d" 1}}` + strings.Repeat(`{{$b := print $a $a $a}}{{$a = print $a $a}}`, 30), "it makes"},
		"written":            {`{{range 1000000}}` + strings.Repeat("x", 1000) + `{{end}}`, "it becomes longer than"},
		"written for ever":   {`{{range 100000}}{{range 100000}}{{$.A}}{{end}}{{end}}`, "it t"},
		"silent":             {`{{range 1000000000000}}{{end}}`, "it takes more than 100000 steps"},
		"silent, nested":     {strings.Repeat(`{{range 100}}`, 30) + strings.Repeat(`{{end}}`, 30), "it takes more than 100000 steps"},
		"silent, comparing":  {`{{range 1000000000}}{{if or` + strings.Repeat(` (eq "a" "b")`, 1000) + `}}x{{end}}{{end}}`, "it takes more than 100000 steps"},
		"calls itself":       {`{{define "a"}}{{template "a"}}{{end}}{{template "a"}}`, "templates are nested more than 100 times"},
		"calls itself twice": {`{{define "a"}}{{if .}}{{template "a" slice . 1}}{{template "a" slice . 1}}{{end}}{{end}}{{template "a" "` + strings.Repeat("x", 60) + `"}}`, "it takes more than 100000 steps"},
		"many calls":         {`{{define "a"}}{{end}}{{range 10000000}}{{template "a"}}{{end}}`, "it takes more than 100000 steps"},
		"wide":               {`{{printf "%1000000d" 1}}`, "a width of more than 999"},
		"precise":            {`{{printf "%.99999f" 1.0}}`, "a width of more than 999"},
		"as wide as said":    {`{{printf "%*d" 1000000 1}}`, "a width of more than 999"},
		"one argument often": {`{{$a := printf "%0999d" 1}}{{printf "` + strings.Repeat("%[1]s", 100_000) + `" $a}}`, "it may make a text"},
		"many actions":       {strings.Repeat("{{.A}}", 20_000), "20000 actions (want at most 10000)"},
		"nested":             {strings.Repeat("{{if .A}}", 300_000) + strings.Repeat("{{end}}", 300_000), "600000 actions"},
		"parentheses":        {"{{" + strings.Repeat("(", 1_000_000) + strings.Repeat(")", 1_000_000) + "}}", "template:"},
		"calls what counts":  {"{{" + stepsFunction + " -1000000}}", "not defined"},
		"escaped":            {`{{$a := print "` + strings.Repeat("<", 300_000) + `"}}{{$a = html $a}}{{$a = html $a}}`, "it makes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := expanded(c.text)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s; %d bytes; want %s", shortened(fmt.Sprint(err)), len(text), c.want)
			}
		})
	}
}

// shortened returns the beginning of a text.
func shortened(text string) string { return text[:min(len(text), 300)] }

// FuzzTemplate: a template ends, within its limits.
func FuzzTemplate(f *testing.F) {
	for _, text := range []string{
		`{{range 3}}{{.}}{{end}}`, `{{define "a"}}{{template "a" slice . 1}}{{end}}{{template "a" .Ten}}`, `{{printf "%[1]q%5.3v" .A}}`, `{{block "b" .}}{{with $x := print .A}}{{$x}}{{end}}{{end}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		templateVariables(text)
		if out, _ := expanded(text); len(out) > draft.MaxText {
			t.Errorf("%d bytes", len(out))
		}
	})
}
