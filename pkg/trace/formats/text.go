package formats

import (
	"bytes"
	"errors"
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

// errFields is the error of a line that ends too early.
var errFields = errors.New("too few fields")
