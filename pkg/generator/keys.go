package generator

import (
	"math/bits"
	"strconv"
	"strings"
)

const (
	dirChars  = 8  // of a thread's prefix
	tailChars = 16 // of an object's name, after its number
	suffix    = ".rnd"
	claimName = "claim."                                                         // of objects that hold no data: see Keys.Claims
	alphabet  = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" // safe in URLs and file names
)

// Keys names the objects of one data set: <prefix>/<8 characters>/<i>.<16 characters>.rnd for object i, where the first
// 8 characters identify the thread that the object belongs to and all characters derive from the seed. Two seeds never
// give the same key. Without thread prefixes: <prefix>/<i>.<16 characters>.rnd.
type Keys struct {
	root string   // prefix of all keys, empty or with a slash at its end
	dirs []string // prefix of each thread
	name uint64   // seeds of the 16 characters
	tail uint64

	claims string // see Claims
}

// NewKeys names the objects of a data set that is spread over a number of threads (at least 1). Slashes before and
// after spec.Prefix are dropped and those within it are collapsed, so that no key starts with a slash or has an empty
// part.
func NewKeys(spec Spec, seed uint64, threads int) Keys {
	k := Keys{name: Mix(seed, streamName), tail: Mix(seed, streamTail)}
	for part := range strings.SplitSeq(spec.Prefix, "/") {
		if part != "" {
			k.root += part + "/"
		}
	}
	claims := []byte(k.root)
	claimSeed := Mix(seed, streamClaim)
	if !spec.NoPrefix {
		claims = append(appendChars(claims, Mix(claimSeed, 2), dirChars), '/')
	}
	claims = appendChars(append(claims, claimName...), Mix(claimSeed, 0), tailChars/2)
	k.claims = string(append(appendChars(claims, Mix(claimSeed, 1), tailChars/2), '.'))
	if spec.NoPrefix {
		k.dirs = []string{k.root}
		return k
	}
	dirSeed := Mix(seed, streamDir)
	k.dirs = make([]string, max(1, threads))
	for p := range k.dirs {
		b := appendChars([]byte(k.root), Mix(dirSeed, uint64(p)), dirChars)
		k.dirs[p] = string(append(b, '/'))
	}
	return k
}

// Root returns the prefix of all keys, empty or ending with a slash.
func (k Keys) Root() string { return k.root }

// Dirs returns the number of thread prefixes; 1 without thread prefixes.
func (k Keys) Dirs() int { return len(k.dirs) }

// Dir returns the prefix of thread p, 0 <= p < Dirs(), ending with a slash. Without thread prefixes it is Root.
func (k Keys) Dir(p int) string { return k.dirs[p] }

// DirOf returns the thread that object i belongs to: each thread has every Dirs()-th object.
func (k Keys) DirOf(i uint64) int { return int(i % uint64(len(k.dirs))) }

// Key returns the key of object i.
func (k Keys) Key(i uint64) string {
	var buf [128]byte // most keys fit, so that the string is all that is allocated
	return string(k.AppendKey(buf[:0], i))
}

// AppendKey appends the key of object i to dst.
func (k Keys) AppendKey(dst []byte, i uint64) []byte {
	dst = append(dst, k.dirs[k.DirOf(i)]...)
	dst = strconv.AppendUint(dst, i, 10)
	dst = append(dst, '.')
	dst = appendChars(dst, Mix(k.name, i), tailChars/2)
	dst = appendChars(dst, Mix(k.tail, i), tailChars/2)
	return append(dst, suffix...)
}

// Places returns prefixes such that each key of the data set has one of them, and few other keys do. An object lies
// directly in its place: no further slash follows.
func (k Keys) Places() []string {
	if k.dirs[0] != k.root {
		return k.dirs
	}
	places := []string{k.root + "0."}
	for digit := '1'; digit <= '9'; digit++ {
		places = append(places, k.root+string(digit))
	}
	return places
}

// Claims returns the common prefix of the keys of all claims of this data set, whatever the number of threads; no
// object's key has it. A claim is an object by which a run declares that it uses the data set. With thread prefixes,
// claims have a prefix of their own, outside of every thread's listing; without, they lie in Root.
func (k Keys) Claims() string { return k.claims }

// IsClaim reports whether a key looks like a claim of any data set.
func IsClaim(key string) bool {
	rest, found := strings.CutPrefix(key[strings.LastIndexByte(key, '/')+1:], claimName)
	proof, _, more := strings.Cut(rest, ".")
	return found && more && len(proof) == tailChars
}

// Index is the inverse of Key: it returns the object that has this key. ok is true for exactly the keys of this data
// set, so that it proves who made an object.
func (k Keys) Index(key string) (i uint64, ok bool) {
	name := key[strings.LastIndexByte(key, '/')+1:]
	number, _, found := strings.Cut(name, ".")
	if !found {
		return 0, false
	}
	i, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return 0, false
	}
	var buf [256]byte
	return i, string(k.AppendKey(buf[:0], i)) == key
}

// appendChars appends n characters, at most 8: the first digits of x as a fraction in base 62.
func appendChars(dst []byte, x uint64, n int) []byte {
	for range n {
		var digit uint64
		digit, x = bits.Mul64(x, uint64(len(alphabet)))
		dst = append(dst, alphabet[digit])
	}
	return dst
}
