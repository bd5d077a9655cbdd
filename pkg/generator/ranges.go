package generator

import (
	"errors"
	"fmt"
	"strings"

	"warp/pkg/units"
)

// Range says which part of an object is read. The zero value is all of it.
type Range struct {
	Min, Max int64 // length, any from Min to Max; 0, 0: any up to the whole object, short ones more often
	Place    string
	Block    int64 // of PlaceAligned: offsets are multiples of it
}

// Places of ranges in their object.
const (
	PlaceRandom  = "random"  // any offset
	PlaceStart   = "start"   // the first bytes
	PlaceEnd     = "end"     // the last bytes
	PlaceInOrder = "seq"     // one range after the other, from the first byte of the object to the last
	PlaceAligned = "aligned" // an offset that is a multiple of Block; the range ends with the object at the latest
)

// rangeForms is the text forms of Range, for usage texts and errors.
const rangeForms = "random, 64KiB@random, 1MiB..8MiB@random, 64KiB@start, 8B@end, 64KiB@aligned, 1KiB..1MiB@aligned(64KiB) or 1MiB@seq"

// Ranges are those that are read of one object, one after the other. Their text form, which JSON has too, is that of ParseRanges.
type Ranges []Range

// maxRanges is the maximum number of ranges.
const maxRanges = 1000

