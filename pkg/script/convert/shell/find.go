package shell

import (
	"context"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// Find returns the one command line of a program in a shell script. Variables without a value become those of a scenario, as in ${HOST}. A
// text that begins with an option holds options only.
func Find(text, program string, errs *draft.Problems) *draft.Command {
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "-") {
		text = program + " " + strings.TrimLeft(text, " \t\r\n")
	}
	var found []*draft.Command
	file, wrong := parse(text)
	if wrong != nil {
		errs.Addf(wrong.Pos, "%s", wrong.Text)
		return nil
	}
	sc := &Script{text: text, file: file}
	result, err := sc.Run(context.Background(), &World{
		Check: true,
		Dir:   "/",
		keep:  true,
		Known: func(name string) bool { return name == program },
		Run: func(_ context.Context, l *Line) error {
			found = append(found, &l.Command)
			return nil
		},
	})
	for _, c := range result.mistakes {
		errs.Addf(c.Pos, "%s", c.Text)
	}
	switch {
	case err != nil: // said
	case len(found) == 0:
		errs.Addf(script.Pos{}, "there is no command line of %s", program)
	case len(found) > 1:
		errs.Addf(found[1].At, "a second command line of %s (want one in a file)", program)
	default:
		return found[0]
	}
	return nil
}

// plain are the characters of words without quotes.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+@%^"

// quoted writes a word as a shell reads it.
func quoted(word string) string {
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	text, err := syntax.Quote(word, syntax.LangBash)
	if err != nil {
		return word
	}
	return text
}
