package shell

import (
	"context"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// Read drafts the scenario of the one command line of a program in a shell script; see find.
func Read(d *draft.Draft, text, program string, command func(*draft.Draft, *draft.Command)) {
	if c := find(text, program, &d.Problems); c != nil {
		c.Text, c.ReadFile = text, d.ReadFile
		command(d, c)
	}
}

// find returns the one command line of a program in a shell script. Variables without a value become the scenario's, as in ${HOST}. A
// text that begins with an option holds options only, which may be on several lines.
func find(text, program string, errs *draft.Problems) *draft.Command {
	above := 0 // lines that the text lacks
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "-") {
		text, above = program+" \\\n"+joinLines(text), 1
	}
	place := func(at script.Pos) script.Pos { return script.Pos{Line: max(at.Line-above, 1), Column: at.Column} }
	var found []*draft.Command
	_, wrong := parse(text)
	if wrong != nil {
		errs.Addf(place(wrong.Pos), "%s", wrong.Text)
		return nil
	}
	sc := &Script{text: text}
	result, err := sc.Run(context.Background(), &World{
		Check: true,
		Dir:   "/",
		Keep:  true,
		Known: func(name string) bool { return name == program },
		Run: func(_ context.Context, l *Line) error {
			l.At = place(l.At)
			for i := range l.Args {
				l.Args[i].At = place(l.Args[i].At)
			}
			found = append(found, &l.Command)
			return nil
		},
	})
	for _, c := range result.mistakes {
		errs.Addf(place(c.Pos), "%s", c.Text)
	}
	switch {
	case err != nil: // said
	case above > 0 && len(result.LeftOut) > 0:
		errs.Addf(script.Pos{}, "there are commands behind the options of %s", program)
	case len(found) == 0:
		errs.Addf(script.Pos{}, "there is no command line of %s", program)
	case len(found) > 1:
		errs.Addf(found[1].At, "a second command line of %s (want one in a file)", program)
	default:
		return found[0]
	}
	return nil
}

// joinLines returns words on several lines as one line of a shell, each at its place. A text that holds more than words stays.
func joinLines(text string) string {
	var b strings.Builder
	last := 0
	for w, err := range syntax.NewParser(syntax.Variant(syntax.LangBash)).WordsSeq(strings.NewReader(text)) {
		if err != nil {
			return text
		}
		from, to := int(w.Pos().Offset()), int(w.End().Offset())
		b.WriteString(strings.ReplaceAll(blank(text[last:from]), "\n", " \\\n"))
		b.WriteString(text[from:to])
		last = to
	}
	return b.String()
}

// blank returns what is between words without comments and line continuations.
func blank(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return ' '
	}, text)
}
