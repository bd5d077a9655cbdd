package workload

import (
	"warp/pkg/bench/dataset"
	"warp/pkg/s3/ops"
)

// tally counts which prepared objects of a directory a listing has returned so far.
type tally struct {
	versions uint64       // of each object
	bits     []uint64     // one for each object of the directory, or each of its versions
	n        uint64       // that are set
	last     ops.ObjectID // listed last
	version  uint64       // its number
	again    string       // a key that was listed twice, or empty
}

func (t *tally) reset(s *dataset.DataSet, versions uint64) {
	words := int((s.Names()/uint64(s.Keys.Dirs())+1)*versions/64) + 1
	bits := t.bits
	if len(bits) != words {
		bits = make([]uint64, words)
	}
	clear(bits)
	*t = tally{versions: versions, bits: bits}
}

// add adds the entries of a page. A page may begin with the last key of the preceding page.
func (t *tally) add(s *dataset.DataSet, entries []ops.Entry, dir, bucket int) {
	keys := s.Keys.InBucket(bucket)
	for _, e := range entries {
		id := ops.ObjectID{Key: e.Key, Version: e.Version}
		i, ours := keys.Index(e.Key)
		if ours = ours && i < s.Names() && s.Keys.DirOf(i) == dir && id != t.last; ours && t.find(s, i, id) {
			place := i/uint64(s.Keys.Dirs())*t.versions + t.version
			if word, bit := &t.bits[place/64], uint64(1)<<(place%64); *word&bit == 0 {
				*word |= bit
				t.n++
			} else {
				t.again = e.Key
			}
		}
		t.last = id
	}
}

// find returns the number of a version of object i, and reports whether the run knows its ID; a listing may also hold the version of a
// failed upload. Listings have the latest version first.
func (t *tally) find(s *dataset.DataSet, i uint64, id ops.ObjectID) bool {
	if t.versions == 1 {
		return true
	}
	likely := t.versions - 1
	if id.Key == t.last.Key {
		likely += t.version
	}
	for k := range t.versions {
		t.version = (likely + t.versions - k) % t.versions
		if s.VersionID(i+t.version*s.Names()) == id.Version {
			return true
		}
	}
	return false
}

// notInDirectory returns the feature of these listings that directory buckets lack; empty if they have all.
func (l *List) notInDirectory() string {
	switch {
	case l.StartAfter:
		return "listings from a key on"
	case l.Version == 1:
		return "version 1 of listings"
	case l.Delimiter != "" && l.Delimiter != "/":
		return "delimiter but \"/\""
	case l.Metadata:
		return "listings of metadata"
	}
	return ""
}
