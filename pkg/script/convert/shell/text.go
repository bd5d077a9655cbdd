package shell

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// letters splits options of one letter, as in -d, -f 1: each with its value if it has one.
func letters(args []string, withValue string) (options map[string]string, rest []string, ok bool) {
	options = map[string]string{}
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			return options, args[i+1:], true
		}
		if len(a) < 2 || a[0] != '-' {
			return options, args[i:], true
		}
		if a[1] == '-' {
			return nil, nil, false
		}
		for j := 1; j < len(a); j++ {
			letter := a[j : j+1]
			if !strings.Contains(withValue, letter) {
				options[letter] = ""
				continue
			}
			value := a[j+1:]
			if value == "" && i+1 < len(args) {
				i++
				value = args[i]
			}
			if old, twice := options[letter]; twice && letter == "e" {
				value = old + "\n" + value
			}
			options[letter] = value
			break
		}
	}
	return options, nil, true
}

// classes of characters in sets of tr.
var classes = strings.NewReplacer(
	"[:upper:]", "A-Z", "[:lower:]", "a-z", "[:digit:]", "0-9", "[:alpha:]", "A-Za-z", "[:alnum:]", "A-Za-z0-9", "[:space:]", `\t\n\v\f\r `,
	"[:blank:]", `\t `, "[:punct:]", "!\"#$%&'()*+,./:;<=>?@[\\\\]^_`{|}~\\-")

// charset expands a set of tr.
func charset(text string) (set []rune) {
	in := []rune(classes.Replace(text))
	for i := 0; i < len(in); i++ {
		r := in[i]
		if r == '\\' && i+1 < len(in) {
			i++
			r = in[i]
			if escaped := strings.IndexRune("ntrvf", r); escaped >= 0 {
				r = []rune("\n\t\r\v\f")[escaped]
			}
		} else if i+2 < len(in) && in[i+1] == '-' && in[i+2] >= r && in[i+2] < r+1000 {
			for ; r < in[i+2]; r++ {
				set = append(set, r)
			}
			i += 2
		}
		set = append(set, r)
	}
	return set
}

func (t *tool) tr() bool {
	options, sets, ok := letters(t.args, "")
	_, deletes := options["d"]
	_, squeezes := options["s"]
	_, complement := options["c"]
	if !ok || len(sets) == 0 || !deletes && !squeezes && len(sets) < 2 {
		return false
	}
	text := t.read(nil)
	from, to := charset(sets[0]), []rune(nil)
	if len(sets) > 1 {
		to = charset(sets[1])
	}
	in := func(r rune) bool {
		_, unknown := t.unknowns.lookup(r)
		return slices.Contains(from, r) != complement && !unknown
	}
	var b strings.Builder
	last := rune(-1)
	for _, r := range text {
		changed := in(r)
		switch {
		case changed && deletes:
			continue
		case changed && len(to) > 0:
			i := len(to) - 1
			if !complement {
				i = min(slices.Index(from, r), i)
			}
			r = to[i]
		}
		if squeezes && changed && r == last {
			continue
		}
		last = -1
		if changed {
			last = r
		}
		b.WriteRune(r)
	}
	_, _ = t.out.WriteString(b.String())
	return true
}

// ranges is a list of cut, as in 1,3-5,7-.
func ranges(list string) func(n int) bool {
	return func(n int) bool {
		for part := range strings.SplitSeq(list, ",") {
			from, to, isRange := strings.Cut(part, "-")
			switch {
			case !isRange && number(from) == n:
				return true
			case isRange && n >= number(from) && (to == "" || n <= number(to)):
				return true
			}
		}
		return false
	}
}

func (t *tool) cut() bool {
	options, files, ok := letters(t.args, "dfcb")
	fields, byField := options["f"]
	characters, byCharacter := options["c"]
	_, only := options["s"]
	if !ok || byField == byCharacter {
		return false
	}
	delimiter := "\t"
	if d, set := options["d"]; set {
		delimiter = d
	}
	text := t.read(files)
	for _, l := range lines(text) {
		var kept []string
		switch {
		case byCharacter:
			in, line := ranges(characters), ""
			for i, r := range []rune(l) {
				if in(i + 1) {
					line += string(r)
				}
			}
			t.print(line)
		case delimiter == "" || !strings.Contains(l, delimiter):
			if !only {
				t.print(l)
			}
		default:
			in := ranges(fields)
			for i, f := range strings.Split(l, delimiter) {
				if in(i + 1) {
					kept = append(kept, f)
				}
			}
			t.print(strings.Join(kept, delimiter))
		}
	}
	return true
}

