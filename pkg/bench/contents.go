package bench

import (
	"hash/maphash"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
)

// Size of the sample of a run's contents: large enough that the originals of duplicates hardly count, at a cost of some 100 ms.
const (
	sampledBytes     = 256 << 20 // for duplicates
	sampledOf        = 32 << 20  // one object, at most
	compressBytes    = 32 << 20  // for compression
	compressOf       = 4 << 20   // one object, at most
	sampledObjects   = 1 << 16
	sampleCandidates = 1 << 22 // objects to choose the sample from
)

// ownContents returns the workload that makes the contents of a data set itself; false without one.
func ownContents(plan *Compiled, set *setPlan) (work.Source, bool) {
	t := plan.tasks[slices.IndexFunc(plan.tasks, func(t *task) bool { return t.set == set })]
	w, ok := t.workload.(work.Source)
	return w, ok
}

// contentsOf returns a function that opens the contents of a client's objects of a data set, one after another.
func contentsOf(plan *Compiled, set *setPlan, l *dataset.Layout) work.OpenContents {
	var own work.OpenContents
	if w, ok := ownContents(plan, set); ok {
		own, _ = w.Contents(l)
	}
	body := l.Body()
	return func(i uint64) (io.ReaderAt, int64, error) {
		if own != nil && i < set.objects {
			return own(i)
		}
		body.Reset(i, l.Size(i))
		return body, body.Size(), nil
	}
}

// sampleContents generates a sample of a client's uploads to a data set again, and examines it.
func sampleContents(set *dataset.DataSet, open work.OpenContents) (s ContentStats) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return s
	}
	defer func() { _ = w.Close() }()
	used, block := set.Used(), int(set.DuplicateBlock())
	s.Uploaded = set.Uploaded()
	step := max(1, used/sampleCandidates)
	every := max(1, s.Uploaded/step/sampledObjects)
	seed, seen := maphash.MakeSeed(), map[uint64]struct{}{}
	var buf, packed []byte
	for k, n := uint64(0), uint64(0); k < used && s.Bytes < sampledBytes; k += step {
		i := set.OwnIndex(k)
		if !set.IsUploaded(i) {
			continue
		}
		if n++; (n-1)%every != 0 {
			continue
		}
		of, size, err := open(i)
		if err != nil {
			continue
		}
		size = min(size, sampledOf, sampledBytes-s.Bytes)
		if int64(cap(buf)) < size {
			buf = make([]byte, size)
		}
		buf = buf[:size]
		if n, err := of.ReadAt(buf, 0); err != nil && n < len(buf) {
			continue
		}
		s.Objects, s.Bytes, s.Block = s.Objects+1, s.Bytes+size, int64(block)
		for p := buf; len(p) > 0; p = p[min(len(p), block):] {
			seen[maphash.Bytes(seed, p[:min(len(p), block)])] = struct{}{}
			s.Blocks++
		}
		if n := min(size, compressOf, compressBytes-s.Raw); n > 0 {
			packed = w.EncodeAll(buf[:n], packed[:0])
			s.Raw, s.Compressed = s.Raw+n, s.Compressed+int64(len(packed))
		}
	}
	s.Duplicates = s.Blocks - int64(len(seen))
	return s
}
