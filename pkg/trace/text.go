package trace

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
)

// cutField cuts the text before a separator off b. At the end of b there need be none.
func cutField(b []byte, sep byte) (field, rest []byte) {
	if i := bytes.IndexByte(b, sep); i >= 0 {
		return b[:i], b[i+1:]
	}
	return b, nil
}

// cutLast cuts the text behind the last separator off b.
func cutLast(b []byte, sep byte) (rest, field []byte, ok bool) {
	i := bytes.LastIndexByte(b, sep)
	if i < 0 {
		return nil, nil, false
	}
	return b[:i], b[i+1:], true
}

// decoded returns a text without the percent escapes of URLs; those that are none stay.
func (v *events) decoded(b []byte) []byte {
	i := bytes.IndexByte(b, '%')
	if i < 0 {
		return b
	}
	from := len(v.text)
	v.text = append(v.text, b[:i]...)
	for ; i < len(b); i++ {
		if b[i] == '%' && i+2 < len(b) {
			hi, lo := hexDigit(b[i+1]), hexDigit(b[i+2])
			if hi < 16 && lo < 16 {
				v.text = append(v.text, hi<<4|lo)
				i += 2
				continue
			}
		}
		v.text = append(v.text, b[i])
	}
	return v.text[from:]
}

func hexDigit(c byte) byte {
	switch {
	case c-'0' <= 9:
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 16
}

// number appends a number to the texts and returns it as text.
func (v *events) number(n uint64) []byte {
	from := len(v.text)
	v.text = binary.BigEndian.AppendUint64(v.text, n)
	return v.text[from:]
}

// pathOf splits the path of a URL, /bucket/key?query, into its parts.
func (v *events) pathOf(b []byte) (bucket, key, query []byte) {
	b, query = cutField(b, '?')
	if i := bytes.Index(b, []byte("://")); i >= 0 {
		_, b = cutField(b[i+3:], '/')
	}
	bucket, key = cutField(bytes.TrimPrefix(b, []byte("/")), '/')
	return bucket, v.decoded(key), query
}

// queryValue returns the value of a parameter of a query, and whether it is there.
func queryValue(query []byte, name string) (value []byte, ok bool) {
	for len(query) > 0 {
		var pair []byte
		pair, query = cutField(query, '&')
		if k, v := cutField(pair, '='); string(k) == name {
			return v, true
		}
	}
	return nil, false
}

// eachField calls do for the members of the JSON object that b holds; values are as they stand there. It returns false if b holds
// none, or not all of one.
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

// eachItem calls do for the values of the JSON array that b holds.
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

// textOf returns the text of a JSON value: that of a string without quotes and escapes, empty for null, others as they stand.
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
