package bench

import (
	"encoding/json"
	"flag"
	"reflect"
	"strings"
	"testing"
	"time"

	"warp/pkg/bench/work"
	"warp/pkg/s3"
)

func TestPlanRoundTrip(t *testing.T) {
	for _, info := range work.Registry() {
		ph, err := NewPhase(info.Name, info.Default())
		if err != nil {
			t.Fatal(err)
		}
		ph.Concurrency, ph.Duration = 3, time.Minute
		p := Plan{Seed: 9, Target: s3.Config{Hosts: []string{"h:1"}, AccessKey: "AKIA", SecretKey: "geheim", SessionToken: "token"}, Phases: []Phase{ph}}
		p.Data.Sizes.Max = 1 << 20
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"AKIA", "geheim", `"token"`} {
			if strings.Contains(string(b), secret) {
				t.Errorf("%s: the plan's JSON shows the secret %s", info.Name, secret)
			}
		}
		var back Plan
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		back.Target.AccessKey, back.Target.SecretKey, back.Target.SessionToken = p.Target.AccessKey, p.Target.SecretKey, p.Target.SessionToken
		if !reflect.DeepEqual(p, back) {
			t.Errorf("%s: the plan changed on its way through JSON:\n%+v\n%+v", info.Name, p, back)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name, workload string
		args           []string
		change         func(*Plan)
		want           string // "" means valid
	}{
		{"default", "get", nil, nil, ""},
		{"no threads", "get", nil, func(p *Plan) { p.Phases[0].Concurrency = 0 }, "--concurrent: invalid value 0"},
		{"no objects", "get", []string{"-objects=0"}, nil, "--objects: invalid value 0 (want at least 1)"},
		{"range too large", "get", []string{"-range-size=20MiB"}, nil, "--range-size: invalid value 20971520"},
		{"ranges too large", "get", []string{"-range=8@end,1MiB..20MiB@seq"}, nil, `--range: invalid value "8B@end,1MiB..20MiB@seq" (want at most the 10485760 bytes of an object)`},
		{"two lengths", "get", []string{"-range=8@end", "-range-size=1KiB"}, nil, "--range-size: --range has the lengths; leave out one of them"},
		{"ranges of parts", "get", []string{"-range=8@end", "-part.size=1MiB"}, nil, "--part.size: objects are downloaded either in parts or by --range"},
		{"delete more than put", "mixed", []string{"-delete-distrib=20"}, nil, "delete-distrib: 20 is more than the 15"},
		{"nothing to do", "mixed", []string{"-get-distrib=0", "-stat-distrib=0", "-put-distrib=0", "-delete-distrib=0"}, nil, "nothing to do"},
		{"negative share", "mixed", nil, func(p *Plan) {
			p.Phases[0].Params = json.RawMessage(`{"objects": 1, "get_distrib": -1}`)
		}, "--get-distrib: invalid value -1"},
		{"too few to delete", "delete", []string{"-objects=10"}, nil, "--objects=8000 or more"},
		{"batch too large", "delete", []string{"-batch=1001"}, nil, "--batch: invalid value 1001"},
		{"page too large", "list", []string{"-max-keys=1001"}, nil, "--max-keys: invalid value 1001"},
		{"too large for a PUT", "put", nil, func(p *Plan) { p.Data.Sizes.Max = 6 << 30 }, "5GiB"},
		{"unknown", "put", nil, func(p *Plan) { p.Phases[0].Workload = "sing" }, `unknown workload "sing"`},
		{"autoterm", "put", nil, func(p *Plan) { p.Phases[0].Autoterm = &Autoterm{} }, "autoterm.pct"},
		{"empty", "put", nil, func(p *Plan) { p.Phases = nil }, "no phase"},
	} {
		t.Run(c.name, func(t *testing.T) {
			info, _ := work.Lookup(c.workload)
			w := info.New()
			fs := flag.NewFlagSet("", flag.ContinueOnError)
			w.Flags(fs)
			if err := fs.Parse(c.args); err != nil {
				t.Fatal(err)
			}
			ph, err := NewPhase(c.workload, w)
			if err != nil {
				t.Fatal(err)
			}
			ph.Concurrency = 20
			p := Plan{Phases: []Phase{ph}}
			p.Data.Sizes.Max = 10 << 20
			if c.change != nil {
				c.change(&p)
			}
			_, err = Compile(&p)
			if (c.want == "") != (err == nil) || (err != nil && !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
