package exchange

const upperHex = "0123456789ABCDEF"

// unreserved are the bytes that S3 wants as they are; every other one is written %XX.
var unreserved = func() (t [256]bool) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.', c == '~':
			t[c] = true
		}
	}
	return t
}()

// AppendPath appends a key as S3 wants it in a path: slashes are kept.
func AppendPath(b []byte, key string) []byte { return appendEscaped(b, key, '/') }

// AppendQuery appends a name or a value of a query as S3 wants it signed, which any server understands.
func AppendQuery(b []byte, s string) []byte { return appendEscaped(b, s, '-') }

// appendEscaped escapes all but the unreserved bytes and one more.
func appendEscaped(b []byte, s string, kept byte) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if unreserved[c] || c == kept {
			b = append(b, c)
			continue
		}
		b = append(b, '%', upperHex[c>>4], upperHex[c&15])
	}
	return b
}

// AppendParams appends a query, escaped.
func AppendParams(b []byte, params []Param) []byte {
	for i := range params {
		if i > 0 {
			b = append(b, '&')
		}
		b = append(AppendQuery(b, params[i].Name), '=')
		b = AppendQuery(b, params[i].Value)
	}
	return b
}
