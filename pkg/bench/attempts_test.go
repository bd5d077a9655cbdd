package bench_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/op"
)

// retrying has the operations of a plan attempted again.
func retrying(limit int, on ...int) func(p *bench.Plan) {
	return func(p *bench.Plan) {
		p.Phases[0].Retry = &work.Retry{On: on, Max: limit, Backoff: time.Millisecond}
	}
}

// attemptsOf checks that each operation is followed by a record of all its attempts, and returns these records.
func attemptsOf(t *testing.T, ops []op.Op) (all []op.Op) {
	t.Helper()
	open := map[uint32][]op.Op{}
	for _, o := range ops {
		list := open[o.Thread]
		if !o.Kind.IsComposite() {
			open[o.Thread] = append(list, o)
			continue
		}
		if len(list) == 0 || o.Kind.Base() != list[0].Kind.Base() {
			t.Fatalf("%s after %d attempts", o.Kind, len(list))
		}
		first, last := list[0], list[len(list)-1]
		if o.Retries != len(list)-1 || !o.Start.Equal(first.Start) || !o.End.Equal(last.End) || o.Key != first.Key || o.Key != last.Key ||
			o.Failed() != (last.Failed() || last.Kind != last.Kind.Base()) || o.Bytes != last.Bytes {
			t.Fatalf("%+v\nis the record of %+v", o, list)
		}
		for i := 1; i < len(list); i++ {
			if pause := list[i].Start.Sub(list[i-1].End); pause < time.Duration(min(20, 1<<min(i-1, 5)))*time.Millisecond {
				t.Fatalf("attempt %d begins %v after the one before", i+1, pause)
			}
		}
		open[o.Thread] = nil
		all = append(all, o)
	}
	for thread, list := range open {
		if len(list) > 0 {
			t.Errorf("thread %d: %d attempts without a record of all of them", thread, len(list))
		}
	}
	return all
}

// Each attempt is recorded, and all of them as one, whatever becomes of them; other statuses and successes are not attempted again.
func TestAttempts(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		store := oddly(t, engine, responder.Options{Rule: func(k op.Kind, n uint64) responder.Fault {
			switch {
			case k != op.Get || n == 0: // the first one is of the preflight
			case n%10 < 3:
				return responder.Fault{Status: http.StatusServiceUnavailable}
			case n%10 == 5:
				return responder.Fault{Status: http.StatusForbidden}
			}
			return responder.Fault{}
		}})
		m, _, err := job{workload: "get", change: func(p *bench.Plan) {
			p.Target, p.Phases[0].Concurrency = store.cfg, 1
			retrying(2, http.StatusServiceUnavailable)(p)
		}}.run(context.Background(), t, store.Store)
		if err != nil {
			t.Fatal(err)
		}
		all := attemptsOf(t, m.benchmark())
		seen := map[string]int{}
		for _, o := range all {
			switch {
			case o.Kind != "GET_ATTEMPTS":
				t.Errorf("record of %s", o.Kind)
			case o.Status == http.StatusForbidden && o.Retries == 0, o.Status == http.StatusServiceUnavailable && o.Retries == 2, o.Status < 300:
				seen[http.StatusText(o.Status)]++
			default:
				t.Errorf("status %d after %d retries", o.Status, o.Retries)
			}
		}
		if len(all) != 50 || len(seen) < 3 {
			t.Errorf("%d operations with %v, want 50 of three outcomes", len(all), seen)
		}
	})
}

// A conditional upload that lost against another one is attempted with the ETag that the object has then.
func TestAttemptsOfConflicts(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		store := oddly(t, engine, responder.Options{Conditions: responder.ConditionsHonoured})
		m, _, err := job{workload: "put", args: []string{"-objects=1", "-if-match=current"}, change: func(p *bench.Plan) {
			p.Target = store.cfg
			retrying(work.MaxRetries, http.StatusPreconditionFailed, http.StatusConflict)(p)
		}}.run(context.Background(), t, store.Store)
		if err != nil || m.failed() != "" {
			t.Fatal(err, m.failed())
		}
		if all := attemptsOf(t, m.benchmark()); len(all) != 50 {
			t.Errorf("%d commits, want 50", len(all))
		}
	})
}

func TestRetriesThatCannotBe(t *testing.T) {
	store := open(t, newBucket())
	for workload, c := range map[string]struct {
		retry work.Retry
		want  string
	}{
		"get":     {work.Retry{Max: 1}, ""},
		"put":     {work.Retry{Max: 0}, "--max: invalid value 0"},
		"stat":    {work.Retry{Max: 101}, "--max: invalid value 101"},
		"tag":     {work.Retry{Max: 1, On: []int{200}}, "--on: invalid value 200"},
		"copy":    {work.Retry{Max: 1, Backoff: -1}, "--backoff: invalid value"},
		"delete":  {work.Retry{Max: 1}, "an operation of delete cannot be attempted again"},
		"mixed":   {work.Retry{Max: 1}, "an operation of mixed cannot be attempted again"},
		"contend": {work.Retry{Max: 1}, "an operation of contend cannot be attempted again"},
	} {
		_, err := bench.Compile(job{workload: workload, change: func(p *bench.Plan) { p.Phases[0].Retry = &c.retry }}.plan(t, store))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", workload, err, c.want)
		}
	}
}
