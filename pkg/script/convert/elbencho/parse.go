package elbencho

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// job is the options of a run.
type job struct {
	*draft.Draft
	values draft.Settings
	paths  []draft.Word
}

// maxLines is how many options a file may have.
const maxLines = 1000

// file reads lines of key=value; a key that is there already stays. They are all at a place in another file, unless that is zero.
func (j *job) file(text string, within script.Pos) {
	lines := draft.Settings{}
	for n, line := range strings.Split(text, "\n") {
		at := within
		if at.IsZero() {
			at = script.Pos{Line: n + 1, Column: 1}
		}
		line, _, _ = strings.Cut(line, "#")
		key, value, assigned := strings.Cut(strings.TrimSpace(line), "=")
		switch {
		case key == "":
		case !assigned:
			j.Addf(at, "invalid line %q (want NAME=VALUE)", key)
		default:
			lines[strings.TrimSpace(key)] = draft.Word{Text: strings.TrimSpace(value), At: at}
		}
	}
	if len(lines) > maxLines {
		j.Addf(script.Pos{}, "%d options (want at most %d)", len(lines), maxLines)
		return
	}
	for key, value := range lines {
		if _, ok := j.values[key]; !ok {
			j.values[key] = value
		}
	}
}

// command reads the words of a command line.
func (j *job) command(args []draft.Word) {
	for i := 0; i < len(args); i++ {
		word := args[i]
		long, isLong := strings.CutPrefix(word.Text, "--")
		name, value, assigned := strings.Cut(long, "=")
		switch {
		case !isLong && (word.Text == "-" || !strings.HasPrefix(word.Text, "-")):
			j.paths = append(j.paths, word)
			continue
		case !isLong:
			name, value, assigned = j.letters(word)
		}
		if name == "" {
			continue
		}
		if !assigned && !slices.Contains(switches, name) && i+1 < len(args) {
			i++
			value, assigned = args[i].Text, true
		}
		if !assigned {
			value = "1"
		}
		j.values[name] = draft.Word{Text: value, At: word.At}
	}
}

// letters reads short options in one word: switches, then at most one with its value behind it.
func (j *job) letters(word draft.Word) (name, value string, assigned bool) {
	for i := 1; i < len(word.Text); i++ {
		name, known := short[word.Text[i]]
		if !known {
			j.Addf(word.At, "unknown option -%c", word.Text[i])
			return "", "", false
		}
		if rest := strings.TrimPrefix(word.Text[i+1:], "="); !slices.Contains(switches, name) {
			return name, rest, rest != ""
		}
		j.values[name] = draft.Word{Text: "1", At: word.At}
	}
	return "", "", false
}

// text returns an option, or its default.
func (j *job) text(name string) string {
	if w, ok := j.values[name]; ok {
		return w.Text
	}
	return draft.Default(options, name)
}

// at returns the place of an option.
func (j *job) at(name string) script.Pos { return j.values[name].At }

// on reports whether a switch is on, or a number above 0.
func (j *job) on(name string) bool { return !draft.IsOff(j.text(name)) }

// whole returns a whole number.
func (j *job) whole(name string) int64 {
	n, err := strconv.ParseInt(j.text(name), 10, 62)
	if err != nil || n < 0 && name != "numhosts" || n > 1<<40 {
		j.Addf(j.at(name), "%s: invalid value %q (want a number)", name, j.text(name))
		return 0
	}
	return n
}

var sizeForm = regexp.MustCompile(`^([0-9]+)([kKmMgGtTpPeE]?)$`)

// size returns a size: a number, and one letter for a power of 1024.
func (j *job) size(name string) int64 {
	text := j.text(name)
	if text == "" {
		return 0
	}
	m := sizeForm.FindStringSubmatch(text)
	if m == nil {
		j.Addf(j.at(name), "%s: invalid value %q (want digits and one of K, M, G, T, P and E, as in 4m)", name, text)
		return 0
	}
	n, err := strconv.ParseInt(m[1], 10, 62)
	shift := 10 * (strings.Index("kmgtpe", strings.ToLower(m[2])) + 1)
	if m[2] == "" {
		shift = 0
	}
	if err != nil || n > 1<<62>>shift {
		j.Addf(j.at(name), "%s: %s is too large", name, text)
		return 0
	}
	return n << shift
}

// Limits: names that brackets may stand for, and bytes of a name with brackets.
const (
	maxPaths   = 10_000
	maxBracket = 1000
)

var bracket = regexp.MustCompile(`^(.*?)\[([^\[\]]+)\](.*)$`)

// expand returns what a name with brackets stands for: [1-4] is a range, [1,5] a list.
func expand(name string) (list []string) {
	m := bracket.FindStringSubmatch(name)
	if m == nil || len(name) > maxBracket {
		return []string{name}
	}
	for item := range strings.SplitSeq(m[2], ",") {
		if len(list) >= maxPaths {
			break
		}
		from, to, isRange := strings.Cut(item, "-")
		first, err := strconv.Atoi(from)
		last, bad := strconv.Atoi(to)
		if !isRange || err != nil || bad != nil || last-first >= maxPaths {
			list = append(list, expand(m[1]+item+m[3])...)
			continue
		}
		for n := first; n <= last && len(list) < maxPaths; n++ {
			number := strconv.Itoa(n)
			for len(number) < len(from) {
				number = "0" + number
			}
			list = append(list, expand(m[1]+number+m[3])...)
		}
	}
	return list
}

// names returns the names of a list with commas outside of brackets.
func names(text string) (list []string) {
	depth, begin := 0, 0
	add := func(name string) {
		if name = strings.TrimSpace(name); name != "" && len(list) < maxPaths {
			list = append(list, expand(name)...)
		}
	}
	for i, c := range text {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth == 0 {
				add(text[begin:i])
				begin = i + 1
			}
		}
	}
	add(text[begin:])
	return list
}
