package index

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// nameHash hashes the parts of names with a secret that is stored nowhere, so that guesses of names cannot be checked.
type nameHash struct {
	secret [sha256.Size]byte
	text   []byte
}

func newNameHash() *nameHash {
	h := &nameHash{}
	_, _ = rand.Read(h.secret[:]) // it never fails
	return h
}

// appendTo appends the hashed parts of a name. The hash of a part depends on the parts before it, so that equal names in two directories
// have different hashes.
func (h *nameHash) appendTo(dst, name []byte) []byte {
	sum := h.secret
	for i, part := 0, []byte(nil); ; i++ {
		part, name, _ = bytes.Cut(name, []byte("/"))
		h.text = append(append(h.text[:0], sum[:]...), part...)
		sum = sha256.Sum256(h.text)
		dst = base64.RawURLEncoding.AppendEncode(dst, sum[:8])
		if name == nil {
			return dst
		}
		dst = append(dst, '/')
	}
}

// appendPrefix appends the hashed parts of a prefix up to its last slash: the part after it may not be whole.
func (h *nameHash) appendPrefix(dst, prefix []byte) []byte {
	end := bytes.LastIndexByte(prefix, '/')
	if end < 0 {
		return dst
	}
	return append(h.appendTo(dst, prefix[:end]), '/')
}
