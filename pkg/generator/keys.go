package generator

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"warp/internal/naming"
)

const (
	dirChars = 8 // of a thread's prefix
	ending   = ".rnd"
)

// Keys names the objects of one data set: <prefix>/<8 characters>/<i>.<16 characters>.rnd for object i, where the first
// 8 characters identify the thread that the object belongs to and all characters derive from the seed. Two seeds never
// give the same key, nor does another suffix. Without thread prefixes: <prefix>/<i>.<16 characters>.rnd.
type Keys struct {
	root string   // prefix of all keys, empty or with a slash at its end
	dirs []string // prefix of each thread
	dir  uint64   // seeds of the 8 characters and
	name uint64   // of the 16
	tail uint64
	end  string

	claims string // see Claims
	any    bool   // see AnyThreads
	below  string // prefix of the keys that Spec.Named is about
	named  bool

	template *template // nil: none
	seeds    keySeeds  // of template
}

// NewKeys names the objects of a data set that is spread over a number of threads (at least 1). Slashes before and
// after spec.Prefix are dropped and those within it are collapsed, so that no key starts with a slash or has an empty
// part.
func NewKeys(spec Spec, seed uint64, threads int) Keys {
	k := Keys{dir: Mix(seed, streamDir), name: Mix(seed, streamName), tail: Mix(seed, streamTail), end: cmp.Or(spec.Suffix, ending)}
	for part := range strings.SplitSeq(spec.Prefix, "/") {
		if part != "" {
			k.root += part + "/"
		}
	}
	if t, err := parseTemplate(spec.Keys); spec.Keys != "" && err == nil {
		k.seeds = newKeySeeds(seed, threads, spec.Buckets)
		return k.withTemplate(t.ofSeed(seed), seed)
	}
	claims := []byte(k.root)
	claimSeed := Mix(seed, streamClaim)
	if !spec.NoPrefix {
		claims = append(appendChars(claims, Mix(claimSeed, 2), dirChars), '/')
	}
	claims = appendChars(append(claims, claimName...), Mix(claimSeed, 0), tailChars/2)
	k.claims = string(append(appendChars(claims, Mix(claimSeed, 1), tailChars/2), '.'))
	if k.dirs = []string{k.root}; !spec.NoPrefix {
		k.dirs = k.threadDirs(0, max(1, threads))
	}
	named := Mix(seed, streamNamed)
	k.below = string(append(appendChars(appendChars([]byte(k.dirs[0]), Mix(named, 0), tailChars/2), Mix(named, 1), tailChars/2), '/'))
	if spec.Named {
		k.dirs, k.named = []string{k.below}, true
	}
	return k
}

// threadDirs returns the prefixes of n threads from number first on.
func (k Keys) threadDirs(first, n int) []string {
	dirs := make([]string, n)
	for p := range dirs {
		b := appendChars([]byte(k.root), Mix(k.dir, uint64(first+p)), dirChars)
		dirs[p] = string(append(b, '/'))
	}
	return dirs
}

// AnyThreads returns the keys that objects of the data set have in the prefixes of n threads from number first on, however many threads
// the data set was spread over. They are for looking: such keys have an Index, but no index has a key. ok is false if there are no thread
// prefixes.
func (k Keys) AnyThreads(first, n int) (keys Keys, ok bool) {
	k.any = true
	if !k.SeparateClaims() {
		return k, false
	}
	k.dirs = k.threadDirs(first, n)
	return k, true
}

// withTemplate returns keys that follow a template. Claims lie next to them: the claims of all data sets with the same template together,
// so that they are seen, unless the keys belong to one seed.
func (k Keys) withTemplate(t *template, seed uint64) Keys {
	k.template = t
	prefix := k.root + t.prefix()
	k.dirs = []string{prefix[:strings.LastIndexByte(prefix, '/')+1]}
	claimSeed := Mix(seed, streamClaim)
	form, dir := k.KeyForm(), strings.TrimPrefix(k.dirs[0], "/")
	if form == "" {
		claims := appendChars([]byte(dir+claimName), Mix(claimSeed, 0), tailChars/2)
		k.claims = string(append(appendChars(claims, Mix(claimSeed, 1), tailChars/2), '.'))
		return k
	}
	sum := uint64(0)
	for i := range len(form) {
		sum = Mix(sum, uint64(form[i]))
	}
	k.claims = string(append(appendChars([]byte(dir+claimName+templateMark), sum, tailChars/2), '.'))
	return k
}

