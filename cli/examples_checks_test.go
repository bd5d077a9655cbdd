package cli

import (
	"maps"
	"slices"
	"testing"
	"time"

	"warp/pkg/op"
)

const kib = 1 << 10

// exampleChecks are additional checks of small runs of examples; their figures come from the comments of the examples.
var exampleChecks = map[string][]func(t *testing.T, s *sent){
	"backup": {
		func(t *testing.T, s *sent) {
			t.Helper()
			if sizes := slices.Compact(s.sizes(".img")); !slices.Equal(sizes, []int64{5 << 20, 12 << 20}) {
				t.Errorf("images of %v bytes, want 5 and 12 MiB", sizes)
			}
			if sizes := slices.Compact(s.sizes(".idx")); !slices.Equal(sizes, []int64{16 << 10}) {
				t.Errorf("index files of %v bytes", sizes)
			}
		},
	},
	"breakpoint": {
		rate("rising", 500*time.Millisecond, true, func(s float64) float64 {
			if s > 2 {
				return 300 + 250*(s-2)
			}
			return 50*s + 50*s*s
		}),
		rate("after", 250*time.Millisecond, true, func(s float64) float64 { return 100 * s }),
	},
	"cdn": {
		rate("edge", 250*time.Millisecond, true, func(s float64) float64 { return 0.2 * (1450*s - 430*s*s/7200) }), // 1450 falls to 1020 in an hour
		distributed("", lognormalSizes(4*kib, 1)), hottest("edge", "GET:PAGES", 100, zipfTop(100, 1)), ranged("edge", "GET:PARTS", played(kib)), unchanged("edge", "GET:CHECKS"),
	},
	"checkpoint": {
		usedOnce("save", op.MultipartPut, 4),
	},
	"cosbench": {
		atMost("main", op.Get, 10), atMost("main", op.Put, 10), apart("main", op.Get, op.Put),
	},
	"data-lake": {
		rate("scan", 250*time.Millisecond, false, func(s float64) float64 { return 300 * s }),
		distributed(".parquet", lognormalSizes(96*kib, 0.6)), hottest("scan", "GET:FILES", 40, zipfTop(40, 0.8)), ranged("scan", "GET:FILES", footer),
	},
	"hsbench": {
		usedOnce("PUT", op.Put, 120), usedOnce("DEL", op.Delete, 120), madeAndDeleted("BINIT", "BDEL", 3),
	},
	"lifecycle": {
		rate("ingest", 250*time.Millisecond, false, func(s float64) float64 { return 150 * s }),
		rate("drop", 250*time.Millisecond, false, func(s float64) float64 { return 150 * s }),
		distributed("", uniformSizes(1*kib, 32*kib)),
	},
	"logs":  {bursts("shippers", 40, 500*time.Millisecond), rate("dashboards", 500*time.Millisecond, false, func(s float64) float64 { return 100 * s }), distributed("", uniformSizes(1*kib, 16*kib))},
	"media": {paced("viewers", op.Get, 20*time.Millisecond), ranged("viewers", op.Get, fixed(16*kib)), distributed("", uniformSizes(64*kib, 256*kib))},
	"noisy-neighbour": {
		rate("alone", 250*time.Millisecond, true, func(s float64) float64 { return 200 * s }), rate("together", 250*time.Millisecond, true, func(s float64) float64 { return 200 * s }),
		hottest("alone", op.Get, 100, zipfTop(100, 0.9)),
	},
	"object-store-bench": {
		atMost("get", op.Get, 5), rate("get", 250*time.Millisecond, false, func(s float64) float64 { return 100 * s }), usedOnce("delete", op.Delete, 100),
	},
	"s3bench":     {ranged("ranges", op.Get, fixed(kib))},
	"small-files": {hottest("traffic", op.Stat, 100, zipfTop(100, 0.8))},
	"training": {
		eachUsed("epoch-1", op.MultipartGet, 30), eachUsed("epoch-5", op.MultipartGet, 30), otherOrder("epoch-1", "epoch-2", op.MultipartGet),
		distributed("", normalSizes(140*kib, 65*kib, 1*kib)),
	},
	// YCSB scatters a Zipf distribution over ten thousand million ranks by a hash: the ten hottest have 0.11, all else is even.
	"ycsb": {hottest("C", op.Get, 100, 0.2)},
}

// madeAndDeleted checks that each client creates a number of buckets in one phase, and deletes them in another one.
func madeAndDeleted(made, deleted string, number int) func(t *testing.T, s *sent) {
	return func(t *testing.T, s *sent) {
		t.Helper()
		there := map[string]bool{}
		for _, o := range s.of(made) {
			there[o.Key] = o.Kind == op.CreateBucket
		}
		if len(there) != number*s.clients {
			t.Errorf("%d buckets were made by %d clients", len(there), s.clients)
		}
		for _, o := range s.of(deleted) {
			if !there[o.Key] || o.Kind != op.DeleteBucket {
				t.Errorf("%s of bucket %q, which is not there", o.Kind, o.Key)
			}
			delete(there, o.Key)
		}
		if len(there) > 0 {
			t.Errorf("%d buckets were not deleted", len(there))
		}
	}
}

// apart checks that two kinds of operations have no object in common.
func apart(stream string, a, b op.Kind) func(t *testing.T, s *sent) {
	return func(t *testing.T, s *sent) {
		t.Helper()
		seen := map[string]bool{}
		for _, o := range s.of(stream, a) {
			seen[o.Bucket+"/"+o.Key] = true
		}
		for _, o := range s.of(stream, b) {
			if seen[o.Bucket+"/"+o.Key] {
				t.Errorf("stream %s: %s and %s of %s", stream, a, b, o.Key)
			}
		}
	}
}

// unchanged checks that objects which have not changed are not sent again.
func unchanged(stream string, kind op.Kind) func(t *testing.T, s *sent) {
	return func(t *testing.T, s *sent) {
		t.Helper()
		for _, o := range s.of(stream, kind) {
			if o.Status != 304 || o.Bytes > 0 {
				t.Errorf("stream %s: status %d with %d bytes, want 304 with none", stream, o.Status, o.Bytes)
			}
		}
	}
}

// otherOrder checks that two streams of a client use the same objects in another order.
func otherOrder(a, b string, kind op.Kind) func(t *testing.T, s *sent) {
	return func(t *testing.T, s *sent) {
		t.Helper()
		order := func(stream string) map[string][]string {
			keys := map[string][]string{}
			for _, o := range s.of(stream, kind) {
				keys[o.Client] = append(keys[o.Client], o.Key)
			}
			return keys
		}
		first, second := order(a), order(b)
		for client, keys := range first {
			if slices.Equal(keys, second[client]) {
				t.Errorf("%s and %s have one order", a, b)
			}
		}
		if !slices.Equal(slices.Sorted(maps.Keys(first)), slices.Sorted(maps.Keys(second))) {
			t.Errorf("%s and %s are by different clients", a, b)
		}
	}
}
