package bench_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/bench/replay"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/trace"
)

// sent is an operation of a thread, so long after the begin of a trace.
func sent(thread uint32, kind op.Kind, key string, size int64, at, took time.Duration) op.Op {
	begin := time.Unix(1_700_000_000, 0)
	return op.Op{Kind: kind, Key: key, Bytes: size, Client: "c", Thread: thread, Objects: 1, Start: begin.Add(at), End: begin.Add(at + took)}
}

// byThread returns the operations of each thread in their order, threads by their numbers.
func byThread(ops []op.Op) (list [][]op.Op) {
	threads := map[uint32][]op.Op{}
	for _, o := range ops {
		threads[o.Thread] = append(threads[o.Thread], o)
	}
	for _, of := range threads {
		slices.SortFunc(of, func(a, b op.Op) int { return a.Start.Compare(b.Start) })
		list = append(list, of)
	}
	slices.SortFunc(list, func(a, b []op.Op) int { return cmp.Compare(a[0].Thread, b[0].Thread) })
	return list
}

// closedReplay replays operations in a closed loop against a server that delays each.
func closedReplay(t *testing.T, ops []op.Op, delay time.Duration, change func(*bench.Plan, *replay.Replay)) (*memory, *bench.Result) {
	t.Helper()
	server := startResponder(t, responder.Options{Keep: true, Rule: func(k op.Kind, _ uint64) responder.Fault {
		if k == op.Get || k == op.Put || k == op.Stat {
			return responder.Fault{Delay: delay}
		}
		return responder.Fault{}
	}})
	store := openWith(t, newBucket(), func(c *s3.Config) { c.Hosts = []string{server.Host()} })
	p := playerOf(t, recorded(t, ops))
	m, res, err := replayOf(t, store, p, func(plan *bench.Plan, w *replay.Replay) {
		plan.Target.Hosts = []string{server.Host()}
		closeLoop(plan, w, p)
		if change != nil {
			change(plan, w)
		}
	})
	if err != nil || m.failed() != "" {
		t.Fatal(err, m.failed())
	}
	return m, res
}

// closeLoop makes a replay a closed loop.
func closeLoop(plan *bench.Plan, w *replay.Replay, p *trace.Player) {
	w.Think = replay.ThinkOriginal
	plan.Phases[0].Concurrency, plan.Phases[0].Ops = int(p.Clients.Count), 0
}

// Each client waits for the response, and then for as long as it did in the trace: a slow server makes the run longer, and nothing is late.
func TestReplayOfClients(t *testing.T) {
	ownServer(t)
	const each, took, gap = 8, 2 * time.Millisecond, 3 * time.Millisecond
	var ops []op.Op
	for i := range time.Duration(each) {
		ops = append(ops,
			sent(0, op.Put, "a", 100+int64(i), i*(took+gap), took), sent(1, op.Get, "b", 50, i*(took+gap)+1, took), sent(2, op.Stat, "b", 0, i*(took+gap)+2, took))
	}
	for delay, speed := range map[time.Duration]float64{took: 1, 4 * took: 1, 2 * took: 2} {
		m, res := closedReplay(t, ops, delay, func(_ *bench.Plan, w *replay.Replay) { w.Speed = replay.Speed(speed) })
		least := time.Duration(float64(gap) / speed)
		threads := byThread(m.benchmark())
		if len(threads) != 3 {
			t.Fatalf("%d threads", len(threads))
		}
		for _, of := range threads {
			for i, o := range of {
				if o.Kind != of[0].Kind || !o.Due.IsZero() || i > 0 && o.Start.Sub(of[i-1].End) < least {
					t.Errorf("%s %d at %v, after %v", o.Kind, i, o.Start, of[max(0, i-1)].End)
				}
				if o.Kind == op.Put && o.Bytes != 100+int64(i) {
					t.Errorf("upload %d has %d bytes", i, o.Bytes)
				}
			}
		}
		c := res.Replays[0].Closed
		if c == nil || c.Clients != 3 || c.Then != (each-1)*(took+gap)+took+2 || c.Now < each*delay+(each-1)*least {
			t.Errorf("delay %v: %+v", delay, c)
		}
		for _, k := range res.Replays[0].Kinds {
			if k.Sent != each || k.Unsent != 0 {
				t.Errorf("%s: %d sent, %d unsent", k.Kind, k.Sent, k.Unsent)
			}
		}
		if len(res.Schedules) != 0 {
			t.Errorf("%+v", res.Schedules)
		}
	}
}

