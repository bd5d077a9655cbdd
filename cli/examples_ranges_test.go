package cli

import (
	"slices"
	"testing"

	"warp/pkg/op"
)

// turns returns the operations of each turn that reads ranges of an object: the last one counts it, unless it fails.
func (s *sent) turns(stream string, kinds ...op.Kind) (list [][]op.Op) {
	type thread struct {
		client string
		number uint32
	}
	open := map[thread]int{} // place in list, from 1, of a turn that goes on
	for _, o := range s.of(stream, kinds...) {
		by := thread{o.Client, o.Thread}
		k := open[by]
		if k == 0 {
			list = append(list, nil)
			k = len(list)
		}
		list[k-1] = append(list[k-1], o)
		if open[by] = 0; o.Kind.Base() == op.Get && o.Objects == 0 && !o.Failed() {
			open[by] = k
		}
	}
	return list
}

// firsts returns the first operation of each turn.
func (s *sent) firsts(stream string, kinds ...op.Kind) (list []op.Op) {
	for _, turn := range s.turns(stream, kinds...) {
		list = append(list, turn[0])
	}
	return list
}

// ranged checks what is read in each turn of an object of a size.
func ranged(stream string, kind op.Kind, right func(lengths []int64, size int64) bool) func(t *testing.T, s *sent) {
	return func(t *testing.T, s *sent) {
		t.Helper()
		sizes := map[string]int64{}
		for _, o := range s.ops {
			if k := o.Kind.Unlabelled(); k == op.Put || k == op.MultipartPut {
				sizes[o.Key] = o.Bytes
			}
		}
		for _, turn := range s.turns(stream, kind) {
			var lengths []int64
			for _, o := range turn {
				lengths = append(lengths, o.Bytes)
			}
			if size := sizes[turn[0].Key]; !right(lengths, size) {
				t.Errorf("stream %s: %s of %v bytes of an object of %d", stream, kind, lengths, size)
			}
		}
	}
}

// fixed is one range of a length, or of a smaller object.
func fixed(length int64) func(lengths []int64, size int64) bool {
	return func(lengths []int64, size int64) bool { return slices.Equal(lengths, []int64{min(length, size)}) }
}

// footer is the length of the footer, the footer, and 1 to 16 KiB.
func footer(lengths []int64, size int64) bool {
	return len(lengths) == 3 && lengths[0] == 8 && lengths[1] == min(64*kib, size) && lengths[2] >= min(kib, size) && lengths[2] <= min(16*kib, size)
}

// played is all of an object in ranges of a length.
func played(length int64) func(lengths []int64, size int64) bool {
	return func(lengths []int64, size int64) bool {
		for len(lengths) > 1 && lengths[0] == length {
			lengths, size = lengths[1:], size-length
		}
		return len(lengths) == 1 && lengths[0] == size && size <= length
	}
}
