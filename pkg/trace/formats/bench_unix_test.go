//go:build unix

package formats

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"warp/internal/testkit"
	"warp/pkg/recording"
)

// endless repeats a text up to a number of bytes.
type endless struct {
	text string
	at   int
	left int64
}

func (e *endless) Read(b []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := copy(b, e.text[e.at:])
	if e.at += n; e.at == len(e.text) {
		e.at = 0
	}
	e.left -= int64(n)
	return n, nil
}

// BenchmarkRead reads each format: lines per second of processor time.
func BenchmarkRead(b *testing.B) {
	for _, s := range samples {
		text := s.text
		if i := strings.LastIndexByte(text, '\n'); i >= 0 && s.format != "oracle-general" {
			text = text[:i+1]
		} else if s.format == "oracle-general" {
			text = text[:2*oracleRecord]
		}
		b.Run(s.format, func(b *testing.B) {
			o := Options{Format: s.format, MaxMalformed: Limit{Percent: 100}}
			if s.columns != "" {
				o.Columns, _ = ParseColumns(s.columns)
			}
			first, _, _ := strings.Cut(text, "\n")
			header := strings.HasPrefix(first, "op_time") || strings.HasPrefix(first, "Timestamp")
			body := text
			if header {
				body = text[len(first)+1:]
			}
			long := strings.Repeat(body, max(1, 64<<10/len(body)))
			b.SetBytes(int64(len(long)))
			r, err := NewReader(o, recording.Input{Name: "bench", Open: func() (io.ReadCloser, error) {
				in := io.Reader(&endless{text: long, left: int64(len(long)) * int64(b.N)})
				if header {
					in = io.MultiReader(bytes.NewReader([]byte(first+"\n")), in)
				}
				return io.NopCloser(in), nil
			}})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.ResetTimer()
			begun := testkit.ProcessorTime(b)
			for r.Scan() {
			}
			took := testkit.ProcessorTime(b) - begun
			b.StopTimer()
			if r.Err() != nil {
				b.Fatal(r.Err())
			}
			b.ReportMetric(float64(r.Records)/took.Seconds(), "lines/cpu-s")
		})
	}
}
