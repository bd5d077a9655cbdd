package bench_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"warp/pkg/bench"
	"warp/pkg/bench/replay"
	"warp/pkg/bench/workload"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/trace"
	"warp/pkg/trace/tracetest"
)

// oddNames are names of objects that not all stores take as they are.
var oddNames = []string{"plain", "a/", "c//b", "/lead", "../up", "x/./y", "bad\xff", "bad\xfe", "dir/sub/file", "dir/sub/file2", "q?x=1&y=%41", strings.Repeat("deep", 100) + "/" + strings.Repeat("name", 100), strings.Repeat("long/", 400), strings.Repeat("long/", 401)}

// written is a trace that uploads objects of these names, and reads them.
func written(names []string) []byte {
	var b strings.Builder
	for i, name := range names {
		fmt.Fprintf(&b, "%d REST.PUT.OBJECT %s %d\n", i, name, 100+i)
		fmt.Fprintf(&b, "%d REST.GET.OBJECT %s %d\n", 500+i, name, 100+i)
	}
	return []byte(b.String())
}

// keysBySize returns the keys of uploads, without the prefix that all of them have, by their sizes.
func keysBySize(t *testing.T, m *memory) (below string, keys map[int64]string) {
	t.Helper()
	keys = map[int64]string{}
	for _, o := range m.benchmark() {
		if o.Kind != op.Put {
			continue
		}
		parts := strings.SplitN(o.Key, "/", 4) // mine, the thread, the prefix of the run
		if below != "" && below != strings.Join(parts[:3], "/") {
			t.Errorf("%q is not below %q", o.Key, below)
		}
		below, keys[o.Bytes] = strings.Join(parts[:3], "/"), parts[3]
		if len(o.Key) > 1024 {
			t.Errorf("a key has %d bytes", len(o.Key))
		}
	}
	return below, keys
}

// Names of a trace stay as they are where stores take them; no two become one; nothing is left, and nothing of others is touched.
func TestReplayKeepsNames(t *testing.T) {
	f := newForeign(t)
	names := oddNames
	if serverName == "s3s" { // it responds 500 to a long key, which it has in the name of a file, and its listings do not encode %
		names = names[:slices.IndexFunc(names, func(name string) bool { return strings.Contains(name, "%") })]
	}
	for _, kept := range []trace.Names{trace.OriginalNames, trace.HashedNames} {
		p := tracetest.Player(t, written(names), kept)
		m, _, err := replayOf(t, f.store, p, func(plan *bench.Plan, w *replay.Replay) {
			w.Keys, plan.Data.Prefix, plan.Data.NoPrefix = string(kept), "mine", false // nothing is deleted meanwhile
		})
		if err != nil || m.failed() != "" {
			t.Fatalf("%s: %v; %s", kept, err, m.failed())
		}
		f.check(t)
		_, keys := keysBySize(t, m)
		if n := len(slices.Compact(slices.Sorted(maps.Values(keys)))); n != len(names) {
			t.Errorf("%s: %d keys, want %d", kept, n, len(names))
		}
		for i, name := range names {
			key := keys[int64(100+i)]
			same := key == name
			switch {
			case kept == trace.HashedNames && strings.Contains(key, name):
				t.Errorf("%q shows in %q", name, key)
			case kept == trace.OriginalNames && name == trace.Storable(name, 900) && !same:
				t.Errorf("%q became %q", name, key)
			}
		}
		if kept == trace.HashedNames && !strings.HasPrefix(keys[108], keys[109][:23]) {
			t.Errorf("%q and %q are not in the same directory", keys[108], keys[109])
		}
	}
}

// What a replay with names left is removed by its plan, or by its seed; what others have next to it stays. While it is there, no other run
// takes its names.
func TestCleanupOfReplayedNames(t *testing.T) {
	for _, noPrefix := range []bool{false, true} {
		f := newForeign(t)
		p := tracetest.Player(t, written([]string{"a", "b/c", "b/d/e"}), trace.OriginalNames)
		var plan *bench.Plan
		again := func(keep bool) (*memory, error) {
			m, _, err := replayOf(t, f.store, p, func(made *bench.Plan, w *replay.Replay) {
				plan, w.Keys, made.KeepData, made.Data.Prefix, made.Data.NoPrefix = made, replay.KeysOriginal, keep, "mine", noPrefix
			})
			return m, err
		}
		for _, byRecording := range []bool{true, false} {
			m, err := again(true)
			if err != nil || m.failed() != "" {
				t.Fatal(err, m.failed())
			}
			f.put(t, 0, "mine/b/c")
			f.put(t, 0, strings.TrimSuffix(ownPrefix(t, m), "/")+"x/a") // next to it
			if _, err := again(false); err == nil || !strings.Contains(err.Error(), "already holds objects of a run with seed 7") {
				t.Fatal(err)
			}
			c := &bench.Cleanup{Over: true, Plan: bench.Decoded(t, plan), Target: *f.store.Config(), Store: f.store, Threads: 3}
			if !byRecording { // as "warp clean --seed" does
				ph, err := bench.NewPhase("put", &workload.Put{})
				if err != nil {
					t.Fatal(err)
				}
				ph.Concurrency = 1
				seeded := *plan
				seeded.Phases = []bench.Phase{ph}
				c.Plan, c.Any = bench.Decoded(t, &seeded), 16
			}
			done, err := c.Run(t.Context())
			if err != nil || done.Objects != 3 {
				t.Errorf("noprefix %v, by recording %v: %+v, %v", noPrefix, byRecording, done, err)
			}
			f.check(t)
		}
	}
}

// ownPrefix returns the prefix of the keys of a replay that has an object "a".
func ownPrefix(t *testing.T, m *memory) string {
	t.Helper()
	for _, o := range m.benchmark() {
		if below, ok := strings.CutSuffix(o.Key, "/a"); ok {
			return below + "/"
		}
	}
	t.Fatal("there is no object a")
	return ""
}

// Objects are spread over several buckets, with names of the trace or without.
func TestReplayInBuckets(t *testing.T) {
	p := tracetest.Player(t, written([]string{"a", "b/c", "b/d", "e"}), trace.OriginalNames)
	for _, keys := range replay.KeyChoices {
		store := openWith(t, newBucket(), func(c *s3.Config) { c.Buckets = 2 })
		m, _, err := replayOf(t, store, p, func(plan *bench.Plan, w *replay.Replay) { w.Keys, plan.Data.Buckets = keys, 2 })
		if err != nil || m.failed() != "" {
			t.Fatal(keys, err, m.failed())
		}
		used := map[string]int{}
		for _, o := range m.benchmark() {
			used[o.Bucket]++
		}
		if len(used) != 2 || slices.Max(slices.Collect(maps.Values(used))) != 4 {
			t.Errorf("%s: operations by bucket: %v", keys, used)
		}
	}
}

// A replay with names needs a trace that has them.
func TestReplayWithoutNames(t *testing.T) {
	_, _, err := replayOf(t, open(t, newBucket()), playerOf(t, traffic(10, 3)), func(_ *bench.Plan, w *replay.Replay) { w.Keys = replay.KeysOriginal })
	if err == nil || !strings.Contains(err.Error(), "trace holds no names of objects, which --keys=keep needs") {
		t.Error(err)
	}
}