// Clients that read and write the objects of each other find what they found in the trace, and all come to their ends.
func TestReplayOfClientsOnTheSameObjects(t *testing.T) {
	ownServer(t)
	for seed := range uint64(4) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		clients, objects := 1+rnd.IntN(20), 1+rnd.IntN(6)
		sizes := make([]int64, objects)
		for i := range sizes {
			sizes[i] = 1 + int64(i)
		}
		var ops []op.Op
		for i := range 600 {
			key, kind := rnd.IntN(objects), []op.Kind{op.Get, op.Get, op.Put, op.Stat}[rnd.IntN(4)]
			if kind == op.Put {
				sizes[key] = 10 + int64(i)
			}
			size := sizes[key]
			if kind == op.Stat {
				size = 0
			}
			ops = append(ops, sent(uint32(rnd.IntN(clients)), kind, fmt.Sprint("k", key), size, time.Duration(10*i)*time.Microsecond, time.Duration(rnd.IntN(300))*time.Microsecond))
		}
		m, _ := closedReplay(t, ops, 0, nil)
		text := func(ops []op.Op) (list []string) {
			for _, of := range byThread(ops) {
				one := ""
				for _, o := range of {
					one += fmt.Sprintf("%s %d, ", o.Kind, o.Bytes)
				}
				list = append(list, one)
			}
			slices.Sort(list)
			return list
		}
		if got, want := text(m.benchmark()), text(ops); !slices.Equal(got, want) {
			t.Errorf("%d: got\n%s\nwant\n%s", seed, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// With fewer threads than clients have operations ready, these wait for a thread, and that counts as lateness; all are sent.
func TestReplayOfClientsWithFewThreads(t *testing.T) {
	ownServer(t)
	const clients, each, delay = 4, 5, 5 * time.Millisecond
	var ops []op.Op
	for i := range clients * each {
		ops = append(ops, sent(uint32(i%clients), op.Get, fmt.Sprint("k", i%clients), 50, time.Duration(i), 1))
	}
	m, res := closedReplay(t, ops, delay, func(plan *bench.Plan, _ *replay.Replay) { plan.Phases[0].Concurrency = 1 })
	if threads := byThread(m.benchmark()); len(threads) != clients {
		t.Errorf("%d clients in the recording", len(threads))
	}
	k := res.Replays[0].Kinds[0]
	// The first one found a thread, or came before there was one; all others waited for it, the last of the first round for three operations.
	if k.Sent != clients*each || k.Late.Count() < clients*each-1 || time.Duration(k.Late.Max()) < (clients-1)*delay {
		t.Errorf("%d sent, %d late, by at most %v", k.Sent, k.Late.Count(), time.Duration(k.Late.Max()))
	}
	if c := res.Replays[0].Closed; c.Now < clients*each*delay {
		t.Errorf("took %v", c.Now)
	}
}

// When the run ends, clients that wait for their time, or for others, do not.
func TestReplayOfClientsEnds(t *testing.T) {
	ownServer(t)
	ops := []op.Op{
		sent(0, op.Put, "a", 5, 0, time.Millisecond), sent(0, op.Put, "a", 5, time.Hour, time.Millisecond),
		sent(1, op.Put, "b", 5, time.Millisecond, time.Hour+time.Second), sent(1, op.Get, "a", 5, time.Hour+2*time.Second, time.Millisecond),
	}
	_, res := closedReplay(t, ops, 0, func(plan *bench.Plan, _ *replay.Replay) { plan.Phases[0].Duration = 300 * time.Millisecond })
	for _, k := range res.Replays[0].Kinds {
		if k.Unsent < 1 || k.Sent+k.Unsent != k.Operations || k.Kind == op.Get && k.Sent != 0 {
			t.Errorf("%s: %d sent, %d unsent of %d", k.Kind, k.Sent, k.Unsent, k.Operations)
		}
	}
}

// What makes no sense in a closed loop is refused.
func TestReplayOfClientsRefuses(t *testing.T) {
	ops := []op.Op{sent(0, op.Put, "a", 5, 0, 1), sent(1, op.Get, "a", 5, time.Second, 1)}
	p := playerOf(t, recorded(t, ops))
	nobody := playerOf(t, []byte("0 REST.GET.OBJECT a 100\n1 REST.GET.OBJECT b 100\n"))
	crowd := *p.Summary
	crowd.Clients.Count = replay.MaxReplayClients + 1
	for want, change := range map[string]func(*bench.Phase, *replay.Replay){
		`--think: invalid value "none" (want original)`:                    func(_ *bench.Phase, w *replay.Replay) { w.Think = "none" },
		"--think, --loop: clients do not begin again":                      func(ph *bench.Phase, w *replay.Replay) { w.Loop, ph.Duration = true, time.Second },
		"--think, --max-late: in a closed loop clients wait":               func(ph *bench.Phase, _ *replay.Replay) { ph.MaxLate = time.Second },
		"--think: want no end but a duration":                              func(ph *bench.Phase, _ *replay.Replay) { ph.Ops = 1 },
		"--think: the trace does not say which client":                     func(_ *bench.Phase, w *replay.Replay) { w.Summary = nobody.Summary },
		"--think: the trace has 20001 clients or more (want at most 20000": func(_ *bench.Phase, w *replay.Replay) { w.Summary = &crowd },
	} {
		_, _, err := replayOf(t, open(t, newBucket()), p, func(plan *bench.Plan, w *replay.Replay) {
			closeLoop(plan, w, p)
			change(&plan.Phases[0], w)
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
