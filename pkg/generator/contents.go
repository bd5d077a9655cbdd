package generator

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"warp/internal/option"
	"warp/pkg/units"
)

// ContentForms is the text forms of contents, for usage texts and errors.
const ContentForms = "random, zero, compressible=30%, duplicate=10%, duplicate=10%/64KiB, compressible=30%,duplicate=10% or file(PATH)"

// contentForm is the parsed form of Spec.Generator. The zero value is random.
type contentForm struct {
	zero         bool
	path         string  // of a file or directory whose contents are used; empty: none
	compressible float64 // percent of each block
	duplicate    float64 // percent of the blocks
	block        int64   // bytes of a block that is duplicated; 0: blockBytes
}

// random reports whether nothing repeats or compresses.
func (c *contentForm) random() bool { return *c == contentForm{} }

// parseContents parses one of ContentForms; empty is random.
func parseContents(text string) (c contentForm, err error) {
	rest, file := strings.CutPrefix(strings.TrimSpace(text), "file(")
	switch path, closed := strings.CutSuffix(rest, ")"); {
	case file && (!closed || path == ""):
		return c, option.Invalid("obj.content", text, "file(PATH), of a file or a directory")
	case file:
		return contentForm{path: path}, nil
	case rest == "", rest == "random":
		return c, nil
	case rest == "zero":
		return contentForm{zero: true}, nil
	}
	given := map[string]bool{}
	for part := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		of := map[string]*float64{"compressible": &c.compressible, "duplicate": &c.duplicate}[name]
		if of == nil || given[name] {
			return contentForm{}, option.Invalid("obj.content", text, ContentForms)
		}
		given[name] = true
		if name == "duplicate" {
			if value, c.block, err = parseBlock(value); err != nil {
				return contentForm{}, err
			}
		}
		if *of, err = parsePercent(strings.TrimSpace(value)); err != nil {
			return contentForm{}, option.Errorf("obj.content", "%s: %w", name, err)
		}
	}
	return c, nil
}

// maxDuplicate is the largest block that is duplicated.
const maxDuplicate = 4 << 20

// parseBlock cuts the size of a block off a share of duplicates, as in 10%/64KiB; 0: there is none, or it is blockBytes.
func parseBlock(text string) (share string, block int64, err error) {
	share, size, given := strings.Cut(text, "/")
	if !given {
		return text, 0, nil
	}
	block, err = units.ParseSize(size)
	if err != nil || block < blockBytes || block > maxDuplicate || block%blockBytes != 0 {
		return "", 0, option.Errorf("obj.content", "duplicate: invalid block %q (want a multiple of 4KiB, at most 4MiB)", units.Truncate(size, 40))
	}
	if block == blockBytes {
		block = 0
	}
	return share, block, nil
}

const (
	leastPool   = 4   // blocks of which duplicates are copies, where blocks are large
	phraseBytes = 64  // after which the compressible part of blocks repeats
	uniqueBytes = 32  // of each block at least, so that compressible blocks are no duplicates
	poolBlocks  = 256 // of blockBytes, of which duplicates are copies; 1 MiB
)

// mixture makes contents of which a part compresses, or blocks repeat. The other part is as in random contents.
//
// The compressible part of a block is one run of a phrase of the seed, of 64 letters and digits, which begins at a random place of the block and
// continues at its beginning. So any part of an object has that share on average, and objects smaller than a block too.
// Duplicates are drawn from blocks that all clients have in common.
type mixture struct {
	phrase    [blockBytes]byte // repeated
	length    int              // of the compressible part of each block
	threshold uint64           // draws below it are duplicates
	pool      []byte

	large     int64  // bytes of blocks that are duplicated instead; 0: those of blockBytes are
	largeDups uint64 // threshold of these
}

// newMixture returns the mixture of a data set, which is the same for all clients with this seed.
func newMixture(c contentForm, seed uint64) *mixture {
	m := &mixture{length: min(int(float64(c.compressible*blockBytes/100)+0.5), blockBytes-uniqueBytes)}
	if m.threshold = math.MaxUint64; c.duplicate < 100 {
		m.threshold = uint64(c.duplicate / 100 * (1 << 64))
	}
	s := Mix(seed, streamPhrase)
	var phrase []byte
	for i := range uint64(phraseBytes / 8) {
		phrase = appendChars(phrase, Mix(s, i), 8)
	}
	for at := 0; at < blockBytes; at += phraseBytes {
		copy(m.phrase[at:], phrase)
	}
	if m.threshold == 0 {
		return m
	}
	size := int64(poolBlocks * blockBytes)
	if c.block > 0 {
		m.large, m.largeDups, m.threshold = c.block, m.threshold, 0
		size = max(size/c.block, leastPool) * c.block
	}
	m.pool = make([]byte, size)
	for k := range uint64(size / blockBytes) {
		block := m.pool[k*blockBytes : (k+1)*blockBytes]
		s := sequence{Mix(Mix(seed, streamPool), k), Mix(seed, streamWhiten)}
		fresh(block, s, 0)
		begin := int(s.a % blockBytes)
		for at := 0; at < blockBytes; {
			n, compressible := m.run(at, begin)
			if compressible {
				copy(block[at:at+n], m.phrase[:])
			}
			at += n
		}
	}
	return m
}

