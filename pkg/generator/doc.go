// Package generator makes the keys, sizes and contents of objects: pure functions of (seed, index), so that any client
// can compute at any time what the key of an object and every byte of it must be.
//
// Sizes, Keys and Data describe object i of a data set; Permutation and Passes give the order of access.
// All of them compute with integers only, so that all architectures agree on every value.
//
// # How contents are made
//
// An object's contents are blocks of 4 KiB, in groups of eight. The first block of a group is fresh: 256 pairs of 64-bit
// little-endian words, pair p of the object being
//
//	hi XOR lo  and  lo + (hi rotated left by 23)
//
// of the 128-bit product hi:lo of a and a XOR k, with a = s + p*g, where s and k are derived from the seed and the object's
// number, and g is a constant. That is wyrand (Wang Yi, wyhash, public domain) with a counter instead of a state, its second
// constant made part of the object's seed, and both halves of the product used. The other seven blocks are the first one,
// rotated by a number of bytes that is drawn for each block, and XORed with mask r, which belongs to the seed.
// So a block costs little more than one pass of XOR (crypto/subtle.XORBytes, which uses SIMD), and yet it is
// as unique as the fresh one: compression, deduplication and delta coding cannot detect that blocks are related by masks,
// and because each is rotated by its own amount, the parity of an erasure code shows it only where two amounts
// happen to agree: compressing the parity would save a thousandth of it.
// Contents can be computed at any offset; nothing repeats within or between objects at any alignment.
//
// Alternatives, measured on one core of a 2022 server CPU with 64 KiB buffers:
//
//   - XOR of a random base with a key for each block: 24 to 32 GB/s, but any two blocks differ by a short repeated pattern.
//   - Fresh pairs alone: 18 GB/s; one word of each product, as wyrand has it: 12 GB/s.
//   - AES-CTR of the standard library: 8 GB/s and the best quality, but seeking in the stream
//     allocates 512 bytes, and its speed depends on the CPU's AES instructions.
//   - SplitMix64: 6 GB/s; two multiplications per word where one is enough.
//   - ChaCha8 of math/rand/v2: 2 GB/s, and no seeking.
//   - This one: 25 to 28 GB/s, any offset. It is not cryptographically secure, which benchmark data need not be.
package generator

import (
	"strings"
	"unicode/utf8"

	"warp/internal/option"
)

// Spec describes a data set. It is plain data, part of a plan.
type Spec struct {
	Generator string `json:"generator"`          // contents, one of contentForms; empty: random
	Source    Source `json:"source,omitzero"`    // of contents from files; see SetContents
	Sizes     Sizes  `json:"sizes"`              // see ParseSizes
	Prefix    string `json:"prefix,omitempty"`   // put before every key, with a slash between
	NoPrefix  bool   `json:"noprefix,omitempty"` // no separate prefix for each thread
	Keys      string `json:"keys,omitempty"`     // template of keys, without Prefix; empty: see Keys
	Seed      uint64 `json:"seed,omitempty"`     // of names, sizes and contents; 0: it follows from that of the run
	Buckets   int    `json:"buckets,omitempty"`  // that objects are spread over by their index; 0: one
	Suffix    string `json:"suffix,omitempty"`   // that all keys end in; empty: .rnd
	// OverwriteKept allows objects of the same names to be overwritten that an earlier run kept.
	OverwriteKept bool `json:"overwrite_kept,omitempty"`
	// Assume says what is known of existing objects without looking for them: AssumeNames, AssumeSizes; empty: nothing.
	Assume string `json:"assume,omitempty"`
	Named  bool   `json:"-"` // objects have any names below a prefix of the seed; see Keys.Dir. The workload sets it
}

// What Spec.Assume says of existing objects.
const (
	AssumeNames = "names" // they have the names of the template
	AssumeSizes = "sizes" // and the sizes of the data set
)

// Assumptions are all that Spec.Assume can say.
var Assumptions = []string{AssumeNames, AssumeSizes}

const (
	// maxPrefix leaves room for the rest of the key; S3 limits keys to 1024 bytes.
	maxPrefix = 900
	// maxBuckets is the maximum number of size buckets. Each one costs time for each object.
	maxBuckets = 10_000
)

// Validate checks the description of a data set. A valid one can be made at moderate cost.
func (s Spec) Validate() error {
	if len(s.Sizes.Buckets) > maxBuckets {
		return option.Errorf("obj.size", "%d buckets (want at most %d)", len(s.Sizes.Buckets), maxBuckets)
	}
	if err := s.Sizes.Validate(); err != nil {
		return option.Wrap("obj.size", err)
	}
	if err := checkContents(s.Generator, s.Source); err != nil {
		return err
	}
	if s.Assume != "" && s.Assume != AssumeNames && s.Assume != AssumeSizes {
		return option.Invalid("assume", s.Assume, option.List(Assumptions...))
	}
	if s.Assume != "" && s.Keys == "" {
		return option.Errorf("assume", "want --keys as well, which says the names")
	}
	if s.Keys != "" {
		if _, err := parseTemplate(s.Keys); err != nil {
			return option.Wrap("keys", err)
		}
		if n := len(s.Prefix) + len(s.Keys); n > maxPrefix {
			return option.Errorf("prefix, keys", "%d bytes together (want at most %d)", n, maxPrefix)
		}
		if strings.HasPrefix(s.Keys, "/") && strings.Trim(s.Prefix, "/") != "" {
			return option.Errorf("prefix, keys",
				"the template begins with a slash, so that a prefix has no place before it; leave out one of them")
		}
		if s.NoPrefix {
			return option.Errorf("noprefix", "with --keys threads have no prefixes; leave it out")
		}
	}
	if n := len(s.Prefix); n > maxPrefix {
		return option.Errorf("prefix", "%d bytes (want at most %d, since keys have at most 1024)", n, maxPrefix)
	}
	if !utf8.ValidString(s.Prefix) {
		return option.Invalid("prefix", s.Prefix, "valid UTF-8")
	}
	return nil
}
