package jsonapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
)

// Responses are read without package json, which takes as long as all the rest of a small request. Values are pieces of the text.

var errJSON = errors.New("not JSON")

// members calls a function for each member of an object, with the name as it stands between its quotes.
func members(text []byte, each func(name, value []byte)) error {
	return walk(text, '{', '}', each)
}

// elements calls a function for each element of an array.
func elements(text []byte, each func(_, value []byte)) error {
	return walk(text, '[', ']', each)
}

// walk reads an object or array, by the brackets around it.
func walk(text []byte, opens, closes byte, each func(name, value []byte)) error {
	text = skipBlank(text)
	if len(text) == 0 || text[0] != opens {
		return errJSON
	}
	text = skipBlank(text[1:])
	for first := true; ; first = false {
		switch {
		case len(text) == 0:
			return errJSON
		case text[0] == closes:
			if len(skipBlank(text[1:])) > 0 {
				return errJSON
			}
			return nil
		case !first && text[0] != ',':
			return errJSON
		case !first:
			text = skipBlank(text[1:])
		}
		var name []byte
		var n int
		if opens == '{' {
			if n = valueEnd(text); n < 2 || text[0] != '"' {
				return errJSON
			}
			name, text = text[1:n-1], skipBlank(text[n:])
			if len(text) == 0 || text[0] != ':' {
				return errJSON
			}
			text = skipBlank(text[1:])
		}
		if n = valueEnd(text); n == 0 {
			return errJSON
		}
		each(name, text[:n])
		text = skipBlank(text[n:])
	}
}

func skipBlank(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\n' || text[0] == '\r' || text[0] == '\t') {
		text = text[1:]
	}
	return text
}

// valueEnd returns where the value that a text begins with ends; 0 if there is none.
func valueEnd(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	switch text[0] {
	case '"':
		return stringEnd(text)
	case '{', '[':
		return nestedEnd(text)
	}
	for i, c := range text {
		switch c {
		case ',', ']', '}', ' ', '\n', '\r', '\t':
			return i
		case '"', ':', '{', '[':
			return 0
		}
	}
	return len(text)
}

// stringEnd returns where a string ends, whose first byte is its quote; 0 if it does not end.
func stringEnd(text []byte) int {
	for i := 1; ; i++ {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			return 0
		}
		i += n
		slashes := 0
		for text[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}

// nestedEnd returns where an object or array ends; 0 if it does not end.
func nestedEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			n := stringEnd(text[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// plain returns the bytes of a string, or of a number as it stands.
func plain(value []byte) ([]byte, error) {
	if len(value) < 2 || value[0] != '"' {
		return value, nil
	}
	return unescape(value[1 : len(value)-1])
}

// unescape returns the bytes of what stands between the quotes of a string.
func unescape(inner []byte) ([]byte, error) {
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner, nil
	}
	var s string
	err := json.Unmarshal([]byte(`"`+string(inner)+`"`), &s)
	return []byte(s), err
}

// number reads a number, which may stand in quotes.
func number(value []byte) (int64, error) {
	text, err := plain(value)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(text), 10, 64)
}
