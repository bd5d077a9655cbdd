package bench

import (
	"testing"

	"warp/pkg/bench/internal/benchtest"
	"warp/pkg/bench/workload"
	"warp/pkg/generator"
)

// TestSampleContents: all of a small data set is examined, a part of a large one, of objects from all of it.
func TestSampleContents(t *testing.T) {
	set := benchtest.Set(t, 1, 0, 1, generator.Spec{Generator: "compressible=50%,duplicate=100%", Sizes: generator.Sizes{Max: 1 << 20}})
	plan := &setPlan{}
	open := contentsOf(&Compiled{tasks: []*task{{workload: &workload.Put{}, set: plan}}}, plan, set.Layout)
	if s := sampleContents(set, open); s != (ContentStats{}) {
		t.Errorf("nothing was uploaded: %+v", s)
	}
	set.NewBlock(8)
	s := sampleContents(set, open)
	if s.Objects != 8 || s.Bytes != 8<<20 || s.Blocks != 2048 || s.Duplicates != 2048-256 || s.Raw != 8<<20 || s.Compressed > 5<<20 {
		t.Errorf("%+v", s)
	}
	set.NewBlock(10_000 - 8)
	if s = sampleContents(set, open); s.Objects != 256 || s.Uploaded != 10_000 || s.Bytes != sampledBytes || s.Raw != compressBytes {
		t.Errorf("%+v", s)
	}
}
