package generator

import (
	"math/bits"
	"strconv"
	"strings"
	"time"

	"warp/internal/naming"
)

// keySeeds are what keys of a template follow from, in addition to the index.
type keySeeds struct {
	hash, second, shard uint64
	threads, client     uint64
	buckets, bucket     uint64 // number of buckets; that of a found key
}

func newKeySeeds(seed uint64, threads, buckets int) keySeeds {
	return keySeeds{
		hash:    Mix(seed, streamHash),
		second:  Mix(seed, streamHash+1),
		shard:   Mix(seed, streamShard),
		threads: uint64(max(1, threads)),
		buckets: uint64(max(1, buckets)),
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
		return e.number.Append(dst, i)
	case bucketNumber:
		return e.number.Append(dst, i/s.buckets)
	case threadNumber:
		return e.number.Append(dst, i%s.threads)
	case clientNumber:
		return e.number.Append(dst, s.client)
	case fnvNumber:
		return naming.Pad(dst, fnv(e.number.Of(i)), e.number.Width, 10)
	case shardNumber:
		return naming.Pad(dst, Uniform(s.shard, i, e.n), naming.Digits(e.n-1, 10), 10)
	case depthDirs:
		width := naming.Digits(e.n-1, 16)
		for level := range uint64(e.width) {
			if level > 0 {
				dst = append(dst, '/')
			}
			dst = naming.Pad(dst, Uniform(Mix(s.shard, level), i, e.n), width, 16)
		}
		return dst
	case hashHex:
		return naming.Pad(dst, Mix(s.hash, i)>>(64-4*e.width), e.width, 16)
	case hashDecimal:
		return naming.Pad(dst, Mix(s.hash, i), e.width, 10)
	case uuidText:
		return appendUUID(dst, Mix(s.hash, i), Mix(s.second, i))
	case sha256Text:
		return appendSHA256(dst, i)
	case seedText: // not of keys
		return appendSeed(dst, 0)
	default:
		return e.appendDate(dst, i)
	}
}

// appendSeed appends what {seed} stands for.
func appendSeed(dst []byte, seed uint64) []byte {
	for n := range uint64(seedDigits / 16) {
		dst = naming.Pad(dst, Mix(seed, streamSeed+n), 16, 16)
	}
	return dst
}

const (
	uuidLength = 36
	seedDigits = 64 // as object-store-bench has it
)

// appendUUID appends a UUID of version 8, whose bits are free but for its version and variant (RFC 9562).
func appendUUID(dst []byte, hi, lo uint64) []byte {
	hi, lo = hi&^0xf000|0x8000, lo&^(3<<62)|2<<62
	dst = append(naming.Pad(dst, hi>>32, 8, 16), '-')
	dst = append(naming.Pad(dst, hi>>16&0xffff, 4, 16), '-')
	dst = append(naming.Pad(dst, hi&0xffff, 4, 16), '-')
	dst = append(naming.Pad(dst, lo>>48, 4, 16), '-')
	return naming.Pad(dst, lo&(1<<48-1), 12, 16)
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
		dst = naming.Pad(dst, uint64(n), width, 10)
	}
	return dst
}

// index returns the index whose key may be this one. Whether it is must be seen by making that key.
func (t *template) index(key string, s *keySeeds) (i uint64, ok bool) {
	source := ""
	for k := range t.elements {
		e := &t.elements[k]
		n, ok := e.length(key)
		if !ok {
			return 0, false
		}
		value := key[:n]
		key = key[n:]
		if k == t.source {
			source = value
		}
		if !e.counts {
			continue
		}
		number, err := strconv.ParseUint(value, 10, 64)
		part, ok := e.number.Part(number)
		if err != nil || !ok {
			return 0, false
		}
		i += part
	}
	switch {
	case key != "":
		return 0, false
	case t.source >= 0:
		return t.elements[t.source].index(source, s)
	case t.inBucket:
		return i*s.buckets + s.bucket, i < maxIndex/s.buckets
	}
	return i, true
}

// index returns the index that follows from the value of an element by itself.
func (e *element) index(value string, s *keySeeds) (i uint64, ok bool) {
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
	switch {
	case err != nil:
		return 0, false
	case e.kind == fnvNumber:
		i, ok = fnvIndex(n)
		return i - e.number.Plus, ok && i >= e.number.Plus
	}
	return unmix(s.hash, n), true
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
		return n, n >= e.number.Width
	}
	n = e.fixed()
	return n, n <= len(key)
}

// fixed returns the length of an element that always has the same.
func (e *element) fixed() int {
	switch e.kind {
	case shardNumber:
		return naming.Digits(e.n-1, 10)
	case depthDirs:
		return e.width*(naming.Digits(e.n-1, 16)+1) - 1
	case uuidText:
		return uuidLength
	case sha256Text:
		return sha256Digits
	case dateText:
		return len(e.appendDate(nil, 0))
	}
	if e.kind.isNumber() {
		return e.number.Width
	}
	return e.width
}
