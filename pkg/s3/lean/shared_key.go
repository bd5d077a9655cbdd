package lean

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"warp/pkg/s3/exchange"
)

// sharedKeySigner makes the signatures of Azure's SharedKey.
type sharedKeySigner struct {
	mac
	source *atomic.Pointer[exchange.Keys]
	keys   *exchange.Keys // that the states of the MAC follow from
	second int64          // that the stamp stands for
	stamp  []byte         // Wed, 25 Nov 2026 08:00:00 GMT
	text   []byte         // that is signed
}

func newSharedKeySigner(keys *atomic.Pointer[exchange.Keys]) (*sharedKeySigner, error) {
	s := &sharedKeySigner{source: keys, second: -1}
	return s, s.init()
}

func (s *sharedKeySigner) at(now time.Time, _ string, keys *exchange.Keys) error {
	if keys == nil {
		keys = s.source.Load()
	}
	if keys != s.keys {
		key, err := keys.AccountKey()
		if err == nil {
			err = keys.Check("")
		}
		if err == nil {
			err = s.setKey(key)
		}
		if err != nil {
			return fmt.Errorf("signature: %w", err)
		}
		s.keys = keys
	}
	if second := now.Unix(); second != s.second {
		s.second, s.stamp = second, now.UTC().AppendFormat(s.stamp[:0], http.TimeFormat)
	}
	return nil
}

func (s *sharedKeySigner) date() []byte { return s.stamp }

func (s *sharedKeySigner) token() (header, value string) { return "", "" }

func (s *sharedKeySigner) begin(f *form) { f.dynamic("X-Ms-Date", slotDate) }

// signedLines are the headers whose values, or nothing, begin the text that is signed. The length is no field. The date is that of
// x-ms-date.
var signedLines = [...]string{
	"content-encoding", "content-language", "content-length", "content-md5", "content-type", "date",
	"if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range",
}

const lengthLine = 2

// sharedKey says where the signature finds its headers among the fields of a form.
type sharedKey struct {
	lines [len(signedLines)]int // place, from 1; 0: there is no such header
	named []int                 // x-ms-*, in the order of the signature
}

func (s *sharedKeySigner) complete(f *form) {
	for i := range f.fields {
		name := f.fields[i].lower
		if line := slices.Index(signedLines[:], name); line >= 0 {
			f.shared.lines[line] = i + 1
		}
		if strings.HasPrefix(name, "x-ms-") {
			f.shared.named = append(f.shared.named, i)
		}
	}
	slices.SortFunc(f.shared.named, func(a, b int) int { return compareNames(f.fields[a].lower, f.fields[b].lower) })
}

// compareNames orders headers as Azure does: hyphens count only between names that are else the same, and an underscore comes before
// digits, digits before letters.
func compareNames(a, b string) int {
	i, j := 0, 0
	for {
		for i < len(a) && a[i] == '-' {
			i++
		}
		for j < len(b) && b[j] == '-' {
			j++
		}
		switch {
		case i == len(a) && j == len(b):
			return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
		case i == len(a):
			return -1
		case j == len(b):
			return 1
		}
		if c := cmp.Compare(nameWeight(a[i]), nameWeight(b[j])); c != 0 {
			return c
		}
		i, j = i+1, j+1
	}
}

func nameWeight(c byte) int {
	switch {
	case c == '_':
		return 1
	case c >= '0' && c <= '9', c >= 'a' && c <= 'z':
		return 256 + int(c)
	}
	return 2 + int(c)
}

// sign appends the Authorization header to b.
func (s *sharedKeySigner) sign(b []byte, f *form, at *places, q *exchange.Request) ([]byte, error) {
	t := append(append(s.text[:0], f.method...), '\n')
	for line, place := range f.shared.lines {
		switch {
		case line == lengthLine && q.Size > 0 && q.HasBody():
			t = strconv.AppendInt(t, q.Size, 10)
		case place > 0:
			t = appendValue(t, b, &f.fields[place-1], at.fields[place-1])
		}
		t = append(t, '\n')
	}
	for _, i := range f.shared.named {
		t = append(append(t, f.fields[i].lower...), ':')
		t = append(appendValue(t, b, &f.fields[i], at.fields[i]), '\n')
	}
	t = append(append(append(t, '/'), s.keys.Access...), b[at.path.from:at.path.to]...)
	for i := range q.Query {
		t = append(append(append(t, '\n'), q.Query[i].Name...), ':')
		t = append(t, q.Query[i].Value...)
	}
	s.text = t
	sum, err := s.of(t)
	if err != nil {
		return nil, err
	}
	b = append(append(append(b, "Authorization: SharedKey "...), s.keys.Access...), ':')
	b = base64.StdEncoding.AppendEncode(b, sum)
	return append(b, "\r\n"...), nil
}

// appendValue appends the value of a header as it is signed.
func appendValue(t, b []byte, fd *field, p part) []byte {
	if fd.slot == slotFixed {
		return append(t, fd.value...)
	}
	return exchange.AppendCanonical(t, b[p.from:p.to])
}
