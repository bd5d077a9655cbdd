package bench_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/bench/workload"
	"warp/pkg/generator"
	"warp/pkg/op"
)

// kindsOf counts the operations of the benchmark by kind, and checks those that are outcomes.
func kindsOf(t *testing.T, m *memory) map[op.Kind]uint64 {
	t.Helper()
	n := map[op.Kind]uint64{}
	for _, o := range m.benchmark() {
		n[o.Kind]++
		if outcome := o.Kind.Base() != o.Kind; outcome && (o.Bytes != 0 || o.Objects != 1 || o.Kind != o.Kind.Base().Outcome(o.Status) || o.Endpoint == "" || o.End.Before(o.Start)) {
			t.Errorf("outcome is not complete: %+v", o)
		}
	}
	return n
}

// TestConditions: conditions are sent, and responses to those that do not hold are kinds of their own.
func TestConditions(t *testing.T) {
	equal := []string{"-get-distrib=1", "-stat-distrib=1", "-put-distrib=1", "-delete-distrib=1", "-tag-get-distrib=1"}
	equal = equal[:len(equal):len(equal)]
	tests := []struct {
		workload string
		args     []string
		want     []op.Kind // there must be some of each, and no others
	}{
		{"get", []string{"-if-match=current"}, []op.Kind{op.Get}},
		{"get", []string{"-if-match=*"}, []op.Kind{op.Get}},
		{"get", []string{"-if-match=other"}, []op.Kind{"GET_412"}},
		{"get", []string{"-if-none-match=current"}, []op.Kind{"GET_304"}},
		{"get", []string{"-if-none-match=other", "-verify"}, []op.Kind{op.Get}},
		{"get", []string{"-if-none-match=current", "-range-size=10"}, []op.Kind{"GET_304"}},
		{"put", []string{"-if-none-match=*"}, []op.Kind{op.Put}},
		{"put", []string{"-if-none-match=*", "-objects=40"}, []op.Kind{"PUT_412"}},
		{"put", []string{"-objects=40"}, []op.Kind{op.Put}},
		{"put", []string{"-if-match=other", "-objects=40"}, []op.Kind{"PUT_412"}},
		{"put", []string{"-if-match=current", "-objects=40"}, []op.Kind{op.Put}},
		{"delete", []string{"-batch=1", "-if-match=current"}, []op.Kind{op.Delete}},
		{"delete", []string{"-batch=1", "-if-match=other"}, []op.Kind{"DELETE_412"}},
		{"stat", []string{"-if-match=current"}, []op.Kind{op.Stat}},
		{"stat", []string{"-if-match=other"}, []op.Kind{"STAT_412"}},
		{"stat", []string{"-if-none-match=current"}, []op.Kind{"STAT_304"}},
		{"mixed", append(equal, "-if-match=other"), []op.Kind{op.Delete, op.GetTags, "GET_412", op.Put, "STAT_412"}},
		{"mixed", append(equal, "-if-none-match=current"), []op.Kind{op.Delete, op.GetTags, "GET_304", op.Put, "STAT_304"}},
	}
	for _, tc := range tests {
		t.Run(tc.workload+strings.Join(tc.args, ""), func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(t *testing.T, engine string) {
				store := oddly(t, engine, responder.Options{Conditions: responder.ConditionsHonoured})
				m, _, err := job{workload: tc.workload, args: tc.args, change: func(p *bench.Plan) {
					p.Target, p.Phases[0].Concurrency = store.cfg, 1 // with more, two may overwrite one object
				}}.run(context.Background(), t, store.Store)
				if err != nil || m.failed() != "" {
					t.Fatal(err, m.failed())
				}
				if got := slices.Sorted(maps.Keys(kindsOf(t, m))); !slices.Equal(got, tc.want) {
					t.Errorf("kinds %v, want %v", got, tc.want)
				}
				if keys := store.server.Keys("bucket"); len(keys) > 0 {
					t.Errorf("left: %q", keys)
				}
			})
		})
	}
}

