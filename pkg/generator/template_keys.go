package generator

import (
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// keySeeds are what keys of a template follow from, in addition to the index.
type keySeeds struct {
	hash, second, shard uint64
	threads, client     uint64
}

func newKeySeeds(seed uint64, threads int) keySeeds {
	return keySeeds{
		hash:    Mix(seed, streamHash),
		second:  Mix(seed, streamHash+1),
		shard:   Mix(seed, streamShard),
		threads: uint64(max(1, threads)),
	}
}

// append appends the key of object i.
func (t *template) append(dst []byte, s *keySeeds, i uint64) []byte {
	for k := range t.elements {
		dst = t.elements[k].append(dst, s, i)
	}
	return dst
}

func (e *element) append(dst []byte, s *keySeeds, i uint64) []byte {
	switch e.kind {
	case literalText:
		return append(dst, e.literal...)
	case indexNumber:
		return appendPadded(dst, i, e.width, 10)
	case indexOver:
		return appendPadded(dst, i/e.n, e.width, 10)
	case indexMod:
		return appendPadded(dst, i%e.n, e.width, 10)
	case countNumber:
		return appendPadded(dst, i+1, e.width, 10)
	case shardNumber:
		return appendPadded(dst, Uniform(s.shard, i, e.n), digits(e.n-1, 10), 10)
	case depthDirs:
		width := digits(e.n-1, 16)
		for level := range uint64(e.width) {
			if level > 0 {
				dst = append(dst, '/')
			}
			dst = appendPadded(dst, Uniform(Mix(s.shard, level), i, e.n), width, 16)
		}
		return dst
	case hashHex:
		return appendPadded(dst, Mix(s.hash, i)>>(64-4*e.width), e.width, 16)
	case hashDecimal:
		return appendPadded(dst, Mix(s.hash, i), e.width, 10)
	case uuidText:
		return appendUUID(dst, Mix(s.hash, i), Mix(s.second, i))
	case sha256Text:
		return appendSHA256(dst, i)
	case dateText:
		return e.appendDate(dst, i)
	case threadNumber:
		return appendPadded(dst, i%s.threads, e.width, 10)
	default:
		return appendPadded(dst, s.client, e.width, 10)
	}
}

// appendPadded appends a number with zeros before it, up to a width.
func appendPadded(dst []byte, n uint64, width, base int) []byte {
	for k := digits(n, base); k < width; k++ {
		dst = append(dst, '0')
	}
	return strconv.AppendUint(dst, n, base)
}

// digits returns the number of digits of n.
func digits(n uint64, base int) (count int) {
	for count = 1; n >= uint64(base); n /= uint64(base) {
		count++
	}
	return count
}

const uuidLength = 36

// appendUUID appends a UUID of version 8, whose bits are free but for its version and variant (RFC 9562).
func appendUUID(dst []byte, hi, lo uint64) []byte {
	hi, lo = hi&^0xf000|0x8000, lo&^(3<<62)|2<<62
	dst = append(appendPadded(dst, hi>>32, 8, 16), '-')
	dst = append(appendPadded(dst, hi>>16&0xffff, 4, 16), '-')
	dst = append(appendPadded(dst, hi&0xffff, 4, 16), '-')
	dst = append(appendPadded(dst, lo>>48, 4, 16), '-')
	return appendPadded(dst, lo&(1<<48-1), 12, 16)
}

// appendDate appends the date of object i.
func (e *element) appendDate(dst []byte, i uint64) []byte {
	const second = uint64(time.Second)
	step := uint64(e.step)
	hi, lo := bits.Mul64(i%dateRange, step/second%dateRange)
	whole := bits.Rem64(hi, lo, dateRange)
	hi, lo = bits.Mul64(i, step%second)
	parts, _ := bits.Div64(hi, lo, second)
	at := time.Unix(int64((uint64(e.start)+whole+parts%dateRange)%dateRange), 0).UTC()
	for k := 0; k < len(e.layout); k++ {
		if e.layout[k] != '%' {
			dst = append(dst, e.layout[k])
			continue
		}
		k++
		n, width := 0, 2
		switch e.layout[k] {
		case 'Y':
			n, width = at.Year(), 4
		case 'm':
			n = int(at.Month())
		case 'd':
			n = at.Day()
		case 'H':
			n = at.Hour()
		case 'M':
			n = at.Minute()
		case 'S':
			n = at.Second()
		}
		dst = appendPadded(dst, uint64(n), width, 10)
	}
	return dst
}

// index returns the index whose key may be this one. Whether it is must be seen by making that key.
func (t *template) index(key string, s *keySeeds) (i uint64, ok bool) {
	var value, rest string
	for k := range t.elements {
		n, ok := t.elements[k].length(key)
		if !ok {
			return 0, false
		}
		switch k {
		case t.source:
			value = key[:n]
		case t.rest:
			rest = key[:n]
		}
		key = key[n:]
	}
	if key != "" {
		return 0, false
	}
	e := &t.elements[t.source]
	switch e.kind {
	case uuidText:
		return uuidIndex(value, s)
	case sha256Text:
		return hashed.find(value)
	}
	base := 10
	if e.kind == hashHex {
		base = 16
	}
	n, err := strconv.ParseUint(value, base, 64)
	if err != nil {
		return 0, false
	}
	switch e.kind {
	case countNumber:
		return n - 1, n > 0
	case hashHex, hashDecimal:
		return unmix(s.hash, n), true
	case indexOver:
		r, err := strconv.ParseUint(rest, 10, 64)
		return n*e.n + r, err == nil && n <= maxIndex/e.n
	}
	return n, true
}

// maxIndex is above the index of any object.
const maxIndex = 1 << 62

// uuidIndex returns the index that a UUID follows from: its version hides four bits of a hash.
func uuidIndex(text string, s *keySeeds) (i uint64, ok bool) {
	hi, err := strconv.ParseUint(strings.ReplaceAll(text[:18], "-", ""), 16, 64)
	if err != nil {
		return 0, false
	}
	var buf [uuidLength]byte
	for version := range uint64(16) {
		whole := hi&^0xf000 | version<<12
		if i = unmix(s.hash, whole); string(appendUUID(buf[:0], whole, Mix(s.second, i))) == text {
			return i, true
		}
	}
	return 0, false
}

// length returns how many bytes of a key the element takes.
func (e *element) length(key string) (n int, ok bool) {
	switch {
	case e.kind == literalText:
		return len(e.literal), strings.HasPrefix(key, e.literal)
	case e.variable():
		for n < len(key) && isDigit(key[n]) {
			n++
		}
		return n, n >= e.width
	}
	n = e.fixed()
	return n, n <= len(key)
}

// fixed returns the length of an element that always has the same.
func (e *element) fixed() int {
	switch e.kind {
	case indexMod:
		return e.width
	case shardNumber:
		return digits(e.n-1, 10)
	case depthDirs:
		return e.width*(digits(e.n-1, 16)+1) - 1
	case uuidText:
		return uuidLength
	case sha256Text:
		return sha256Digits
	case dateText:
		return len(e.appendDate(nil, 0))
	}
	return e.width
}
