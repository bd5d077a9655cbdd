package bench_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/bench/replay"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/trace"
	"warp/pkg/trace/tracetest"
)

// everyKind is a trace with all kinds of operations, as a recording of a run: one operation each 2 ms, each of a client.
func everyKind() (ops []op.Op) {
	add := func(kind op.Kind, key string, change func(*op.Op)) {
		o := sent(uint32(len(ops)), kind, key, 0, time.Duration(len(ops))*2*time.Millisecond, time.Millisecond)
		o.Status = 200
		change(&o)
		ops = append(ops, o)
	}
	moved := func(n int64) func(*op.Op) { return func(o *op.Op) { o.Bytes = n } }
	copied := func(source string, n int64) func(*op.Op) {
		return func(o *op.Op) { o.Source, o.Copied = source, n }
	}
	none := func(*op.Op) {}
	add(op.Put, "a", moved(100))
	add(op.Copy, "b", copied("/bucket/a", 100))
	add(op.Get, "b", moved(100))
	add(op.List, "dir/", func(o *op.Op) { o.Objects = 3 })
	add(op.CreateUpload, "c", none)
	add(op.PutPart, "c", moved(300))
	add(op.CompleteUpload, "c", none)
	add(op.Get, "c", moved(300))
	add(op.CreateUpload, "d", none)
	add(op.PutPart, "d", moved(50))
	add(op.AbortUpload, "d", none)
	add(op.Copy, "e", copied("/bucket/before", 77))
	add(op.Get, "e", moved(77))
	add(op.Copy, "a", copied("/bucket/a", 100))
	add(op.Get, "a", moved(100))
	add(op.Delete, "a", none)
	add(op.CreateUpload, "f", none)
	add(op.CopyPart, "f", copied("/bucket/c", 300))
	add(op.CompleteUpload, "f", none)
	add(op.Get, "f", moved(300))
	add(op.CreateUpload, "left", none)
	add(op.PutPart, "left", moved(30))
	return ops
}

// kindCounts counts operations by kind.
func kindCounts(ops []op.Op) map[op.Kind]int {
	n := map[op.Kind]int{}
	for _, o := range ops {
		n[o.Kind]++
	}
	return n
}

// sources returns the sources of all copies, by the first use of objects.
func sources(t *testing.T, p *trace.Player) (list []string) {
	t.Helper()
	names := map[uint64]int{}
	name := func(object uint64) int {
		if _, ok := names[object]; !ok {
			names[object] = len(names)
		}
		return names[object]
	}
	for n := range uint64(p.Operations) {
		o, err := p.Operation(n)
		if err != nil {
			t.Fatal(err)
		}
		if o.Source >= 0 {
			list = append(list, fmt.Sprintf("%s %d of %d, %d bytes", o.Kind, name(o.Object), name(uint64(o.Source)), o.Size))
		}
		name(o.Object)
	}
	return list
}

// All kinds of operations are sent as what they are, in an open and a closed loop; a recording of that is the trace again, sources of copies included.
// Nothing is left but what others have.
func TestReplayOfEveryKind(t *testing.T) {
	aboutS3(t)
	for _, think := range []string{"", replay.ThinkOriginal} {
		f := newForeign(t)
		p := playerOf(t, recorded(t, everyKind()))
		want, copies := perKey(p, t), sources(t, p)
		for round := range 2 {
			m, res, err := replayOf(t, f.store, p, func(plan *bench.Plan, w *replay.Replay) {
				if think != "" {
					closeLoop(plan, w, p)
				}
			})
			if err != nil || m.failed() != "" {
				t.Fatalf("%q, round %d: %v; %s", think, round, err, m.failed())
			}
			f.check(t)
			got, expected := kindCounts(m.benchmark()), kindCounts(everyKind())
			for kind, n := range expected {
				if got[kind] != n {
					t.Errorf("%q, round %d: %d × %s, want %d", think, round, got[kind], kind, n)
				}
			}
			if notes := strings.Join(res.Notes, "\n"); strings.Contains(notes, "replay:") {
				t.Errorf("notes: %s", notes)
			}
			p = playerOf(t, recorded(t, m.ops))
			if think != "" {
				break // times come from the server
			}
			if again := perKey(p, t); !slices.Equal(withoutListings(again), withoutListings(want)) {
				t.Fatalf("round %d:\n got %q\nwant %q", round, again, want)
			}
			if again := sources(t, p); !slices.Equal(again, copies) {
				t.Errorf("round %d: sources %q, want %q", round, again, copies)
			}
		}
	}
}

