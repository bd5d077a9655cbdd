package bench_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// stream makes a stream of a workload with its quick parameters.
func stream(t *testing.T, store s3.Store, name, workload, set string, args ...string) bench.Stream {
	t.Helper()
	s := job{workload: workload, args: args}.plan(t, store).Phases[0].Stream
	s.Name, s.Set = name, set
	return s
}

// Plans of several streams that would disturb each other are refused, and no others.
func TestStreamsThatDisturbEachOther(t *testing.T) {
	aboutS3(t)
	store := open(t, newBucket())
	type plan = func(p *bench.Plan)
	with := func(together bool, first, second bench.Stream, more ...plan) plan {
		first.Name, second.Name = "one", "two"
		return func(p *bench.Plan) {
			p.Phases = []bench.Phase{{Stream: first}, {Stream: second}}
			if together {
				p.Phases = []bench.Phase{{Stream: first, Parallel: []bench.Stream{second}}}
			}
			p.Sets = map[string]generator.Spec{}
			for _, s := range []bench.Stream{first, second} {
				if s.Set != "" {
					p.Sets[s.Set] = p.Data
				}
			}
			for _, change := range more {
				change(p)
			}
		}
	}
	get, put := stream(t, store, "", "get", ""), stream(t, store, "", "put", "")
	list, del := stream(t, store, "", "list", ""), stream(t, store, "", "delete", "")
	checked, shuffled := stream(t, store, "", "get", "", "-verify"), stream(t, store, "", "get", "", "-access=shuffle")
	replacing, mixed := stream(t, store, "", "put", "", "-objects=40"), stream(t, store, "", "mixed", "")
	existing := stream(t, store, "", "get", "", "-list-existing")
	deleting := stream(t, store, "", "delete", "", "-list-existing")
	in := func(s bench.Stream) bench.Stream { s.Set = "a"; return s }
	force := func(p *bench.Plan) { p.Force = true }
	flat := func(p *bench.Plan) { p.Data.NoPrefix = true }
	for name, c := range map[string]struct {
		plan plan
		want string // part of the error; empty: the plan is good
	}{
		"sets of their own":            {with(true, get, del), ""},
		"one set, read":                {with(true, in(get), in(list)), ""},
		"one set, read and added to":   {with(true, in(get), in(put)), ""},
		"one set, deleted at the end":  {with(false, in(get), in(del)), ""},
		"deleted in parallel":          {with(true, in(get), in(del)), ""},
		"deleted first":                {with(false, in(del), in(get)), ""},
		"overwritten and compared":     {with(true, in(checked), in(replacing)), "leave out verify"},
		"overwritten and read":         {with(true, in(get), in(replacing)), ""},
		"shuffled and deleted":         {with(true, in(shuffled), in(del)), "--access: shuffle"},
		"mixed and read":               {with(true, in(get), in(mixed)), ""},
		"existing and made":            {with(false, get, existing), "looks for existing"},
		"existing elsewhere":           {with(true, get, in(existing), func(p *bench.Plan) { p.Data.Prefix, p.Sets["a"] = "mine", generator.Spec{Prefix: "theirs"} }), ""},
		"existing, read by both":       {with(true, existing, existing), ""},
		"existing, deleted afterwards": {with(false, existing, deleting, force), ""},
		"existing, deleted before":     {with(false, deleting, existing, force), "first deletes"},
		"flat listing of others":       {with(true, list, put, flat), "--noprefix"},
		"flat, without listings":       {with(true, get, put, flat), ""},
		"no names":                     {with(true, get, put, func(p *bench.Plan) { p.Phases[0].Name = "" }), "missing or duplicate name"},
		"one name":                     {with(true, get, put, func(p *bench.Plan) { p.Phases[0].Name = "TWO" }), "missing or duplicate name"},
		"name of the preparation":      {with(true, get, put, func(p *bench.Plan) { p.Phases[0].Name = op.PhasePrepare }), "missing or duplicate name"},
		"no such set":                  {with(true, in(get), put, func(p *bench.Plan) { p.Sets = nil }), `no data set "a"`},
		"unused set":                   {with(true, get, put, func(p *bench.Plan) { p.Sets["b"] = p.Data }), `data set "b": no stream`},
		"bad set":                      {with(true, in(get), put, func(p *bench.Plan) { p.Sets["a"] = generator.Spec{Sizes: generator.Sizes{Max: 6 << 30}} }), "5GiB"},
		"autoterm in parallel": {with(true, get, put, func(p *bench.Plan) {
			p.Phases[0].Autoterm = &bench.Autoterm{MinDuration: time.Second, Percent: 5}
		}), "autoterm"},
		"shared data":      {with(true, get, get, sharing), ""},
		"deleting shared":  {with(false, get, del, sharing), "nothing to share"},
		"mixing shared":    {with(false, get, mixed, sharing), "can only read the data that clients share, and mixed does not"},
		"too many threads": {with(true, get, put, func(p *bench.Plan) { p.Phases[0].Concurrency = bench.MaxThreads }), "threads at once"},
	} {
		_, err := bench.Compile(job{workload: "get", change: c.plan}.plan(t, store))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// Streams in parallel measure what the server says it did for each of them, and leave nothing.
func TestRulerSideBySide(t *testing.T) { eachLongRuler(t, rulerSideBySide) }

func rulerSideBySide(t *testing.T, c setup) {
	delays := map[op.Kind]time.Duration{op.Get: 60 * time.Millisecond, op.Stat: 150 * time.Millisecond}
	store := open(t, newBucket()) // only its flags count
	side := stream(t, store, "two", "stat", "", "-objects=200")
	groups := c.ruledPhases(t, func(k op.Kind, _ uint64) responder.Fault { return responder.Fault{Delay: delays[k]} }, "get", func(p *bench.Plan) {
		threads(12, 2*time.Second, delays[op.Get])(p)
		p.Phases[0].Name = "one"
		side.Concurrency, side.Duration, side.Rate = 20, 2*time.Second, 80
		p.Phases[0].Parallel = []bench.Stream{side}
	})
	for phase, kind := range map[string]op.Kind{"one": op.Get, "two": op.Stat} {
		group, ok := groups[phase]
		if !ok {
			t.Fatalf("the report has no group %q", phase)
		}
		group.compare(t)
		if group.Kind != kind || group.Latency.Min() < int64(delays[kind]) {
			t.Errorf("%s: %s, fastest %v, want %s of at least %v", phase, group.Kind, time.Duration(group.Latency.Min()), kind, delays[kind])
		}
		if served := group.Server.Requests(kind); uint64(group.Group.Requests) > served || uint64(group.Group.Requests)+1 < served { // one is the preflight's
			t.Errorf("%s: %d operations, %d requests", phase, group.Group.Requests, served)
		}
	}
}

// Streams share the data set that they name: it is uploaded once, each reads all of it, and a later one deletes it.
func TestStreamsShareADataSet(t *testing.T) {
	r, err := responder.New(responder.Options{Buckets: []string{"streams"}, Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cfg := s3.Config{Hosts: []string{r.Host()}, AccessKey: "a", SecretKey: "s", Bucket: "streams", Concurrency: 12}
	store, err := connect.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	m, _, err := job{workload: "get", change: func(p *bench.Plan) {
		p.Target = cfg
		p.Sets = map[string]generator.Spec{"a": p.Data}
		p.Phases = []bench.Phase{
			{Stream: stream(t, store, "read", "get", "a"), Parallel: []bench.Stream{stream(t, store, "look", "stat", "a"), stream(t, store, "add", "put", "")}},
			{Stream: stream(t, store, "remove", "delete", "a", "-objects=40", "-batch=1")},
		}
	}}.run(context.Background(), t, store)
	if err != nil || m.failed() != "" {
		t.Fatalf("%v; failed: %s", err, m.failed())
	}
	keys := map[string]map[string]bool{}
	for _, o := range m.ops {
		if keys[o.Phase] == nil {
			keys[o.Phase] = map[string]bool{}
		}
		keys[o.Phase][o.Key] = true
	}
	for _, phase := range []string{op.PhasePrepare, "read", "look", "remove"} {
		if n := len(keys[phase]); n != 40 {
			t.Errorf("%s: %d objects, want 40", phase, n)
		}
		for key := range keys[phase] {
			if !keys[op.PhasePrepare][key] || keys["add"][key] {
				t.Errorf("%s: %q is not of the data set", phase, key)
			}
		}
	}
	if left := listing(t, store); len(left) > 0 {
		t.Errorf("%d objects are left", len(left))
	}
}
