package shell

import (
	"strings"

	"warp/pkg/script/convert/draft"
)

// lacksOwn reports whether variables of the program itself depend on what is not known, with complaints.
func (s *session) lacksOwn(c *command, l *Line) (found bool) {
	own := strings.ToUpper(l.Program) + "_"
	for _, v := range l.Env {
		if name, value, _ := strings.Cut(v, "="); strings.HasPrefix(name, own) && !s.Keep {
			found = s.useless(c, []draft.Word{{Text: value, At: l.At}}) || found
		}
	}
	return found
}

// hint says how to go on with an unknown value.
func (s *session) hint(v unknown) string {
	if v.variable != "" {
		return ""
	}
	return "; nothing but command lines of known tools is executed: set a variable to what it stands for, and its value with --var NAME=VALUE"
}

// useless reports whether words depend on what is not known, with complaints.
func (s *session) useless(c *command, words []draft.Word) (found bool) {
	for i, w := range words {
		if s.Keep {
			words[i].Text = s.unknowns.replace(w.Text, unknown.kept)
			w = words[i]
		}
		for _, v := range s.unknowns.in(w.Text) {
			whole, alone := s.unknowns.whole(w.Text)
			switch {
			case alone && whole.secret:
				words[i].Text = s.unknowns.replace(w.Text, unknown.kept) // as in a scenario, where only credentials take it
				continue
			case v.secret:
				s.complain(w.At, "the value of ${%s} is secret: only an option for credentials may have it", v.variable)
			case v.variable != "":
				s.missing(w.At, v.variable)
			case s.World.Exec != nil && s.Check:
				s.remark("line %d is not checked: it depends on the output of %s", w.At.Line, v.output)
			default:
				s.complain(w.At, "the output of %s is not known%s", v.output, s.hint(v))
			}
			found = true
		}
	}
	return found
}
