package workload

import (
	"testing"

	"warp/pkg/bench/dataset"
)

func TestRangesOfFlags(t *testing.T) {
	access := dataset.NewAccess(1, 0, 3)
	for _, r := range []Ranges{{Range: true}, {RangeSize: 10}, {RangeSize: 100000}} {
		for _, size := range []int64{2, 100, 255, 256, 300, 1 << 20} {
			last := false
			for turn := range uint64(20000) {
				p := r.parts(&access, turn, size)
				off, n, _ := p.Next()
				if _, _, more := p.Next(); more || off < 0 || n < 1 || off+n > size {
					t.Fatalf("%+v of %d bytes: offset %d length %d, more: %v", r, size, off, n, more)
				}
				last = last || off+n == size
			}
			if !last && size <= 300 { // of a larger object the last byte is one of too many
				t.Errorf("%+v of %d bytes: the last byte is never read", r, size)
			}
		}
	}
	p := (&Ranges{}).parts(&dataset.Access{}, 1, 100)
	if off, n, _ := p.Next(); off != 0 || n != 0 {
		t.Error("without ranges the whole object is read")
	}
}
