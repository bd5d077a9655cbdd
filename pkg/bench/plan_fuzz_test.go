package bench

import (
	"encoding/json"
	"math"
	"testing"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/replay"
	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/trace"
)

// phasesToFuzz are phases of all forms; each list is valid.
var phasesToFuzz = []string{
	`{"tasks":[{"workload":"put","data_set":"a"},{"workload":"delete","data_set":"a","weight":2,"params":{"objects":200,"batch":1}}],"concurrency":2,"ops":9},
		{"steps":[{"prepare":"a"},{"wait_ns":1}]},{"steps":[{"verify":"a","sample":0.5}]},{"steps":[{"clean":"a","threads":3}]}`,
	`{"name":"a","workload":"get","data_set":"a","concurrency":2,"beside":[{"name":"b","workload":"put","data_set":"a","concurrency":1,"clients":[0,9]}],"steps":[{"exec":["true"]},{"wait_ns":1}]}`,
	`{"workload":"get","data_set":"a","concurrency":9,"search":{"objectives":["p99<50ms"],"control":"rate","max_inflight":9,"budget_ns":600000000000}}`,
	`{"workload":"get","data_set":"a","concurrency":9,"search":{"objectives":["GET.p99<50ms"],"control":"threads","budget_ns":600000000000,"confirm":true,"strict":true}}`,
	`{"tasks":[{"workload":"mixed","data_set":"a","params":{"objects":9,"other_distribs":{"copy":1,"zip":2,"multipart-get":3}}},
		{"workload":"put","data_set":"a"},{"workload":"stat","data_set":"a","after":1,"count":2},{"workload":"get","data_set":"a","after":2}],"concurrency":1}`,
	`{"name":"x","workload":"put","data_set":"a","concurrency":1,"ops":1},
		{"name":"y","workload":"put","data_set":"a","concurrency":1,"rate_of":{"share":0.5,"stream":"x"},"arrivals":"poisson","max_late_ns":1,"ops":1}`,
	`{"workload":"put","data_set":"a","concurrency":4,"retry":{"on":[503],"max":3,"backoff_ns":1},"ok":[404],"autoterm":{"min_duration_ns":1,"percent":5},"think":"20ms","warmup_ns":1}`,
	`{"name":"x","workload":"put","data_set":"a","concurrency":4,"threads":"1..4/1m","duration_ns":60000000000},
		{"name":"y","workload":"get","data_set":"a","concurrency":1,"schedule":"100/s","bytes":1,"passes":0.5}`,
}

// planOf returns a plan of phases that work on data set a.
func planOf(phases string) []byte {
	return []byte(`{"data":{"sizes":{"max":1}},"sets":{"a":{"sizes":{"max":9},"seed":3}},"phases":[` + phases + `]}`)
}

// TestPhasesToFuzz: what the fuzzer begins with is valid, or it would stop at the first check.
func TestPhasesToFuzz(t *testing.T) {
	for _, phases := range phasesToFuzz {
		var p Plan
		if err := json.Unmarshal(planOf(phases), &p); err != nil {
			t.Errorf("%v: %s", err, phases)
		} else if _, err := Compile(&p); err != nil {
			t.Errorf("%v: %s", err, phases)
		}
	}
}

