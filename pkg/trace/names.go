package trace

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

// Names says which names of objects the compact form holds.
type Names string

// Choices of names.
const (
	NoNames       Names = ""
	HashedNames   Names = "hash-dirs" // a hash of each part between slashes, which keeps the depth and the size of directories
	OriginalNames Names = "keep"      // names as they are
)

// MaxName is the maximum length of a name in bytes, as of keys in S3.
const MaxName = 1024

// Storable returns a name as a key that all stores accept, of at most limit bytes, which must be 16 or more: valid UTF-8 without control
// characters, and no part between slashes is empty, "." or "..". A changed name ends in a hash of the original, so that names stay
// different.
func Storable(name string, limit int) string {
	if name != "" && len(name) <= limit && storable(name) {
		return name
	}
	return joinWithin(storableParts(name), limit) + nameEnd(name)
}

// maxNamePart is the maximum number of bytes between slashes in stores that are file systems.
const maxNamePart = 255

// nameEndLength is the length of nameEnd.
const nameEndLength = 12

// joinWithin joins parts to a name of at most limit bytes, with its end, which it leaves to the caller. The last part can have an end, too.
func joinWithin(parts []string, limit int) string {
	text := cutText(strings.Join(parts, "/"), limit-nameEndLength)
	last := strings.LastIndexByte(text, '/') + 1
	return text[:last] + cutText(text[last:], maxNamePart-nameEndLength)
}

// nameEnd returns the end of a changed name, or of a changed part.
func nameEnd(name string) string { return "~" + shortText(xxhash.Sum64String(name)) }

// StorablePrefix returns the common prefix of storable names, each of at most limit bytes, from that of the names.
func StorablePrefix(prefix string, limit int) string {
	parts := storableParts(prefix)
	begun := prefix[strings.LastIndexByte(prefix, '/')+1:] // of a part that goes on in the names
	if begun == "." || begun == ".." {
		begun = "" // alone they would be changed, and are not where the names go on
	}
	parts[len(parts)-1] = changedText(begun)
	return joinWithin(parts, limit)
}

// storableParts returns the parts of a name between slashes, changed as far as is needed for all stores to take them.
func storableParts(name string) []string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		switch text := changedText(part); {
		case len(part) > maxNamePart && i < len(parts)-1: // a directory, which stays another than those that begin like it
			parts[i] = cutText(text, maxNamePart-nameEndLength) + nameEnd(part)
		case text == "" || text == "." || text == "..":
			parts[i] = "_"
		default:
			parts[i] = text
		}
	}
	return parts
}

// changedText replaces the characters that XML cannot hold.
func changedText(text string) string {
	return strings.Map(func(c rune) rune {
		if c == utf8.RuneError || !plain(c) {
			return '_'
		}
		return c
	}, text)
}

// cutText returns at most limit bytes of a text, in whole characters.
func cutText(text string, limit int) string {
	cut := min(len(text), limit)
	for cut < len(text) && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}

// storable reports whether all of a name can be part of a key.
func storable(name string) bool {
	if !utf8.ValidString(name) {
		return false
	}
	for _, c := range name {
		if !plain(c) {
			return false
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if !storablePart(part) {
			return false
		}
	}
	return true
}

func storablePart(part string) bool {
	return part != "" && part != "." && part != ".." && len(part) <= maxNamePart
}

// plain reports whether XML can hold a character: listings of keys are XML.
func plain(c rune) bool { return !unicode.IsControl(c) && c != 0xfffe && c != 0xffff }

// shortText returns a number as text of 11 characters, which names of files and URLs can hold.
func shortText(n uint64) string {
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, n))
}
