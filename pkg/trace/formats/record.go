package formats

import (
	"bytes"
	"encoding/binary"
)

// decoded returns a text without the percent escapes of URLs. Invalid escapes stay.
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

func hexDigit(c byte) byte {
	switch {
	case c-'0' <= 9:
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 16
}
