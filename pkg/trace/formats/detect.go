package formats

import "bytes"

// firstLine returns the first line that is not empty.
func firstLine(head []byte) []byte {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), "\r\n \t")
	line, _ := cutField(head, '\n')
	return bytes.TrimRight(line, "\r")
}

// isJSON reports whether a file begins with a JSON object, or with an array of objects, and head has all of these names.
func isJSON(head []byte, names ...string) bool {
	line := bytes.TrimLeft(firstLine(head), "[ \t\r\n")
	if len(line) > 0 && line[0] != '{' || len(line) == 0 && !bytes.Contains(head, []byte("{")) {
		return false
	}
	if len(line) > 2 { // the first object is one line
		head = line
	}
	for _, name := range names {
		if !bytes.Contains(head, []byte(`"`+name+`"`)) {
			return false
		}
	}
	return true
}
