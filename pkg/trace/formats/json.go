package formats

import (
	"bytes"
	"encoding/json"
	"errors"

	"warp/internal/jsonscan"
)

// eachField calls do for each member of a JSON object, with its value in JSON. It returns false if b is not an object, or not a whole one.
func eachField(b []byte, do func(name, value []byte)) bool {
	i := jsonscan.Blanks(b, 0)
	if i >= len(b) || b[i] != '{' {
		return false
	}
	if i = jsonscan.Blanks(b, i+1); i < len(b) && b[i] == '}' {
		return true
	}
	for i < len(b) && b[i] == '"' {
		nameEnd := jsonscan.StringEnd(b, i)
		if nameEnd < 0 {
			return false
		}
		name := b[i+1 : nameEnd-1]
		if i = jsonscan.Blanks(b, nameEnd); i >= len(b) || b[i] != ':' {
			return false
		}
		from := jsonscan.Blanks(b, i+1)
		end := valueEnd(b, from)
		if end < 0 {
			return false
		}
		do(name, b[from:end])
		if i = jsonscan.Blanks(b, end); i >= len(b) {
			return false
		}
		if b[i] == '}' {
			return true
		}
		if b[i] != ',' {
			return false
		}
		i = jsonscan.Blanks(b, i+1)
	}
	return false
}

// eachItem calls do for each value of a JSON array.
func eachItem(b []byte, do func(value []byte)) {
	if len(b) == 0 || b[0] != '[' {
		return
	}
	for i := jsonscan.Blanks(b, 1); i < len(b) && b[i] != ']'; {
		end := valueEnd(b, i)
		if end < 0 {
			return
		}
		do(b[i:end])
		if i = jsonscan.Blanks(b, end); i < len(b) && b[i] == ',' {
			i = jsonscan.Blanks(b, i+1)
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
		return jsonscan.StringEnd(b, i)
	case '{', '[':
		return jsonscan.NestedEnd(b, i)
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
