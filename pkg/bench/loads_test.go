package bench_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/pkg/bench"
	"warp/pkg/load"
	"warp/pkg/op"
)

// shape parses a shape.
func shape(t testing.TB, text string) load.Shape {
	t.Helper()
	s, err := load.ParseShape(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// request is what a turn of a schedule sent, and when it was due.
type request struct {
	key  string
	kind op.Kind
	due  time.Duration // after the first turn of its client
}

// requests returns the requests of a number of clients together, by the number of the turn.
func requests(t *testing.T, clients int, j job) []request {
	t.Helper()
	all := newCompany(clients).runAll(t, j, open(t, newBucket()), nil)
	byTurn := map[int]request{}
	for i, c := range all {
		if c.err != nil || c.failed() != "" {
			t.Fatalf("client %d: %v; failed: %s", i, c.err, c.failed())
		}
		ops := c.benchmark()
		slices.SortFunc(ops, func(a, b op.Op) int { return a.Due.Compare(b.Due) })
		for k, o := range ops {
			byTurn[i+k*clients] = request{o.Key, o.Kind, o.Due.Sub(ops[0].Due)}
		}
	}
	list := make([]request, len(byTurn))
	for n := range list {
		list[n] = byTurn[n]
		if list[n].key == "" {
			t.Fatalf("%d clients: of %d turns number %d is missing", clients, len(list), n)
		}
	}
	return list
}

// One schedule, whatever the number of clients: the same requests, at the same times.
func TestOneScheduleForAllClients(t *testing.T) {
	t.Parallel()
	const turns = 90
	for _, arrivals := range []load.Arrivals{load.Even, load.Poisson} {
		for workload, args := range map[string][]string{"get": nil, "stat": {"-access=zipf(0.9)"}} {
			j := job{workload: workload, args: args, change: func(p *bench.Plan) {
				p.SharedData, p.Data.NoPrefix = true, true
				ph := &p.Phases[0]
				ph.Duration, ph.Ops, ph.Schedule, ph.Arrivals = 0, 2*turns, shape(t, fmt.Sprintf("%d/300ms,0", turns*10/3)), arrivals
			}}
			want := requests(t, 1, j)
			if arrivals == load.Even && len(want) != turns {
				t.Errorf("%d turns, want %d", len(want), turns)
			}
			for _, clients := range []int{2, 5} {
				got := requests(t, clients, j)
				if len(got) != len(want) {
					t.Fatalf("%s %s: %d clients sent %d requests, one sent %d", workload, arrivals, clients, len(got), len(want))
				}
				for n := range got {
					due := want[n].due - want[n%clients].due
					if got[n].key != want[n].key || got[n].kind != want[n].kind || got[n].due != due {
						t.Fatalf("%s %s: turn %d of %d clients is %+v, of one %+v", workload, arrivals, n, clients, got[n], want[n])
					}
				}
			}
		}
	}
}

// How the schedule was kept is part of the result.
func TestScheduleStats(t *testing.T) {
	t.Parallel()
	for _, clients := range []int{1, 3} {
		var sum []bench.ScheduleStats
		for i := range clients {
			j := job{workload: "stat", share: load.Share{Index: uint64(i), Total: uint64(clients)}, change: func(p *bench.Plan) {
				p.Phases[0].Duration, p.Phases[0].Schedule = 0, shape(t, "200/200ms,0")
			}}
			m, res, err := j.run(t.Context(), t, open(t, newBucket()))
			if err != nil || len(res.Schedules) != 1 {
				t.Fatalf("%+v, %v", res, err)
			}
			if s := res.Schedules[0]; s.Sent != uint64(len(m.benchmark())) || s.Due != s.Sent || s.Unsent > 0 {
				t.Errorf("%d operations, and %+v", len(m.benchmark()), s)
			}
			sum = bench.AddSchedules(sum, res.Schedules)
		}
		if len(sum) != 1 || sum[0].Due != 40 {
			t.Errorf("%d clients: %+v, want 40 turns together", clients, sum)
		}
	}
	s := bench.ScheduleStats{Stream: "reads", Duration: 2 * time.Second, Due: 200, Sent: 190, Late: 3, Unsent: 10, Most: 7, UnsentOwn: 4}
	if got, want := s.String(), "Schedule of reads: 100.00 turns/s planned, 95.00 achieved; 3 late; 10 unsent (5.0%); at most 7 at a time"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	more := s
	s.Own, s.Busy = load.Lateness{Turns: 1, Total: 5, Max: 4}, load.Lateness{Turns: 2, Total: 7, Max: 6}
	more.Own, more.Busy = load.Lateness{Turns: 3, Total: 6, Max: 3}, load.Lateness{Turns: 4, Total: 8, Max: 7}
	sum := bench.AddSchedules([]bench.ScheduleStats{s}, []bench.ScheduleStats{more})[0]
	want := bench.ScheduleStats{
		Stream:    "reads",
		Duration:  2 * time.Second,
		Due:       400,
		Sent:      380,
		Late:      6,
		Unsent:    20,
		UnsentOwn: 8,
		Most:      14,
		Own:       load.Lateness{Turns: 4, Total: 11, Max: 4},
		Busy:      load.Lateness{Turns: 6, Total: 15, Max: 7},
	}
	if sum != want {
		t.Errorf("together %+v, want %+v", sum, want)
	}
}

func TestLoadErrors(t *testing.T) {
	store := open(t, newBucket())
	for want, change := range map[string]func(s *bench.Stream){
		"--rate, --rps-limit: one rate is for all clients":                    func(s *bench.Stream) { s.Rate, s.Schedule = 5, shape(t, "5") },
		"--rate: invalid level -1":                                            func(s *bench.Stream) { s.Schedule = load.Constant(-1) },
		`--arrivals: invalid value "weekly" (want even`:                       func(s *bench.Stream) { s.Arrivals, s.Rate = "weekly", 5 },
		"--arrivals: want --rate":                                             func(s *bench.Stream) { s.Arrivals = load.Poisson },
		"--arrivals: bursts have no random arrivals":                          func(s *bench.Stream) { s.Arrivals, s.Schedule = load.Poisson, shape(t, "burst(5,1s)") },
		"--max-late: invalid value -1s":                                       func(s *bench.Stream) { s.MaxLate, s.Rate = -time.Second, 5 },
		"--max-late: want --rate":                                             func(s *bench.Stream) { s.MaxLate = time.Second },
		"--concurrent: want a number of threads with":                         func(s *bench.Stream) { s.Threads, s.Rate = shape(t, "1..4/1m"), 5 },
		"--concurrent: threads do not come in bursts":                         func(s *bench.Stream) { s.Threads = shape(t, "burst(4,5s)") },
		"--concurrent: invalid value 4 (want 8 threads, the most of 1..8/1m)": func(s *bench.Stream) { s.Threads = shape(t, "1..8/1m") },
	} {
		plan := job{workload: "put", change: func(p *bench.Plan) { change(&p.Phases[0].Stream) }}.plan(t, store)
		if _, err := bench.Compile(plan); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