// FuzzPlan: a plan that came over the network is judged soon, and one that passes is set up soon.
func FuzzPlan(f *testing.F) {
	for _, info := range work.Registry() {
		text, err := json.Marshal(validPlan(f, info.Name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"data":{"sizes":{"max":1,"random":true}},"phases":[{"workload":"put","concurrency":1}]}`))
	f.Add([]byte(`{"data":{"sizes":{"min":-1,"max":300,"random":true}},"phases":[{"workload":"mixed","params":{"objects":1000000000000},"concurrency":1}]}`))
	f.Add([]byte(`{"phases":[{"workload":"mixed","params":{"get_distrib":1e-320},"concurrency":1,"rate":1e-300}]}`))
	for _, tasks := range []string{
		`{"workload":"nope"},{"workload":"get","after":1,"same":true}`, `{"workload":"get"},{"workload":"nope","after":1,"same":true}`,
		`{"workload":"put"},{"workload":"get","after":1,"same":true}`, `{"workload":"put"},{"workload":"get","after":7,"same":true}`,
		`{"workload":"get","after":-1,"same":true}`, `{"workload":"put","weight":-1},{"workload":"replay"}`, `null`, ``,
	} {
		f.Add([]byte(`{"data":{"sizes":{"max":1}},"phases":[{"tasks":[` + tasks + `],"concurrency":1}]}`))
	}
	for _, params := range []string{
		`"speed":1,"missing":"create","summary":{"operations":3,"objects":{"count":2,"read_first":1}}`,
		`"speed":1,"missing":"create","summary":{"operations":3,"objects":{"count":68719476736,"read_first":1}}`,
		`"speed":1,"missing":"create","summary":{"operations":3,"span_ns":-1000001,"objects":{"count":2}}`,
		`"speed":1,"missing":"create","summary":{"operations":9223372036854775807,"objects":{"count":9223372036854775807,"prefixes":2}}`,
		`"speed":1e-300,"missing":"expect","loop":true,"summary":{"operations":3,"span_ns":9223372036854775807,"objects":{"count":2,"read_first":2}}`,
		`"speed":1,"missing":"skip","think":"original","summary":{"operations":3,"clients":{"count":1152921504606846976},"objects":{"count":1152921504606846976}}`,
		`"speed":1,"missing":"skip","think":"original","summary":{"operations":3,"clients":{"count":2},"objects":{"count":4}}`,
		`"summary":null`,
	} {
		f.Add([]byte(`{"data":{"sizes":{"max":1}},"phases":[{"workload":"replay","params":{"trace":"t",` + params + `},"concurrency":1,"timed":true}]}`))
		f.Add([]byte(`{"data":{"sizes":{"max":1}},"phases":[{"workload":"replay","params":{"trace":"t",` + params + `},"concurrency":1,"timed":true,"duration_ns":1000000000}]}`))
	}
	for _, phases := range phasesToFuzz {
		f.Add(planOf(phases))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var p Plan
		if json.Unmarshal(text, &p) != nil {
			return
		}
		c, err := Compile(&p)
		if err != nil {
			return
		}
		c.Need()
		c.PlannedLength()
		RunsPrograms(&p)
		AllTime(&p)
		Pauses(&p)
		Order(&p)
		if c.Title() == "" {
			t.Errorf("no title: %s", text)
		}
		if _, err := Estimates(c); err != nil {
			t.Fatal(err)
		}
		if c.threads() > 1000 {
			return // each thread costs a little
		}
		r := &Run{plan: c, share: dataset.SoleClient}
		if err := r.makeSets(); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		for i := range p.Phases {
			stepsOf(r, &p.Phases[i], make([]slot, c.Connections()))
			if p.Phases[i].Search != nil {
				_, _ = NewSearching(c, i, 1).Next(nil)
			}
		}
		for i, s := range c.tasks {
			r.views[i].Pick(math.MaxUint64)
			if s.Rate > 0 {
				schedule, err := load.Rate(s.Rate)
				if err != nil {
					t.Fatal(err)
				}
				schedule.Due(math.MaxUint64)
			}
			prepareTask(t, s, r.views[i])
		}
	})
}

// prepareTask sets a task up as a run does, with the trace that the plan says a replay has.
func prepareTask(t *testing.T, s *task, view *dataset.DataSet) {
	if r, ok := s.workload.(*replay.Replay); ok {
		if r.Summary.Objects.Numbers() > 1<<20 {
			return // each costs a little
		}
		if err := r.Open(func(string) (*trace.Player, error) { return trace.NewPlayer(&trace.File{Summary: r.Summary}), nil }); err != nil {
			return
		}
		if schedule := r.Schedule(); schedule != nil {
			schedule.Due(math.MaxUint64)
		} else {
			defer r.Close()
		}
	}
	if p, ok := s.workload.(work.Preparer); ok {
		if err := p.Prepare(view, s.of.Concurrency); err != nil {
			t.Log(err)
		}
	}
}