// run returns how many bytes from offset at of a block compress, or do not. Those that do begin at an offset of their own.
func (m *mixture) run(at, begin int) (n int, compressible bool) {
	within := (at - begin) & (blockBytes - 1)
	if within < m.length {
		return min(m.length-within, blockBytes-at), true
	}
	return min(blockBytes-within, blockBytes-at), false
}

// group writes the contents of a group from offset at; see Data.group.
func (m *mixture) group(dst []byte, s sequence, at int, masks *[groupBlocks - 1][blockBytes]byte) {
	if at+len(dst) <= blockBytes {
		m.block(dst, at, 0, s, func(q []byte, from, _ int) { fresh(q, s, from) })
		return
	}
	var first [blockBytes]byte
	fresh(first[:], s, 0)
	for len(dst) > 0 {
		block, from := at/blockBytes, at%blockBytes
		n := min(len(dst), blockBytes-from)
		m.block(dst[:n], from, block, s, func(q []byte, from, by int) {
			if block == 0 {
				copy(q, first[from:])
			} else {
				rotate(q, &first, &masks[block-1], from, by)
			}
		})
		dst, at = dst[n:], at+n
	}
}

// copyLarge writes the contents of an object with the sequence s from an offset on, within a large block, if that is a duplicate.
func (m *mixture) copyLarge(dst []byte, s sequence, off int64) bool {
	draw := Mix(s.k, uint64(off/m.large)^streamLarge)
	if draw >= m.largeDups {
		return false
	}
	copies := uint64(int64(len(m.pool)) / m.large)
	copy(dst, m.pool[int64(Uniform(draw, 0, copies))*m.large+off%m.large:])
	return true
}

// block writes the contents of a block of the group that starts with s, from offset at; other writes what does not compress.
func (m *mixture) block(p []byte, at, block int, s sequence, other func(q []byte, at, rotation int)) {
	draw := s.draw(block)
	if draw < m.threshold {
		copy(p, m.pool[Uniform(draw, 0, poolBlocks)*blockBytes+uint64(at):])
		return
	}
	rotation := int(draw % blockBytes)
	begin := blockBytes - rotation // where rotate splits anyway
	for len(p) > 0 {
		n, compressible := m.run(at, begin)
		n = min(n, len(p))
		if compressible {
			copy(p[:n], m.phrase[at%phraseBytes:])
		} else {
			other(p[:n], at, rotation)
		}
		p, at = p[n:], at+n
	}
}

// NewData returns the contents of the objects of a data set. Clients whose objects have different seeds have shared in common.
func (s *Spec) NewData(seed, shared uint64) (*Data, error) {
	c, err := parseContents(s.Generator)
	switch {
	case err != nil:
		return nil, err
	case c.zero:
		return &Data{zero: true}, nil
	case c.path != "":
		ring, err := s.Source.read(c.path)
		if err != nil {
			return nil, option.Wrap("obj.content", err)
		}
		return &Data{ring: ring, start: Mix(seed, streamContent)}, nil
	}
	d := newRandom(seed)
	if !c.random() {
		d.mixture = newMixture(c, shared)
	}
	return d, nil
}

// DuplicateBlock returns the size of the blocks that are duplicated, in bytes; that of contents without duplicates is the usual one.
func (d *Data) DuplicateBlock() int64 {
	if d.mixture == nil || d.mixture.large == 0 {
		return blockBytes
	}
	return d.mixture.large
}

// Plain reports whether contents neither compress nor repeat.
func (s *Spec) Plain() bool {
	c, err := parseContents(s.Generator)
	return err == nil && c.random()
}

// checkContents returns an error for contents that cannot be made.
func (s *Spec) checkContents() error {
	c, err := parseContents(s.Generator)
	if err == nil && c.path != "" && s.Source.SHA256 == "" {
		err = fmt.Errorf("%s: the file was not read", s.Generator)
	}
	return option.Wrap("obj.content", err)
}

// SetContents sets the contents from one of ContentForms, and reads the file or directory that it names, at the path that locate
// returns; nil stands for the path itself.
func (s *Spec) SetContents(text string, locate func(name string) (path string, err error)) error {
	c, err := parseContents(text)
	if err != nil {
		return err
	}
	s.Generator, s.Source = text, Source{}
	if c.path == "" {
		return nil
	}
	path := c.path
	if locate != nil {
		path, err = locate(path)
	}
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return option.Wrap("obj.content", err)
	}
	s.Generator = "file(" + path + ")"
	files, size, err := sourceFiles(path)
	if err != nil {
		return err
	}
	data, sum, err := readFiles(files, size)
	if err != nil {
		return err
	}
	s.Source = Source{Bytes: int64(len(data)), SHA256: sum}
	sources.put(sum, &data)
	return nil
}