// count returns the number of lines that head and tail are asked for.
func (t *tool) count() (n int, files []string, ok bool) {
	args := slices.Clone(t.args)
	if len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && number(args[0][1:]) > 0 {
		args[0] = "-n" + args[0][1:]
	}
	options, files, ok := letters(args, "n")
	n = 10
	if text, set := options["n"]; set {
		var err error
		if n, err = strconv.Atoi(strings.TrimPrefix(text, "+")); err != nil || n < 0 || strings.HasPrefix(text, "+") {
			return 0, nil, false
		}
		delete(options, "n")
	}
	delete(options, "q")
	return n, files, ok && len(options) == 0
}

func (t *tool) head() bool {
	n, files, ok := t.count()
	if !ok {
		return false
	}
	text := t.read(files)
	list := lines(text)
	return t.printAll(list[:min(n, len(list))])
}

func (t *tool) tail() bool {
	n, files, ok := t.count()
	if !ok {
		return false
	}
	text := t.read(files)
	list := lines(text)
	return t.printAll(list[max(0, len(list)-n):])
}

func (t *tool) sort() bool {
	options, files, ok := letters(t.args, "kto")
	if !ok || strings.Trim(optionNames(options), "nru") != "" {
		return false
	}
	text := t.read(files)
	list := lines(text)
	slices.Sort(list)
	if _, numeric := options["n"]; numeric {
		slices.SortStableFunc(list, func(a, b string) int { return number(strings.TrimSpace(a)) - number(strings.TrimSpace(b)) })
	}
	if _, reverse := options["r"]; reverse {
		slices.Reverse(list)
	}
	if _, unique := options["u"]; unique {
		list = slices.Compact(list)
	}
	return t.printAll(list)
}

func optionNames(options map[string]string) (names string) {
	for name := range options {
		names += name
	}
	return names
}

func (t *tool) uniq() bool {
	if len(t.args) > 0 {
		return false
	}
	text := t.read(nil)
	return t.printAll(slices.Compact(lines(text)))
}

func (t *tool) wc() bool {
	options, files, ok := letters(t.args, "")
	if !ok || len(options) != 1 || len(files) > 0 {
		return false
	}
	text := t.read(nil)
	if len(t.unknowns.in(text)) > 0 {
		_, _ = t.out.WriteString(text)
		return true
	}
	switch optionNames(options) {
	case "l":
		return t.print(strconv.Itoa(strings.Count(text, "\n")))
	case "w":
		return t.print(strconv.Itoa(len(strings.Fields(text))))
	case "c":
		return t.print(strconv.Itoa(len(text)))
	}
	return false
}

// awkPrint is the one program of awk that is computed: it prints fields.
var awkPrint = regexp.MustCompile(`^\s*\{\s*print((?:\s*,?\s*\$\d+)*)\s*;?\s*\}\s*$`)

func (t *tool) awk() bool {
	options, args, ok := letters(t.args, "Fv")
	if !ok || len(args) == 0 || len(options) > 1 {
		return false
	}
	m := awkPrint.FindStringSubmatch(args[0])
	separator, separated := options["F"]
	if m == nil || len(options) == 1 && !separated {
		return false
	}
	text := t.read(args[1:])
	for _, l := range lines(text) {
		fields := strings.Fields(l)
		if separated && separator != "" {
			fields = strings.Split(l, separator)
		}
		line := ""
		for part := range strings.SplitSeq(m[1], "$") {
			part, comma := strings.CutSuffix(strings.TrimSpace(part), ",")
			if n := number(part); part == "0" {
				line += l
			} else if n > 0 && n <= len(fields) {
				line += fields[n-1]
			}
			if comma {
				line += " "
			}
		}
		if strings.TrimSpace(m[1]) == "" {
			line = l
		}
		t.print(line)
	}
	return true
}

func (t *tool) basename() bool {
	if len(t.args) == 0 || len(t.args) > 2 || strings.HasPrefix(t.args[0], "-") {
		return false
	}
	name := path.Base(t.args[0])
	if len(t.args) == 2 && name != t.args[1] {
		name = strings.TrimSuffix(name, t.args[1])
	}
	return t.print(name)
}

func (t *tool) dirname() bool { return len(t.args) == 1 && t.print(path.Dir(t.args[0])) }