// TemplateClaims returns prefixes of the keys of all claims of data sets whose keys can be among these, except claims below Places.
func (k Keys) TemplateClaims() (prefixes []string) {
	dir := strings.TrimPrefix(k.dirs[0], "/")
	for at := -1; at < len(dir); {
		prefixes = append(prefixes, dir[:at+1]+claimName+templateMark)
		next := strings.IndexByte(dir[at+1:], '/')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return prefixes
}

// SeparateClaims reports whether claims lie in a place of their own, and not among the objects.
func (k Keys) SeparateClaims() bool { return k.template == nil && k.dirs[0] != k.root }

// Named reports whether objects have any names below Dir, see Spec.Named.
func (k Keys) Named() bool { return k.named }

// Nested reports whether parts of keys that differ between objects have slashes.
func (k Keys) Nested() bool {
	return k.named || k.template != nil && strings.Contains(string(k.template.append(nil, &k.seeds, 0)[len(k.template.prefix()):]), "/")
}

// Of returns the keys of a client, which differ only if the template says so.
func (k Keys) Of(client uint64) Keys {
	k.seeds.client = client
	return k
}

// InBucket returns the keys of a bucket, given by its number: Index then finds the object that has a key in that bucket.
func (k Keys) InBucket(bucket int) Keys {
	k.seeds.bucket = uint64(bucket)
	return k
}

// PerBucket reports whether objects in different buckets can have the same key.
func (k Keys) PerBucket() bool { return k.template != nil && k.template.inBucket }

// MaxObjects returns how many objects have keys of their own and are found by them, those from 0; 0: any number.
func (k Keys) MaxObjects() uint64 {
	switch {
	case k.template == nil:
		return 0
	case k.template.one:
		return 1
	case k.template.source < 0:
		return 0
	case k.template.elements[k.template.source].kind == sha256Text:
		return maxHashed
	case k.template.elements[k.template.source].kind == fnvNumber:
		return maxFNV - k.template.elements[k.template.source].number.Plus
	}
	return 0
}

// PerClient reports whether different clients, whose seeds differ, have different keys.
func (k Keys) PerClient() bool {
	return k.template == nil || k.template.own || k.template.has(clientNumber)
}

// Root returns the prefix of all keys, empty or ending with a slash.
func (k Keys) Root() string { return k.root }

// Beginning returns what all keys begin with: the root, and the text before the first element of a template.
func (k Keys) Beginning() string {
	if k.template == nil {
		return k.root
	}
	return k.root + k.template.prefix()
}

// Dirs returns the number of thread prefixes; 1 without thread prefixes.
func (k Keys) Dirs() int { return len(k.dirs) }

// Dir returns the prefix of thread p, 0 <= p < Dirs(), ending with a slash. Without thread prefixes it is Root.
func (k Keys) Dir(p int) string { return k.dirs[p] }

// OwnDirs returns the prefixes, ending with a slash, that nothing but objects and claims of the data set is below.
func (k Keys) OwnDirs() (dirs []string) {
	if !k.SeparateClaims() {
		return nil
	}
	dirs = slices.Clone(k.dirs)
	if at := strings.LastIndexByte(k.claims, '/'); at+1 > len(k.root) {
		dirs = append(dirs, k.claims[:at+1])
	}
	return dirs
}

// ListedDirs returns the prefixes of all threads, as servers list them: keys that begin with a slash are listed without it by some.
func (k Keys) ListedDirs() []string {
	if without, slash := strings.CutPrefix(k.dirs[0], "/"); slash {
		return []string{k.dirs[0], without}
	}
	return k.dirs
}

// DirOf returns the thread that object i belongs to: each thread has every Dirs()-th object.
func (k Keys) DirOf(i uint64) int { return int(i % uint64(len(k.dirs))) }

// Key returns the key of object i.
func (k Keys) Key(i uint64) string {
	var buf [128]byte // most keys fit, so that the string is all that is allocated
	return string(k.appendKey(buf[:0], i))
}

// appendKey appends the key of object i to dst.
func (k *Keys) appendKey(dst []byte, i uint64) []byte {
	if k.template != nil {
		return k.template.append(append(dst, k.root...), &k.seeds, i)
	}
	return k.appendName(append(dst, k.dirs[i%uint64(len(k.dirs))]...), i)
}

// appendName appends what follows the prefix of the thread.
func (k *Keys) appendName(dst []byte, i uint64) []byte {
	dst = strconv.AppendUint(dst, i, 10)
	dst = append(dst, '.')
	dst = appendChars(dst, Mix(k.name, i), tailChars/2)
	dst = appendChars(dst, Mix(k.tail, i), tailChars/2)
	return append(dst, k.end...)
}

// Places returns prefixes such that each key of the data set has one of them, and few other keys do. Unless keys follow a template, an
// object lies directly in its place: no further slash follows.
func (k Keys) Places() []string {
	if k.template != nil {
		place := k.root + k.template.prefix()
		if without, slash := strings.CutPrefix(place, "/"); slash {
			return []string{place, without} // see ListedDirs
		}
		return []string{place}
	}
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
// object's key has it. A claim is an object that declares that a run uses the data set. With thread prefixes,
// claims have a prefix of their own, outside of every thread's listing; without, they lie in Root.
func (k Keys) Claims() string { return k.claims }

// Index is the inverse of Key: it returns the object that has this key. ok is true for exactly the keys of this data set; a
// slash at the beginning may be missing. Objects with any names (see Spec.Named) have no number: it is 0 for all of them.
// This proves who made an object, unless keys follow a template and have a KeyForm.
func (k Keys) Index(key string) (i uint64, ok bool) {
	var buf [256]byte
	if k.template != nil {
		if strings.HasPrefix(k.template.prefix(), "/") && !strings.HasPrefix(key, "/") {
			key = "/" + key
		}
		rest, below := strings.CutPrefix(key, k.root)
		if !below {
			return 0, false
		}
		i, ok = k.template.index(rest, &k.seeds)
		return i, ok && i < maxIndex && string(k.appendKey(buf[:0], i)) == key
	}
	if name, below := strings.CutPrefix(key, k.below); k.named || k.any && below {
		return 0, below && name != ""
	}
	dir := key[:strings.LastIndexByte(key, '/')+1]
	name := key[len(dir):]
	number, _, found := strings.Cut(name, ".")
	if !found {
		return 0, false
	}
	i, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return 0, false
	}
	if k.any {
		return i, string(k.appendName(buf[:0], i)) == name && slices.Contains(k.dirs, dir)
	}
	return i, string(k.appendKey(buf[:0], i)) == key
}

// KeyForm returns the form of all keys of a data set, to compare the keys of different runs; empty if they belong to one seed.
func (k Keys) KeyForm() string {
	if k.template == nil || k.template.own {
		return ""
	}
	return naming.Escape(k.root) + k.template.text
}
