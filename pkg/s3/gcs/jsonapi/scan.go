package jsonapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"warp/internal/jsonscan"
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

func skipBlank(text []byte) []byte { return text[jsonscan.Blanks(text, 0):] }

// valueEnd returns where the value at the beginning of a text ends; 0 if it is no value.
func valueEnd(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	switch text[0] {
	case '"':
		return max(0, jsonscan.StringEnd(text, 0))
	case '{', '[':
		return max(0, jsonscan.NestedEnd(text, 0))
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