// withoutListings leaves out how many entries listings returned, which depends on what is there.
func withoutListings(list []string) []string {
	list = slices.Clone(list)
	for i, text := range list {
		if strings.Contains(text, " LIST ") {
			list[i] = strings.Join(strings.Fields(text)[:3], " ")
		}
	}
	return list
}

// Parts may be uploaded at the same time, in any order, with numbers or without; those that failed in the trace are no part of the object.
func TestReplayOfParts(t *testing.T) {
	ownServer(t)
	const text = `{"deploymentid":"d","time":"2026-01-01T00:00:00.001Z","api":{"name":"NewMultipartUpload","bucket":"b","object":"k","statusCode":200,"timeToResponse":"1000ns"}}
{"deploymentid":"d","time":"2026-01-01T00:00:00.0021Z","api":{"name":"PutObjectPart","bucket":"b","object":"k","statusCode":200,"rx":20,"timeToResponse":"1000ns"},"requestQuery":{"partNumber":"2","uploadId":"u"}}
{"deploymentid":"d","time":"2026-01-01T00:00:00.0020Z","api":{"name":"PutObjectPart","bucket":"b","object":"k","statusCode":500,"rx":99,"timeToResponse":"1000ns"},"requestQuery":{"partNumber":"3","uploadId":"u"}}
{"deploymentid":"d","time":"2026-01-01T00:00:00.0022Z","api":{"name":"PutObjectPart","bucket":"b","object":"k","statusCode":200,"rx":10,"timeToResponse":"1000ns"},"requestQuery":{"partNumber":"1","uploadId":"u"}}
{"deploymentid":"d","time":"2026-01-01T00:00:00.003Z","api":{"name":"CompleteMultipartUpload","bucket":"b","object":"k","statusCode":200,"timeToResponse":"1000ns"}}
{"deploymentid":"d","time":"2026-01-01T00:00:00.004Z","api":{"name":"GetObject","bucket":"b","object":"k","statusCode":200,"tx":30,"timeToResponse":"1000ns"}}
{"deploymentid":"d","time":"2026-01-01T00:00:00.005Z","api":{"name":"CompleteMultipartUpload","bucket":"b","object":"k","statusCode":200,"timeToResponse":"1000ns"}}
{"deploymentid":"d","time":"2026-01-01T00:00:00.006Z","api":{"name":"GetObject","bucket":"b","object":"k","statusCode":200,"tx":30,"timeToResponse":"1000ns"}}
`
	server := startResponder(t, responder.Options{Keep: true})
	store := openWith(t, newBucket(), func(c *s3.Config) { c.Hosts = []string{server.Host()} })
	m, res, err := replayOf(t, store, playerOf(t, []byte(text)), func(p *bench.Plan, _ *replay.Replay) { p.Target.Hosts = []string{server.Host()} })
	if err != nil || m.failed() != "" {
		t.Fatal(err, m.failed())
	}
	var read []int64
	for _, o := range m.benchmark() {
		if o.Kind == op.Get {
			read = append(read, o.Bytes)
		}
	}
	if !slices.Equal(read, []int64{30, 30}) {
		t.Errorf("objects of %v bytes were read, want 30 and 30", read)
	}
	if notes := strings.Join(res.Notes, "\n"); !strings.Contains(notes, "replay: 2 requests of uploads in parts") {
		t.Errorf("notes: %s", notes)
	}
	if left := server.Keys(store.Config().Bucket); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// A listing finds as much as that of the trace did, wherever the names of the run are; where it does not, there is a warning.
func TestReplayedListingsFindAsMuch(t *testing.T) {
	ownServer(t)
	var ops []op.Op
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	add := func(o op.Op) {
		o.Start, o.End = at, at.Add(time.Microsecond)
		at = at.Add(time.Millisecond)
		ops = append(ops, o)
	}
	for i := range 64 {
		add(op.Op{Kind: op.Put, Key: fmt.Sprintf("%02d", i), Bytes: 10, Objects: 1})
	}
	for range 20 {
		add(op.Op{Kind: op.List, Key: "", Objects: 25})
	}
	for _, missing := range []bool{false, true} {
		server := startResponder(t, responder.Options{Keep: true})
		store := openWith(t, newBucket(), func(c *s3.Config) { c.Hosts = []string{server.Host()} })
		all := ops
		if missing {
			all = ops[64:]
		}
		p := playerOf(t, recorded(t, all))
		m, res, err := replayOf(t, store, p, func(plan *bench.Plan, w *replay.Replay) {
			plan.Target.Hosts = []string{server.Host()}
			closeLoop(plan, w, p)
		})
		if err != nil || m.failed() != "" {
			t.Fatal(err, m.failed())
		}
		for _, o := range m.benchmark() {
			if o.Kind == op.List && o.Objects != 25 && !missing {
				t.Errorf("a listing returned %d entries, want 25", o.Objects)
			}
		}
		warned := strings.Contains(strings.Join(res.Warnings, "\n"), "replay: listings returned 0 entries, in the trace 500")
		if warned != missing {
			t.Errorf("missing: %v, warnings: %q", missing, res.Warnings)
		}
	}
}

// A listing that continues another one goes on where that ended, by prefix and client; the names of the trace, where they are kept,
// decide what it finds. The client's operations follow each other, however slow the store is.
func TestReplayOfListings(t *testing.T) {
	ownServer(t)
	var b strings.Builder
	line := func(at int, name, key, query string) {
		fmt.Fprintf(&b, `{"deploymentid":"d","time":"2026-01-01T00:00:%02d.%03dZ","remotehost":"1.1.1.1","api":{"name":%q,"bucket":"b","object":%q,"statusCode":200,"rx":5,"timeToResponse":"1000ns"},"requestQuery":{%s}}`+"\n", at/1000, at%1000, name, key, query)
	}
	for i := range 5 {
		line(i, "PutObject", fmt.Sprintf("dir/sub%d/k", i), "")
	}
	line(40, "PutObject", "other/k", "")
	line(60, "ListObjectsV2", "", `"prefix":"dir/","max-keys":"2"`)
	line(80, "ListObjectsV2", "", `"prefix":"dir/","max-keys":"2","continuation-token":"t"`)
	line(100, "ListObjectsV2", "", `"prefix":"dir/","max-keys":"2","continuation-token":"u"`)
	line(120, "ListObjectsV2", "", `"prefix":"dir/","max-keys":"100","delimiter":"/"`)
	line(140, "ListObjectsV2", "", `"prefix":"dir/su","max-keys":"100"`)
	line(160, "ListObjectsV2", "", `"prefix":"","max-keys":"100"`)
	line(180, "ListObjectsV2", "", `"prefix":"other/","continuation-token":"v"`)
	server := startResponder(t, responder.Options{Keep: true})
	store := openWith(t, newBucket(), func(c *s3.Config) { c.Hosts = []string{server.Host()} })
	for keys, want := range map[string][]int{
		replay.KeysOriginal: {2, 2, 1, 5, 5, 6, 1},
		replay.KeysHashDirs: {2, 2, 1, 5, 5, 6, 1}, // a part of a name that is not whole is left out: the directory above is listed
	} {
		p := tracetest.Player(t, []byte(b.String()), trace.Names(keys))
		m, res, err := replayOf(t, store, p, func(plan *bench.Plan, w *replay.Replay) {
			plan.Target.Hosts = []string{server.Host()}
			w.Keys = keys
			closeLoop(plan, w, p)
		})
		if err != nil || m.failed() != "" {
			t.Fatal(keys, err, m.failed())
		}
		var got []int
		for _, o := range slices.SortedFunc(slices.Values(m.benchmark()), func(a, b op.Op) int { return a.Start.Compare(b.Start) }) {
			if o.Kind == op.List {
				got = append(got, o.Objects)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: listings returned %v entries, want %v", keys, got, want)
		}
		if notes := strings.Join(res.Notes, "\n"); !strings.Contains(notes, "replay: 1 listing that continue") {
			t.Errorf("%s: notes: %s", keys, notes)
		}
	}
}