// ParseRanges parses one or several of rangeForms, with commas in between.
func ParseRanges(text string) (Ranges, error) {
	parts := strings.Split(text, ",")
	if len(parts) > maxRanges {
		return nil, fmt.Errorf("%d ranges (want at most %d)", len(parts), maxRanges)
	}
	list := make(Ranges, len(parts))
	for i, part := range parts {
		var err error
		if list[i], err = parseRange(part); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func parseRange(text string) (r Range, err error) {
	text = strings.TrimSpace(text)
	if text == PlaceRandom {
		return Range{Place: PlaceRandom}, nil
	}
	length, place, placed := strings.Cut(text, "@")
	if err := r.parseLength(length); err != nil {
		return Range{}, fmt.Errorf("invalid range %q (want %s)", text, rangeForms)
	}
	if !placed {
		place = PlaceRandom
	}
	c, err := parseCall(place)
	if r.Place = c.name; err != nil || c.args != nil && r.Place != PlaceAligned {
		return Range{}, fmt.Errorf("invalid range %q (want %s)", text, rangeForms)
	}
	switch r.Place {
	case PlaceRandom, PlaceStart, PlaceEnd, PlaceInOrder:
		return r, nil
	case PlaceAligned:
		err = r.parseBlock(c)
	default:
		err = fmt.Errorf("unknown place %q of a range (want random, start, end, seq or aligned)", r.Place)
	}
	if err != nil {
		return Range{}, err
	}
	return r, nil
}

var errLength = errors.New("want a length of 1 byte or more")

func (r *Range) parseLength(text string) (err error) {
	low, high, both := strings.Cut(text, "..")
	if !both {
		high = low
	}
	if r.Min, err = units.ParseSize(low); err != nil {
		return err
	}
	if r.Max, err = units.ParseSize(high); err != nil {
		return err
	}
	if r.Min < 1 || r.Max < r.Min {
		return errLength
	}
	return nil
}

func (r *Range) parseBlock(c call) error {
	args, err := c.take("aligned or aligned(BLOCK)", "block")
	switch {
	case err != nil:
		return err
	case args[0] != "":
		if r.Block, err = units.ParseSize(args[0]); err != nil || r.Block < 1 {
			return fmt.Errorf("aligned: invalid block %q (want a size of 1 byte or more)", args[0])
		}
	case r.Min != r.Max:
		return fmt.Errorf("aligned: the length varies (want a block, as in %s..%s@aligned(64KiB))", sizeText(r.Min), sizeText(r.Max))
	default:
		r.Block = r.Max
	}
	return nil
}

// String returns the text form.
func (r Range) String() string {
	if r.Max == 0 {
		return r.Place
	}
	text := sizeText(r.Min)
	if r.Max != r.Min {
		text += ".." + sizeText(r.Max)
	}
	text += "@" + r.Place
	if r.Place == PlaceAligned && (r.Min != r.Max || r.Block != r.Max) {
		text += "(" + sizeText(r.Block) + ")"
	}
	return text
}

// sizeText returns a size with its unit.
func sizeText(n int64) string {
	text := units.ExactSize(n)
	if last := text[len(text)-1]; last >= '0' && last <= '9' {
		text += "B"
	}
	return text
}

// String returns the text form; empty for none.
func (r Ranges) String() string {
	texts := make([]string, len(r))
	for i := range r {
		texts[i] = r[i].String()
	}
	return strings.Join(texts, ",")
}

// MarshalText returns the text form.
func (r Ranges) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText parses the text form, which is empty if there are none.
func (r *Ranges) UnmarshalText(text []byte) (err error) {
	if len(text) == 0 {
		*r = nil
		return nil
	}
	*r, err = ParseRanges(string(text))
	return err
}

// Largest returns the length that a range has at most; 0: it depends on the object.
func (r Ranges) Largest() (n int64) {
	for i := range r {
		n = max(n, r[i].Max)
	}
	return n
}

// Parts returns the parts of an object of this size that are read in a turn. Offsets and lengths are functions of their seeds and the turn.
// Without ranges, and of less than 2 bytes, the whole object is read by one request.
func (r Ranges) Parts(size int64, offsets, lengths, turn uint64) Parts {
	if len(r) == 0 {
		return Parts{}
	}
	return r[0].parts(size, r[1:], offsets, lengths, turn)
}

// Parts is Ranges.Parts of a single range.
func (r Range) Parts(size int64, offsets, lengths, turn uint64) Parts {
	return r.parts(size, nil, offsets, lengths, turn)
}

func (r Range) parts(size int64, more Ranges, offsets, lengths, turn uint64) Parts {
	if size < 2 {
		return Parts{}
	}
	return Parts{now: r, more: more, size: size, offsets: offsets, lengths: lengths, turn: turn}
}

// Parts goes through the parts of an object that are read in a turn.
type Parts struct {
	now              Range  // of the next part
	more             Ranges // after it
	size             int64
	offsets, lengths uint64 // seeds
	turn             uint64
	number           uint64 // of the next part, from 0
	next             int64  // offset of the next part that is read in order
	over             bool
}

// Next returns offset and length of the next part; 0, 0 is the whole object. ok is false after the last part.
func (p *Parts) Next() (offset, length int64, ok bool) {
	if p.over {
		return 0, 0, false
	}
	if p.now.Place == "" {
		p.over = true
		return 0, 0, true
	}
	length = p.length()
	switch p.now.Place {
	case PlaceStart:
	case PlaceEnd:
		offset = p.size - length
	case PlaceInOrder:
		offset, length = p.next, min(length, p.size-p.next)
		p.next += length
	case PlaceAligned:
		blocks := (p.size + p.now.Block - 1) / p.now.Block
		offset = p.now.Block * int64(Uniform(p.seed(p.offsets), p.turn, uint64(blocks)))
		length = min(length, p.size-offset)
	default:
		offset = int64(Uniform(p.seed(p.offsets), p.turn, uint64(p.size-length+1)))
	}
	p.number++
	if p.now.Place == PlaceInOrder && p.next < p.size {
		return offset, length, true
	}
	if p.over = len(p.more) == 0; !p.over {
		p.now, p.more, p.next = p.more[0], p.more[1:], 0
	}
	return offset, length, true
}

// seed returns a seed for the next part.
func (p *Parts) seed(of uint64) uint64 {
	if p.number == 0 {
		return of
	}
	return Mix(of, p.number)
}

// length returns how many bytes the next part has, unless the object ends before. Any length is distributed like random object sizes
// without a smallest one, up to the whole object: equally many in each of up to seven doublings, and as many below; see randomSize. This
// is the distribution of MinIO warp.
func (p *Parts) length() int64 {
	switch r := &p.now; {
	case r.Max == 0 && p.size < minRandom:
		return 1 + int64(Uniform(p.seed(p.lengths), p.turn, uint64(p.size)))
	case r.Max == 0:
		return Sizes{Max: p.size, Random: true}.At(p.seed(p.lengths), p.turn)
	case r.Min == r.Max:
		return min(r.Max, p.size)
	default:
		return min(r.Min+int64(Uniform(p.seed(p.lengths), p.turn, uint64(r.Max-r.Min+1))), p.size)
	}
}

// Estimate returns how many bytes of objects of this size a turn reads, and by how many requests, in one of many samples.
func (r Ranges) Estimate(size int64, sample uint64) (bytes, requests float64) {
	for i := range r {
		if r[i].Place == PlaceInOrder {
			bytes += float64(size)
			requests += max(1, float64(size)/(float64(r[i].Min+r[i].Max)/2))
			continue
		}
		p := r[i].Parts(size, uint64(i), uint64(i)+maxRanges, sample)
		_, n, _ := p.Next()
		if n == 0 {
			n = size
		}
		bytes += float64(n)
		requests++
	}
	return bytes, requests
}
