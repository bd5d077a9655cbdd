package bench

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/s3"
	"warp/pkg/s3/target"
)

func validPlan(t testing.TB, name string) *Plan {
	t.Helper()
	info, ok := work.Lookup(name)
	if !ok {
		t.Fatalf("no workload %q", name)
	}
	ph, err := NewPhase(name, info.Default())
	if err != nil {
		t.Fatal(err)
	}
	ph.Concurrency = 4
	p := &Plan{Target: s3.Config{Hosts: []string{"h:1"}, Bucket: "b"}, Phases: []Phase{ph}}
	p.Data.Sizes.Max = 1 << 20
	return p
}

func TestLimits(t *testing.T) {
	params := func(text string) func(*Plan) { return func(p *Plan) { p.Phases[0].Params = json.RawMessage(text) } }
	for _, c := range []struct {
		workload string
		change   func(*Plan)
		want     string
	}{
		{"put", func(*Plan) {}, ""},
		{"put", func(p *Plan) { p.Data.Sizes = generator.Sizes{Max: 255, Random: true} }, "--obj.size: random sizes: "},
		{"put", func(p *Plan) { p.Data.Sizes = generator.Sizes{Min: -5, Max: 1 << 20, Random: true} }, "obj.size: negative size"},
		{"put", func(p *Plan) { p.Data.Sizes.Buckets = []generator.Bucket{{Size: 5}} }, "obj.size: all bucket weights"},
		{"put", func(p *Plan) { p.Data.Sizes.Buckets = []generator.Bucket{{Size: 5, Weight: 1}, {Size: 5, Weight: 1}} }, "obj.size: bucket size 5 does not"},
		{"put", func(p *Plan) { p.Data.Sizes.Buckets = make([]generator.Bucket, 10_001) }, "obj.size: 10001 buckets"},
		{"put", func(p *Plan) { p.Data.Generator = "poem" }, "obj.content: "},
		{"put", func(p *Plan) { p.Data.Prefix = strings.Repeat("x", 901) }, "prefix: 901 bytes"},
		{"put", func(p *Plan) { p.Data.Prefix = "\xff" }, "prefix: "},
		{"put", func(p *Plan) { p.Room = -1 }, "room: "},
		{"put", func(p *Plan) { p.Target.Hosts = make([]string, target.MaxHosts+1) }, "host: 100001 hosts"},
		{"put", func(p *Plan) { p.Target.Headers = make([]s3.Header, 1001) }, "1001 headers"},
		{"put", func(p *Plan) { p.Target.Retries = 1001 }, "--retries: invalid value 1001 (want 0 to 1000)"},
		{"put", func(p *Plan) { p.Target.Timeout = -time.Second }, "--timeout: invalid value -1s"},
		{"put", func(p *Plan) { p.Phases = make([]Phase, 101) }, "101 phases"},
		{"put", func(p *Plan) { p.Phases[0].Concurrency = math.MaxInt }, "concurrent: "},
		{"put", func(p *Plan) { p.Phases[0].Duration = math.MaxInt64 }, "duration: "},
		{"put", func(p *Plan) { p.Phases[0].Rate = 1e10 }, "rps-limit: "},
		{"put", func(p *Plan) { p.Phases[0].Rate = math.Inf(1) }, "rps-limit: "},
		{"mixed", params(`{"objects": 18446744073709551615}`), "--objects: invalid value 18446744073709551615 (want at most "},
		{"get", params(`{"objects": 18446744073709551615}`), "objects: "},
		{"delete", params(`{"objects": 18446744073709551615}`), "objects: "},
		{"list", params(`{"objects": 5, "max_keys": -1}`), "max-keys: "},
	} {
		p := validPlan(t, c.workload)
		c.change(p)
		if _, err := Compile(p); (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.workload, err, c.want)
		}
	}
}

func TestLimitsOfShares(t *testing.T) {
	p := validPlan(t, "put")
	p.Phases[0].Rate = 1e6
	compiled, err := Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		share load.Share
		ok    bool
	}{{load.Share{Total: 1}, true}, {load.Share{Index: 999, Total: 1000}, true}, {load.Share{Index: 1, Total: 1}, false}, {load.Share{Total: 1 << 62}, false}, {load.Share{Total: 2000}, false}} {
		if err := compiled.fits(c.share); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.share, err)
		}
	}
}
