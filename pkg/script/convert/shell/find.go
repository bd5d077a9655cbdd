package shell

import (
	"context"
	"strings"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// Read drafts the scenario of the one command line of a program in a shell script; see find.
func Read(d *draft.Draft, text, program string, command func(*draft.Draft, *draft.Command)) {
	if c := find(text, program, &d.Problems); c != nil {
		command(d, c)
	}
}

// find returns the one command line of a program in a shell script. Variables without a value become the scenario's, as in ${HOST}. A
// text that begins with an option holds options only.
func find(text, program string, errs *draft.Problems) *draft.Command {
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "-") {
		text = program + " " + strings.TrimLeft(text, " \t\r\n")
	}
	var found []*draft.Command
	_, wrong := parse(text)
	if wrong != nil {
		errs.Addf(wrong.Pos, "%s", wrong.Text)
		return nil
	}
	sc := &Script{text: text}
	result, err := sc.Run(context.Background(), &World{
		Check: true,
		Dir:   "/",
		Keep:  true,
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