// TestConditionsOfExisting: the ETags of objects that are already there come from the listing.
func TestConditionsOfExisting(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		store := oddly(t, engine, responder.Options{Conditions: responder.ConditionsHonoured})
		use := func(p *bench.Plan) { p.Target, p.KeepData, p.Data.Prefix = store.cfg, true, "kept" }
		if _, _, err := (job{workload: "get", change: use}).run(context.Background(), t, store.Store); err != nil {
			t.Fatal(err)
		}
		m, _, err := job{workload: "get", args: []string{"-list-existing", "-if-none-match=current"}, change: use}.run(context.Background(), t, store.Store)
		if got := kindsOf(t, m); err != nil || m.failed() != "" || len(got) != 1 || got["GET_304"] == 0 {
			t.Errorf("%v, %s, kinds %v", err, m.failed(), got)
		}
	})
}

// TestExpectedStatuses: statuses of --ok are kinds of their own, as many as the server sent, and are not retried.
func TestExpectedStatuses(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		store := oddly(t, engine, responder.Options{Rule: func(k op.Kind, n uint64) responder.Fault {
			switch {
			case k == op.Get && n > 0 && n%3 == 0: // the first one is of the preflight
				return responder.Fault{Status: http.StatusServiceUnavailable}
			case k == op.Get && n%3 == 1 && n > 1:
				return responder.Fault{Status: http.StatusNotFound}
			}
			return responder.Fault{}
		}})
		m, _, err := job{workload: "get", change: func(p *bench.Plan) {
			p.Target, p.Phases[0].OK = store.cfg, []int{503}
			p.Target.Retries = 2
		}}.run(context.Background(), t, store.Store)
		if err != nil {
			t.Fatal(err)
		}
		got, failed := kindsOf(t, m), uint64(0)
		for _, o := range m.benchmark() {
			if o.Failed() {
				failed++
				if op.Class(o.Err) != "404 NoSuchKey" || o.Kind != op.Get {
					t.Errorf("%s: %s", o.Kind, o.Err)
				}
			}
			if o.Retries > 0 {
				t.Errorf("%s was retried", o.Kind)
			}
		}
		if n := store.server.Responses(op.Get, 503); got["GET_503"] != n || n == 0 {
			t.Errorf("%d of GET_503, the server sent %d", got["GET_503"], n)
		}
		if n := store.server.Responses(op.Get, 404); failed != n || n == 0 {
			t.Errorf("%d failed, the server sent %d times 404", failed, n)
		}
	})
}

// TestInvalidConditions: conditions that no request can have are refused.
func TestInvalidConditions(t *testing.T) {
	one := workload.VersionParams{Versions: 1}
	for want, tc := range map[string]struct {
		w  work.Workload
		ok []int
	}{
		`--if-match: invalid value "a b" (want an ETag, * or current)`:                        {w: &workload.Get{Prepared: work.Prepared{Objects: 1}, VersionParams: one, Parts: work.Parts{Concurrency: 1}, Conditions: work.Conditions{IfMatch: "a b"}}},
		`--if-none-match: invalid value "a\"b" (want an ETag, * or current)`:                  {w: &workload.Get{Prepared: work.Prepared{Objects: 1}, VersionParams: one, Parts: work.Parts{Concurrency: 1}, Conditions: work.Conditions{IfNoneMatch: `a"b`}}},
		`--if-match: a new key has no ETag; add --objects=N to overwrite objects`:             {w: &workload.Put{Conditions: work.Conditions{IfMatch: "*"}}},
		`--if-none-match: invalid value "x" (want * for uploads)`:                             {w: &workload.Put{Conditions: work.Conditions{IfNoneMatch: "x"}}},
		`--verify: not with --objects, which are overwritten by several threads`:              {w: &workload.Put{Objects: 1, Verify: true}},
		`--if-match: want --batch=1: a request that deletes several objects has no condition`: {w: &workload.Delete{Batch: 2, VersionParams: one, Conditions: work.Conditions{IfMatch: "*"}}},
		`--ok: invalid value 200 (want HTTP statuses from 300 to 599)`:                        {w: &workload.Put{}, ok: []int{404, 200}},
	} {
		ph, err := bench.NewPhase("get", tc.w)
		if err != nil {
			t.Fatal(err)
		}
		switch tc.w.(type) {
		case *workload.Put:
			ph.Workload = "put"
		case *workload.Delete:
			ph.Workload = "delete"
		}
		ph.Concurrency, ph.Duration, ph.OK = 1, time.Second, tc.ok
		_, err = bench.Compile(&bench.Plan{Target: target, Data: generator.Spec{Sizes: generator.Sizes{Max: 10}}, Phases: []bench.Phase{ph}})
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
