package bench

import (
	"testing"

	"warp/pkg/generator"
)

// TestSampleContents: all of a small data set is examined, a part of a large one, of objects from all of it.
func TestSampleContents(t *testing.T) {
	set := testSet(t, 1, 0, 1, generator.Spec{Generator: "compressible=50%,duplicate=100%", Sizes: generator.Sizes{Max: 1 << 20}})
	if s := sampleContents(set); s != (contentSample{}) {
		t.Errorf("nothing was uploaded: %+v", s)
	}
	set.next.Store(8)
	s := sampleContents(set)
	if s.objects != 8 || s.bytes != 8<<20 || s.blocks != 2048 || s.distinct != 256 || s.raw != 8<<20 || s.compressed > 5<<20 {
		t.Errorf("%+v", s)
	}
	set.next.Store(10_000)
	if s = sampleContents(set); s.objects != 256 || s.of != 10_000 || s.bytes != sampledBytes || s.raw != compressBytes {
		t.Errorf("%+v", s)
	}
}
