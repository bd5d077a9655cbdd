package formats

import (
	"bytes"
	"encoding/json"
	"errors"
)

// eachField calls do for each member of a JSON object, with its value in JSON. It returns false if b is not an object, or not a whole one.
func eachField(b []byte, do func(name, value []byte)) bool {
	i := blanks(b, 0)
	if i >= len(b) || b[i] != '{' {
		return false
	}
	if i = blanks(b, i+1); i < len(b) && b[i] == '}' {
		return true
	}
	for i < len(b) && b[i] == '"' {
		nameEnd := stringEnd(b, i)
		if nameEnd < 0 {
			return false
		}
		name := b[i+1 : nameEnd-1]
		if i = blanks(b, nameEnd); i >= len(b) || b[i] != ':' {
			return false
		}
		from := blanks(b, i+1)
		end := valueEnd(b, from)
		if end < 0 {
			return false
		}
		do(name, b[from:end])
		if i = blanks(b, end); i >= len(b) {
			return false
		}
		if b[i] == '}' {
			return true
		}
		if b[i] != ',' {
			return false
		}
		i = blanks(b, i+1)
	}
	return false
}

// eachItem calls do for each value of a JSON array.
func eachItem(b []byte, do func(value []byte)) {
	if len(b) == 0 || b[0] != '[' {
		return
	}
	for i := blanks(b, 1); i < len(b) && b[i] != ']'; {
		end := valueEnd(b, i)
		if end < 0 {
			return
		}
		do(b[i:end])
		if i = blanks(b, end); i < len(b) && b[i] == ',' {
			i = blanks(b, i+1)
		}
	}
}

// blanks returns where the white space from i on ends.
func blanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// stringEnd returns the index behind the JSON string that begins at i; -1: it has no end.
func stringEnd(b []byte, i int) int {
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

// valueEnd returns the index behind the JSON value that begins at i; -1: it has no end.
func valueEnd(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
		depth := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				if i = stringEnd(b, i); i < 0 {
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
	from := i
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] > ' ' {
		i++
	}
	if i == from {
		return -1
	}
	return i
}

// textOf returns a JSON value as text: a string without quotes and escapes, nothing for null, other values as JSON.
func textOf(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' {
		if string(value) == "null" {
			return nil
		}
		return value
	}
	plain := value[1 : len(value)-1]
	if bytes.IndexByte(plain, '\\') < 0 {
		return plain
	}
	var s string
	if json.Unmarshal(value, &s) != nil {
		return plain
	}
	return []byte(s)
}

// errJSON is the error of a record that is not a JSON object, or is truncated.
var errJSON = errors.New("not a JSON object")

// fields are functions that set a T from members of a JSON object, by the names of the members.
type fields[T any] map[string]func(to T, value []byte)

// read sets to from an object. It calls other, unless that is nil, for members without a function. It returns false if the object is not
// whole.
func (f fields[T]) read(object []byte, to T, other func(name, value []byte)) bool {
	return eachField(object, func(name, value []byte) {
		switch set := f[string(name)]; {
		case set != nil:
			set(to, value)
		case other != nil:
			other(name, value)
		}
	})
}
