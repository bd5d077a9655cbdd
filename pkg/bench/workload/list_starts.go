package workload

import (
	"slices"
	"strings"

	"warp/pkg/bench/dataset"
	"warp/pkg/generator"
)

// start is a key to begin a listing after, and the number of prepared objects that follow.
type start struct {
	after string
	n     uint64
}

// maxStarts is the number of starts that a thread uses in turn.
const maxStarts = 16

// setStarts gives each thread random starts of its listings. It counts the keys after them in one pass over a directory, which threads may
// share.
func setStarts(s *dataset.DataSet, threads []listing) {
	inDir := map[int][]*start{}
	for id := range threads {
		dir, n := directory(s, id)
		first, step := firstIn(s, dir), uint64(s.Keys.Dirs())
		threads[id].starts = make([]start, min(n, maxStarts))
		for k := range threads[id].starts {
			i := generator.Uniform(s.Seed(dataset.StreamObject), uint64(id)*maxStarts+uint64(k), n)
			at := &threads[id].starts[k]
			at.after = s.Keys.Key(first + i*step)
			inDir[dir] = append(inDir[dir], at)
		}
	}
	for dir, starts := range inDir {
		countFollowing(s, dir, starts)
	}
}

// countFollowing counts the keys of a directory that follow each start.
func countFollowing(s *dataset.DataSet, dir int, starts []*start) {
	slices.SortFunc(starts, func(a, b *start) int { return strings.Compare(a.after, b.after) })
	follows := make([]uint64, len(starts)+1) // by the number of starts before a key
	first, step := firstIn(s, dir), uint64(s.Keys.Dirs())
	for i := range objectsIn(s, dir) {
		before, _ := slices.BinarySearchFunc(starts, s.Keys.Key(first+i*step), func(at *start, key string) int {
			return strings.Compare(at.after, key)
		})
		follows[before]++
	}
	sum := uint64(0)
	for k := len(starts) - 1; k >= 0; k-- {
		sum += follows[k+1]
		starts[k].n = sum
	}
}

// firstIn returns the first object of a directory.
func firstIn(s *dataset.DataSet, dir int) (i uint64) {
	for s.Keys.DirOf(i) != dir {
		i++
	}
	return i
}

// directory returns the directory that a worker lists, and the number of prepared objects in it. Without thread prefixes there is a single
// directory. Clients that share the objects begin at different directories.
func directory(s *dataset.DataSet, worker int) (dir int, objects uint64) {
	n, dirs := s.Names(), uint64(s.Keys.Dirs())
	// Object d is the first in its directory; with fewer objects than threads some directories are empty.
	d := (uint64(worker) + s.Part.Index) % max(1, min(n, dirs))
	dir = s.Keys.DirOf(d)
	return dir, objectsIn(s, dir)
}

// objectsIn returns the number of prepared objects in a directory.
func objectsIn(s *dataset.DataSet, dir int) uint64 {
	d, dirs := uint64(dir), uint64(s.Keys.Dirs())
	return (max(d, s.Names()) - d + dirs - 1) / dirs
}
