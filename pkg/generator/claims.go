package generator

import "strings"

const (
	// claimName begins the names of objects that hold no data: see Keys.Claims.
	claimName = "claim."
	// tailChars are the characters of an object's name after its number, and of a claim's after claimName.
	tailChars = 16
)

// IsClaim reports whether a key looks like a claim of any data set.
func IsClaim(key string) bool {
	rest, found := strings.CutPrefix(key[strings.LastIndexByte(key, '/')+1:], claimName)
	proof, _, more := strings.Cut(rest, ".")
	return found && more && len(proof) == tailChars
}

// templateMark is in the names of claims of data sets whose keys follow a template and do not belong to one seed.
const templateMark = "template"

// IsTemplateClaim reports whether a key looks like a claim of keys that follow a template and do not belong to one seed.
func IsTemplateClaim(key string) bool {
	return IsClaim(key) && strings.HasPrefix(lastPart(key), claimName+templateMark)
}

// lastPart returns what follows the last slash.
func lastPart(key string) string { return key[strings.LastIndexByte(key, '/')+1:] }
