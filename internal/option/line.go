package option

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Line returns a text that becomes part of a header, without the blanks, line breaks and byte order marks at its ends, with which files and
// variables often end. An error does not repeat the text, which may be a secret.
func Line(text string) (line string, trimmed bool, err error) {
	line = strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
	if line == "" && text != "" {
		return "", true, errors.New("it holds nothing but blanks")
	}
	return line, line != text, CheckLine(line)
}

// CheckLine is an error if a text holds a control character. In a header, what follows a line break would be another header.
func CheckLine(text string) error {
	for i, r := range text {
		if unicode.IsControl(r) {
			return fmt.Errorf("it holds the control character %U after %d bytes (want one line of text)", r, i)
		}
	}
	return nil
}

// TrimmedText says that Line took a text without what it had at its ends.
func TrimmedText(source string) string {
	return source + ": blanks or line breaks at its ends are left out."
}
