package bench

import (
	"cmp"
	"fmt"
	"slices"

	"warp/pkg/units"
)

// ContentStats describes the contents of a data set, from a sample of the uploaded objects.
type ContentStats struct {
	Set        string `json:"data_set,omitempty"` // its name, or number; empty in a plan of one data set
	Objects    uint64 `json:"objects"`            // examined
	Uploaded   uint64 `json:"uploaded"`
	Bytes      int64  `json:"bytes"`           // examined
	Block      int64  `json:"block,omitempty"` // bytes; 0: 4 KiB
	Blocks     int64  `json:"blocks"`
	Duplicates int64  `json:"duplicates"` // of the blocks
	Raw        int64  `json:"raw"`        // bytes that were compressed
	Compressed int64  `json:"compressed"` // bytes after compression
}

// BlockBytes returns the size of the blocks compared for duplicates.
func (s *ContentStats) BlockBytes() int64 { return cmp.Or(s.Block, 4<<10) }

// ZstdRatio returns the compressed size as a share of the original.
func (s *ContentStats) ZstdRatio() float64 { return ratio(s.Compressed, s.Raw) }

// DuplicateShare returns the share of blocks that are copies of others.
func (s *ContentStats) DuplicateShare() float64 { return ratio(s.Duplicates, s.Blocks) }

func ratio(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// String returns its line in the report.
func (s *ContentStats) String() string {
	name := "Contents"
	if s.Set != "" {
		name += " of " + s.Set
	}
	const text = "%s: zstd level 1 compresses them to %s, %s of blocks of %s are duplicates. " +
		"Computed from %s of %d of the %d objects that were uploaded"
	compressed, duplicates := units.Percent(s.Compressed, s.Raw), units.Percent(s.Duplicates, s.Blocks)
	return fmt.Sprintf(text, name, compressed, duplicates, units.ExactSize(s.BlockBytes()), units.Size(s.Bytes), s.Objects, s.Uploaded)
}

// AddContents returns the statistics of several clients, or parts of a run, by data set.
func AddContents(list, more []ContentStats) []ContentStats {
	for _, m := range more {
		i := slices.IndexFunc(list, func(l ContentStats) bool { return l.Set == m.Set })
		if i < 0 {
			if len(list) < MaxPhases {
				list = append(list, m)
			}
			continue
		}
		l := &list[i]
		l.Objects, l.Uploaded, l.Bytes = l.Objects+m.Objects, l.Uploaded+m.Uploaded, l.Bytes+m.Bytes
		l.Blocks, l.Duplicates, l.Raw, l.Compressed = l.Blocks+m.Blocks, l.Duplicates+m.Duplicates, l.Raw+m.Raw, l.Compressed+m.Compressed
	}
	return list
}
