package bench_test

import (
	"testing"

	"warp/pkg/bench"
)

// TestLargeObjects: an object of more than 5 GiB needs parts, and one upload has at most 10,000.
func TestLargeObjects(t *testing.T) {
	aboutS3(t)
	store := open(t, newBucket())
	for _, c := range []struct {
		workload       string
		args           []string
		size, partSize int64
		want           string
	}{
		{"put", nil, 6 << 30, 0, "--obj.size: 6442450944 bytes is more than one PUT can hold (5GiB)"},
		{"put", nil, 6 << 30, 16 << 20, ""},
		{"get", nil, 6 << 30, 16 << 20, ""},
		{"put", []string{"-post"}, 6 << 30, 16 << 20, "--obj.size: 6442450944 bytes is more than one PUT can hold (5GiB)"},
		{"put", []string{"-objects=9", "-if-none-match=*"}, 17 << 20, 16 << 20, "--part.put: uploads in parts have no --if-match or --if-none-match; leave out one of them"},
		{"put", []string{"-objects=9", "-if-none-match=*"}, 16 << 20, 16 << 20, ""},
		{"put", nil, 60 << 30, 1 << 20, "--part.put: an object of 60GiB would have 61440 parts (want at most 10000); use larger parts"},
		{"put", nil, 60 << 30, 6 << 30, "--part.put: invalid value 6442450944 (want 1 byte to 5GiB)"},
	} {
		p := job{workload: c.workload, args: c.args, change: func(p *bench.Plan) {
			p.Data.Sizes.Max, p.Target.Uploads.PartSize = c.size, c.partSize
		}}.plan(t, store)
		got := ""
		if _, err := bench.Compile(p); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s %q of %d: %q, want %q", c.workload, c.args, c.size, got, c.want)
		}
	}
}
