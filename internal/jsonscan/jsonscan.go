// Package jsonscan finds where pieces of JSON end, for readers of many small texts: package json takes several times as long.
package jsonscan

import "bytes"

// Blanks returns where the white space from i on ends.
func Blanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// StringEnd returns the index behind the string that begins at i; -1: it has no end.
func StringEnd(b []byte, i int) int {
	for at := i + 1; ; {
		n := bytes.IndexByte(b[at:], '"')
		if n < 0 {
			return -1
		}
		quote := at + n
		back := quote
		for b[back-1] == '\\' {
			back--
		}
		if at = quote + 1; (quote-back)%2 == 0 {
			return at
		}
	}
}

// NestedEnd returns the index behind the object or array that begins at i; -1: it has no end.
func NestedEnd(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = StringEnd(b, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}
