package shell

import (
	"regexp"
	"strings"
)

// substitution is a command s of sed.
type substitution struct {
	pattern *regexp.Regexp
	by      string
	all     bool
}

func (t *tool) sed() bool {
	options, args, ok := letters(t.args, "ef")
	program, given := options["e"]
	_, extended := options["E"]
	if _, also := options["r"]; also {
		extended = true
	}
	if strings.Trim(optionNames(options), "eEr") != "" || !ok {
		return false
	}
	if !given {
		if len(args) == 0 {
			return false
		}
		program, args = args[0], args[1:]
	}
	list, ok := substitutions(program, extended)
	if !ok {
		return false
	}
	text := t.read(args)
	for _, l := range lines(text) {
		for _, s := range list {
			l = s.apply(l)
		}
		t.print(l)
	}
	return true
}

// apply substitutes in a line.
func (s *substitution) apply(line string) string {
	n := 1
	if s.all {
		n = -1
	}
	var b strings.Builder
	end := 0
	for _, m := range s.pattern.FindAllStringSubmatchIndex(line, n) {
		b.WriteString(line[end:m[0]])
		b.Write(s.pattern.ExpandString(nil, s.by, line, m))
		end = m[1]
	}
	return b.String() + line[end:]
}

// substitutions reads a program of sed that consists of commands s.
func substitutions(program string, extended bool) (list []*substitution, ok bool) {
	rest := strings.TrimLeft(program, " ;\n")
	for rest != "" {
		if len(rest) < 4 || rest[0] != 's' {
			return nil, false
		}
		var parts [2]string
		delimiter := rest[1]
		rest = rest[2:]
		for i := range parts {
			end := 0
			for end < len(rest) && rest[end] != delimiter {
				if rest[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(rest) {
				return nil, false
			}
			parts[i], rest = strings.ReplaceAll(rest[:end], `\`+string(delimiter), string(delimiter)), rest[end+1:]
		}
		flags := rest[:len(rest)-len(strings.TrimLeft(rest, "gIi"))]
		rest = strings.TrimLeft(rest[len(flags):], " ")
		if rest != "" && rest[0] != ';' && rest[0] != '\n' {
			return nil, false
		}
		rest = strings.TrimLeft(rest, " ;\n")
		text := expression(parts[0], extended)
		if strings.ContainsAny(flags, "iI") {
			text = "(?i)" + text
		}
		pattern, err := regexp.Compile(text)
		if err != nil {
			return nil, false
		}
		list = append(list, &substitution{pattern, replacement(parts[1]), strings.Contains(flags, "g")})
	}
	return list, len(list) > 0
}

// expression makes of an expression of sed one of package regexp: in the basic form brackets and some others are special with a
// backslash only.
func expression(text string, extended bool) string {
	if extended {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch ch := text[i]; {
		case ch == '\\' && i+1 < len(text):
			i++
			if !strings.ContainsRune("(){}+?|", rune(text[i])) {
				b.WriteByte('\\')
			}
			b.WriteByte(text[i])
		case strings.ContainsRune("(){}+?|", rune(ch)):
			b.WriteString(`\` + string(ch))
		default:
			b.WriteByte(ch)
		}
	}
	return b.String()
}

// replacement makes of that of sed one of package regexp.
func replacement(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch ch := text[i]; {
		case ch == '\\' && i+1 < len(text):
			i++
			switch {
			case text[i] >= '0' && text[i] <= '9':
				b.WriteString("${" + text[i:i+1] + "}")
			case text[i] == 'n':
				b.WriteByte('\n')
			default:
				b.WriteByte(text[i])
			}
		case ch == '&':
			b.WriteString("${0}")
		case ch == '$':
			b.WriteString("$$")
		default:
			b.WriteByte(ch)
		}
	}
	return b.String()
}
