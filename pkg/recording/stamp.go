package recording

import "time"

// stampLen is the length of "2006-01-02T15:04:", the part of a time that is constant for a minute.
const stampLen = len("2006-01-02T15:04:")

// stamper formats times like time.RFC3339Nano in UTC. It caches the part that is constant for a minute, which makes it
// several times as fast; each column has a stamper of its own.
type stamper struct {
	minute int64  // since 1970
	prefix []byte // of this minute; nil before the first time
}

// append appends t to b.
func (s *stamper) append(b []byte, t time.Time) []byte {
	unix := t.Unix()
	sec := unix % 60
	if sec < 0 {
		sec += 60
	}
	if minute := (unix - sec) / 60; minute != s.minute || s.prefix == nil {
		s.minute = minute
		s.prefix = time.Unix(unix, 0).UTC().AppendFormat(s.prefix[:0], "2006-01-02T15:04:")
	}
	b = append(b, s.prefix...)
	b = append(b, byte('0'+sec/10), byte('0'+sec%10))
	return append(appendFraction(b, uint32(t.Nanosecond())), 'Z')
}

// appendFraction appends ns billionths as a decimal fraction without trailing zeros; nothing for 0.
func appendFraction(b []byte, ns uint32) []byte {
	if ns == 0 {
		return b
	}
	var digits [10]byte
	digits[0] = '.'
	for i := len(digits) - 2; i > 1; i -= 2 { // pairs of digits take half as long as single ones
		pair := 2 * (ns % 100)
		digits[i], digits[i+1] = pairs[pair], pairs[pair+1]
		ns /= 100
	}
	digits[1] = byte('0' + ns)
	n := len(digits)
	for digits[n-1] == '0' {
		n--
	}
	return append(b, digits[:n]...)
}

// pairs are the numbers from 00 to 99.
const pairs = "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849" +
	"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"

// stampReader parses RFC 3339 times. Like stamper it caches the part that is constant for a minute.
type stampReader struct {
	prefix [stampLen]byte
	base   int64 // seconds from 1970 to prefix, as if prefix were UTC
}

// parse parses a time, with any offset, as UTC.
func (s *stampReader) parse(b []byte) (time.Time, bool) {
	if len(b) < stampLen+3 || string(b[:stampLen]) != string(s.prefix[:]) {
		return s.learn(b)
	}
	tens, ones := b[stampLen]-'0', b[stampLen+1]-'0'
	if tens > 5 || ones > 9 {
		return time.Time{}, false
	}
	ns, n := parseFraction(b[stampLen+2:])
	zone := b[stampLen+2+n:]
	if len(zone) != 1 || zone[0] != 'Z' {
		return s.learn(b) // an offset or a missing zone: rare, so use the slow path
	}
	return time.Unix(s.base+int64(tens)*10+int64(ones), ns).UTC(), true
}

// learn parses a time in the general way and caches its minute.
func (s *stampReader) learn(b []byte) (time.Time, bool) {
	if len(b) > 64 {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339Nano, string(b))
	if err != nil {
		return time.Time{}, false
	}
	if b[stampLen-1] == ':' {
		_, offset := t.Zone()
		copy(s.prefix[:], b)
		s.base = t.Unix() + int64(offset) - int64(t.Second())
	}
	return t.UTC(), true
}

// parseFraction parses "." and up to nine digits at the start of b, and returns the billionths and its length. The
// length is 0 if there is no fraction, or a longer one.
func parseFraction(b []byte) (ns int64, n int) {
	if b[0] != '.' {
		return 0, 0
	}
	n = 1
	for n < len(b) && b[n]-'0' <= 9 {
		if n > 9 {
			return 0, 0
		}
		ns = ns*10 + int64(b[n]-'0')
		n++
	}
	if n == 1 {
		return 0, 0
	}
	for i := n; i < 10; i++ {
		ns *= 10
	}
	return ns, n
}

// parseKnown is parse for optional times: an empty field is the zero time.
func (s *stampReader) parseKnown(b []byte) (time.Time, bool) {
	if len(b) == 0 {
		return time.Time{}, true
	}
	return s.parse(b)
}
