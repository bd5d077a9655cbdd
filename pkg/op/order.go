package op

import (
	"cmp"
	"hash/fnv"
	"slices"
)

// kindOrder is the order of kinds wherever several are shown: the common ones, then the others in the order of help.
var kindOrder = []Kind{
	Get, Put, Delete, Stat, List,
	GetPart, MultipartGet, Post, CreateUpload, PutPart, CompleteUpload, AbortUpload, MultipartPut,
	Retention, GetRetention, LegalHold, GetLegalHold, GetTags, PutTags, DeleteTags, Attributes, ACL, HeadBucket, CreateBucket, DeleteBucket,
	Copy, CopyPart, MultipartCopy, Append,
}

// rank is the place of a kind in kindOrder, the same for all its labels, outcomes and attempts. Unknown kinds are last.
func (k Kind) rank() int {
	base := k.Base()
	if i := slices.Index(kindOrder, base); i >= 0 {
		return i
	}
	return len(kindOrder)
}

// Compare orders kinds as they are shown everywhere: by what they do; a kind before its labels, outcomes and attempts; unknown
// kinds last, by name. It returns a negative number if k comes before other.
func (k Kind) Compare(other Kind) int {
	if k == other {
		return 0
	}
	return cmp.Or(cmp.Compare(k.rank(), other.rank()), cmp.Compare(k, other))
}

// Colours is the number of colours that kinds have in charts.
const Colours = 8

// Colour returns the number of the colour of a kind in charts, from 0. It depends on nothing but the kind, and is the same for its
// labels, outcomes and attempts; the five common kinds have one that no other of them has.
func (k Kind) Colour() int {
	if i := k.rank(); i < len(kindOrder) {
		return i % Colours
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(k.Base())) // never fails
	return int(h.Sum32() % Colours)
}
