package bench

import (
	"fmt"
	"hash/maphash"

	"github.com/klauspost/compress/zstd"

	"warp/pkg/units"
)

// How much of the contents of a run is examined: enough that the blocks which duplicates are copies of hardly count, at a cost of some 100 ms.
const (
	contentBlock   = 4 << 10
	sampledBytes   = 256 << 20 // for duplicates
	sampledOf      = 32 << 20  // one object, at most
	compressBytes  = 32 << 20  // for compression
	compressOf     = 4 << 20   // one object, at most
	sampledObjects = 1 << 16
)

// contentSample is what was found out about the contents of some objects.
type contentSample struct {
	objects, of      uint64 // that were uploaded
	bytes            int64
	blocks, distinct int64
	raw, compressed  int64 // bytes before and after compression
}

// String returns the line about it in a report.
func (s *contentSample) String() string {
	return fmt.Sprintf("Contents: zstd level 1 compresses them to %s, %s of blocks of 4KiB are duplicates. Computed from %s of %d of the %d objects that were uploaded",
		units.Percent(s.compressed, s.raw), units.Percent(s.blocks-s.distinct, s.blocks), units.Size(s.bytes), s.objects, s.of)
}

// sampleContents makes contents of what a client uploaded of a data set once more, and examines them.
func sampleContents(set *DataSet) (s contentSample) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return s
	}
	defer func() { _ = w.Close() }()
	used := set.next.Load()
	s.of = used
	chosen := min(used, sampledObjects)
	seed, seen := maphash.MakeSeed(), map[uint64]struct{}{}
	var buf, packed []byte
	for k := range chosen {
		i := set.own(k * (used / max(1, chosen)))
		size := min(set.Size(i), sampledOf, sampledBytes-s.bytes)
		if s.bytes >= sampledBytes {
			break
		}
		if int64(cap(buf)) < size {
			buf = make([]byte, size)
		}
		buf = buf[:size]
		set.data.Fill(buf, i, 0)
		s.objects, s.bytes = s.objects+1, s.bytes+size
		for p := buf; len(p) > 0; p = p[min(len(p), contentBlock):] {
			seen[maphash.Bytes(seed, p[:min(len(p), contentBlock)])] = struct{}{}
			s.blocks++
		}
		if n := min(size, compressOf, compressBytes-s.raw); n > 0 {
			packed = w.EncodeAll(buf[:n], packed[:0])
			s.raw, s.compressed = s.raw+n, s.compressed+int64(len(packed))
		}
	}
	s.distinct = int64(len(seen))
	return s
}
