package bench

import (
	"iter"
	"slices"
	"strings"

	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3/preflight"
)

// global reports whether clients share a sequence of requests: the turns of one schedule or a number of turns, on the same objects.
func global(c *Compiled, s *stream) bool {
	changes := func(t *task) bool { return !t.traits.ReadsOnly() }
	return (!s.Schedule.IsZero() || s.limited()) && (c.SharedData || !slices.ContainsFunc(s.tasks, changes))
}

// KindsOf returns the kinds of operations that a stream may record, without labels; an empty name stands for all streams.
func KindsOf(c *Compiled, stream string) (kinds []op.Kind) {
	for _, s := range c.streams {
		if s.Name != stream && stream != "" {
			continue
		}
		for _, t := range s.tasks {
			kinds = append(kinds, t.traits.Recorded()...)
		}
	}
	return kinds
}

// namedSet returns the data set of a name; nil if no stream works on it.
func namedSet(c *Compiled, name string) *setPlan {
	for _, t := range c.tasks {
		if t.Set == name && name != "" {
			return t.set
		}
	}
	return nil
}

// changesIn reports whether a data set changes in a phase.
func (c *Compiled) changesIn(phase int, set *setPlan) bool {
	return slices.ContainsFunc(c.phaseStreams(phase), func(s *stream) bool { return s.changes(set) })
}

// partOf returns a client's part of the load of a stream; ok is false if the stream is on other clients only. A single client performs all
// streams.
func partOf(s *Stream, of load.Share) (part load.Share, ok bool) {
	if len(s.Clients) == 0 || of.Total <= 1 {
		return of, true
	}
	i := slices.Index(s.Clients, of.Index)
	return load.Share{Index: uint64(max(0, i)), Total: uint64(len(s.Clients))}, i >= 0
}

// OnClient reports whether a client has a part in a stream, by its number from 0.
func OnClient(s *Stream, index uint64) bool {
	return len(s.Clients) == 0 || slices.Contains(s.Clients, index)
}

// uses reports whether a client works on a data set, and so uploads it.
func uses(c *Compiled, set *setPlan, client load.Share) bool {
	return c.SharedData || slices.ContainsFunc(c.tasks, func(t *task) bool {
		_, ok := partOf(t.Stream, client)
		return t.set == set && ok
	})
}

// Common reports whether all clients read the same objects.
func (c *Compiled) Common() bool {
	return c.SharedData || slices.ContainsFunc(c.tasks, func(t *task) bool { return t.traits.ReadsOnly() })
}

// keeps reports whether objects of the run stay in the bucket.
func (c *Compiled) keeps() bool {
	return slices.ContainsFunc(c.sets, func(s *setPlan) bool { return s.keep })
}

// onlyBuckets reports whether the plan makes and deletes buckets, and uses no object.
func (c *Compiled) onlyBuckets() bool {
	return !slices.ContainsFunc(c.tasks, func(t *task) bool { return !t.traits.OnlyBuckets() })
}

// readsOnly reports whether no stream makes or deletes objects.
func (c *Compiled) readsOnly() bool {
	return !slices.ContainsFunc(c.tasks, func(t *task) bool { return !t.traits.ReadsOnly() })
}

// features returns the features that the run needs of its bucket.
func (c *Compiled) features() (list []preflight.Feature) {
	for _, t := range c.tasks {
		list = append(list, t.traits.Features()...)
	}
	return list
}

// phaseStreams returns the streams of a phase.
func (c *Compiled) phaseStreams(phase int) (list []*stream) {
	for _, s := range c.streams {
		if s.phase == phase {
			list = append(list, s)
		}
	}
	return list
}

// Prefixes returns prefixes that cover everything made by client number share, so that it can be found if the client is lost: its threads'
// and its claims', or the common prefix (perhaps empty) if threads have none. Nil if the plan makes no objects, or keeps them.
func (c *Compiled) Prefixes(share uint64) []string {
	if c.KeepData || c.readsOnly() {
		return nil
	}
	var dirs []string
	for _, set := range c.sets {
		if set.keep {
			continue
		}
		keys := c.keys(set, share)
		for i := range keys.Dirs() {
			dirs = append(dirs, keys.Dir(i))
		}
		if claims := keys.Claims(); !strings.HasPrefix(claims, keys.Dir(0)) {
			dirs = append(dirs, claims)
		}
	}
	return dirs
}

// eachSet calls do for each data set of each client of a run (0: one client), or of a single one.
func (c *Compiled) eachSet(clients uint64, client *uint64, do func(set *setPlan, share uint64)) {
	shares := max(1, clients)
	if c.SharedData {
		shares, client = 1, nil
	}
	for share := range shares {
		if client != nil && share != *client {
			continue
		}
		for _, set := range c.sets {
			do(set, share)
		}
	}
}

// keys returns the keys of a client's objects.
func (c *Compiled) keys(set *setPlan, share uint64) generator.Keys {
	if c.SharedData {
		share = 0
	}
	return generator.NewKeys(set.spec, c.seedOf(set, share), set.threads).Of(share)
}

// FirstKeys returns the key of the first object that a stream works on, of each client whose keys differ.
func (c *Compiled) FirstKeys(s *Stream, clients uint64) (list []string) {
	i := slices.IndexFunc(c.tasks, func(t *task) bool { return t.Name == s.Name && t.Set == s.Set })
	if i < 0 {
		return nil
	}
	for client := range max(1, clients) {
		if key := c.keys(c.tasks[i].set, client).Key(0); !slices.Contains(list, key) {
			list = append(list, key)
		}
	}
	return list
}

// seedOf returns the seed of a client's objects, common to all clients that share them.
func (c *Compiled) seedOf(set *setPlan, share uint64) uint64 {
	if c.SharedData {
		share = 0
	}
	return generator.Mix(set.seed, share)
}

// Connections returns the maximum number of concurrent requests.
func (c *Compiled) Connections() int {
	return c.maxAtOnce(func(s *stream) int { return s.Concurrency * s.lanes() })
}

// threads returns the maximum number of threads in a phase.
func (c *Compiled) threads() int {
	return c.maxAtOnce(func(s *stream) int { return s.Concurrency })
}

// maxAtOnce returns the largest sum of a figure over the streams of a phase.
func (c *Compiled) maxAtOnce(of func(*stream) int) (highest int) {
	for phase := range c.Phases {
		sum := threadsOf(c.Phases[phase].Steps)
		for _, s := range c.phaseStreams(phase) {
			sum += of(s)
		}
		highest = max(highest, sum)
	}
	return highest
}

// Workloads returns the workloads, with the names of their streams in results.
func (c *Compiled) Workloads() iter.Seq2[string, work.Workload] {
	return func(yield func(string, work.Workload) bool) {
		for _, t := range c.tasks {
			if !yield(resultName(c, t.of), t.workload) {
				return
			}
		}
	}
}

// resultName returns the name of a stream in results: empty if it is the only one of the plan.
func resultName(c *Compiled, s *stream) string {
	if len(c.streams) == 1 {
		return ""
	}
	return s.Name
}
