package index

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// nameHash hashes the parts of names. Its secret is forgotten, so that guessed names cannot be tried.
type nameHash struct {
	secret [sha256.Size]byte
	text   []byte
}

func newNameHash() *nameHash {
	h := &nameHash{}
	_, _ = rand.Read(h.secret[:]) // it never fails
	return h
}

// appendTo appends the hashed parts of a name. The hash of a part depends on those before it: two directories have none in common.
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

// appendPrefix appends the hashed parts of a prefix, as far as they are whole: up to its last slash.
func (h *nameHash) appendPrefix(dst, prefix []byte) []byte {
	end := bytes.LastIndexByte(prefix, '/')
	if end < 0 {
		return dst
	}
	return append(h.appendTo(dst, prefix[:end]), '/')
}
