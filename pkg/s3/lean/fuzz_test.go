package lean

import (
	"io"
	"testing"
)

// What is to be made of responses, in detail, is in the table of package conformance, which holds for both engines.

// FuzzResponse feeds the reader whatever comes: it must end, and without a panic, and never keep a connection of whose
// response anything is left.
func FuzzResponse(f *testing.F) {
	for _, response := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX-A: b\r\n\r\n",
		"HTTP/1.0 200 OK\nConnection: close\n\nhello",
		"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 304 Not Modified\r\nX-A: b\r\n c\r\n\r\n",
		"\x15\x03\x01\x00\x02\x02\x46",
	} {
		f.Add([]byte(response), uint8(len(response)), false)
		f.Add([]byte(response), uint8(1), true)
	}
	f.Fuzz(func(t *testing.T, response []byte, step uint8, isHead bool) {
		src := &memory{text: response, step: 1 + int(step), in: make([]byte, readBuffer)}
		m := "GET"
		if isHead {
			m = "HEAD"
		}
		var h responseHeader
		for seen := 0; ; {
			end, next := headerEnd(src.buffered(), seen)
			if seen = next; end >= 0 {
				if h.parse(src.buffered()[:end]) != nil {
					return
				}
				src.consume(end)
				break
			}
			if src.fill() != nil {
				return
			}
		}
		_, _ = h.all(), h.find("content-length")
		var b body
		b.begin(src, &h, m)
		got := 0
		for {
			p, err := b.next()
			if got += len(p); err != nil {
				break
			}
			if len(p) == 0 {
				t.Fatal("an empty piece")
			}
		}
		if got > len(response) {
			t.Errorf("%d bytes came out of %d", got, len(response))
		}
	})
}

// memory is a source of bytes that come in steps.
type memory struct {
	text []byte
	step int
	in   []byte
	r, w int
}

func (m *memory) buffered() []byte { return m.in[m.r:m.w] }
func (m *memory) consume(n int)    { m.r += n }

func (m *memory) fill() error {
	m.w = copy(m.in, m.in[m.r:m.w])
	m.r = 0
	if m.w == len(m.in) {
		return tooLong(len(m.in))
	}
	p, err := m.readBody(int64(len(m.in) - m.w))
	m.w += copy(m.in[m.w:], p)
	return err
}

func (m *memory) readBody(limit int64) ([]byte, error) {
	if len(m.text) == 0 {
		return nil, io.EOF
	}
	n := min(m.step, len(m.text), int(limit))
	p := m.text[:n]
	m.text = m.text[n:]
	return p, nil
}

func (m *memory) discard(limit int64) (int64, error) {
	p, err := m.readBody(limit)
	return int64(len(p)), err
}
