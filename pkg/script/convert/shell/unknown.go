package shell

import (
	"strings"
	"sync"
	"unicode/utf8"

	"warp/pkg/script"
)

// unknown is a value that is not known: of a variable without a value, or the output of a program that is not executed. A mark of one
// character stands for it, which passes through variables, quotes and pipes, so that it is known where the value is used.
type unknown struct {
	variable string // empty: it is an output
	output   string // what it is the output of, as the script says it
	secret   bool   // a variable that only credentials may have
	at       script.Pos
	mark     string
}

// firstMark is the mark of the first unknown value, in an area for private use.
const firstMark = 0xF0000

// maxMarks is the number of characters there.
const maxMarks = 0xFFFD

// unknowns are the unknown values of a script.
type unknowns struct {
	mu   sync.Mutex
	list []unknown
}

// mark returns the mark of a value. Those beyond the area have that of the last one.
func (u *unknowns) mark(v unknown) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.list) < maxMarks {
		v.mark = string(rune(firstMark + len(u.list)))
		u.list = append(u.list, v)
	}
	return u.list[len(u.list)-1].mark
}

// lookup returns what a character stands for.
func (u *unknowns) lookup(r rune) (unknown, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if i := int(r) - firstMark; i >= 0 && i < len(u.list) {
		return u.list[i], true
	}
	return unknown{}, false
}

// in returns the unknown values in a text.
func (u *unknowns) in(text string) (list []unknown) {
	for _, r := range text {
		if v, ok := u.lookup(r); ok {
			list = append(list, v)
		}
	}
	return list
}

// replace replaces the marks in a text.
func (u *unknowns) replace(text string, by func(unknown) string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r >= firstMark }) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if v, ok := u.lookup(r); ok {
			b.WriteString(by(v))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// shown is a text for people.
func (u *unknowns) shown(text string) string { return u.replace(text, unknown.String) }

// whole returns the unknown value that a text is a mark of, or its part behind the first =.
func (u *unknowns) whole(text string) (unknown, bool) {
	if _, value, ok := strings.Cut(text, "="); ok {
		text = value
	}
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 || size != len(text) {
		return unknown{}, false
	}
	return u.lookup(r)
}

// String returns a value as the script writes it.
func (v unknown) String() string {
	if v.variable != "" {
		return "${" + v.variable + "}"
	}
	return "$(" + v.output + ")"
}

// kept returns a variable as a scenario has it; an output stays what it is.
func (v unknown) kept() string {
	if v.variable == "" {
		return v.mark
	}
	return v.String()
}
