package hosts

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"warp/pkg/s3"
)

func TestPoolsSpreadEvenly(t *testing.T) {
	for _, selection := range []string{"weighed", "roundrobin"} {
		for _, hosts := range []int{1, 2, 3, 16, 200} {
			p := NewPool(selection, hosts)
			count := make([]int, hosts)
			for range 100 * hosts {
				h := p.Take()
				count[h]++
				p.Done(h, nil)
			}
			for h, n := range count {
				if n != 100 {
					t.Errorf("%s: host %d of %d got %d operations, want 100", selection, h, hosts, n)
				}
			}
		}
	}
}

func TestWeighedTakesFewestInFlight(t *testing.T) {
	p := newWeighed(3)
	a, b, c := p.Take(), p.Take(), p.Take()
	if a == b || b == c || a == c {
		t.Fatalf("hosts %d %d %d: one was taken twice", a, b, c)
	}
	p.Done(b, nil)
	if h := p.Take(); h != b {
		t.Errorf("took %d, only %d was free", h, b)
	}
	p.Done(c, nil)
	p.Done(a, nil) // both free: c has waited longer since its last finish
	if h := p.Take(); h != c {
		t.Errorf("took %d, want %d", h, c)
	}
	if h := p.Take(); h != a {
		t.Errorf("took %d, want %d", h, a)
	}
}

// TestWeighedAgainstDefinition compares the choice with a search through all hosts.
func TestWeighedAgainstDefinition(t *testing.T) {
	const hosts = 7
	p := newWeighed(hosts)
	type load struct{ inFlight, finished int }
	ref := make([]load, hosts)
	for h := range p.loads {
		ref[h].finished = int(p.loads[h].Load() & turnMask)
	}
	var open []int
	turn := hosts
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 10_000 {
		if len(open) > 0 && r.IntN(2) == 0 {
			k := r.IntN(len(open))
			h := open[k]
			open = append(open[:k], open[k+1:]...)
			turn++
			ref[h] = load{ref[h].inFlight - 1, turn}
			p.Done(h, nil)
			continue
		}
		best := 0
		for h := range ref {
			a, b := ref[h], ref[best]
			if a.inFlight < b.inFlight || a.inFlight == b.inFlight && a.finished < b.finished {
				best = h
			}
		}
		if got := p.Take(); got != best {
			t.Fatalf("step %d: took %d, want %d of %+v", i, got, best, ref)
		}
		ref[best].inFlight++
		open = append(open, best)
	}
}

func TestStartIsSpread(t *testing.T) {
	for _, selection := range []string{"weighed", "roundrobin"} {
		first := map[int]bool{}
		for range 200 {
			first[NewPool(selection, 4).Take()] = true
		}
		if len(first) != 4 {
			t.Errorf("%s: 200 pools began with hosts %v only", selection, first)
		}
	}
}

func TestPoolConcurrently(t *testing.T) {
	p := newWeighed(5)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 1000 {
				p.Done(p.Take(), nil)
			}
		})
	}
	wg.Wait()
	for h := range p.loads {
		if n := p.loads[h].Load() >> turnBits; n != 0 {
			t.Errorf("host %d: %d still in flight", h, n)
		}
	}
}

// BenchmarkPool is the choice of a host by 256 workers.
func BenchmarkPool(b *testing.B) {
	for _, selection := range []string{"weighed", "roundrobin"} {
		for _, hosts := range []int{2, 20, 1000} {
			b.Run(fmt.Sprintf("%s/%d", selection, hosts), func(b *testing.B) {
				p := NewPool(selection, hosts)
				b.SetParallelism(256 / runtime.GOMAXPROCS(0))
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						p.Done(p.Take(), nil)
					}
				})
			})
		}
	}
}

// TestManyHosts: among very many hosts all get their share, though not all are looked at each time.
func TestManyHosts(t *testing.T) {
	const hosts = 1000
	p := newWeighed(hosts)
	count := make([]int, hosts)
	for range 20 * hosts {
		h := p.Take()
		count[h]++
		p.Done(h, nil)
	}
	for h, n := range count {
		if n < 15 || n > 25 {
			t.Errorf("host %d got %d operations, want about 20", h, n)
		}
	}
}

// A host that does not respond is over with its operations at once, and must not get most of them for that.
func TestWeighedAvoidsSilentHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const silent = 1
		p := newWeighed(3)
		count := make([]int, 3)
		work := func(d time.Duration) {
			var wg sync.WaitGroup
			for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Millisecond) {
				h := p.Take()
				count[h]++
				if h != silent {
					wg.Go(func() { time.Sleep(10 * time.Millisecond); p.Done(h, nil) })
				} else {
					p.Done(h, unanswered)
				}
			}
			wg.Wait()
		}
		work(5 * time.Second)
		if count[silent] < 50 || count[silent] > 60 {
			t.Errorf("operations by host in 5 s: %v; the silent one is to get 50 to 60", count)
		}
		if diff := count[0] - count[2]; diff < -50 || diff > 50 {
			t.Errorf("operations by host: %v; those that respond are to get as many", count)
		}
		time.Sleep(maxAvoid)
		a, b, c := p.Take(), p.Take(), p.Take() // time is up, so that it is tried again
		if a == b || b == c || a == c {
			t.Fatalf("hosts %d, %d, %d", a, b, c)
		}
		for h := range 3 {
			p.Done(h, nil)
		}
		clear(count)
		for range 300 {
			h := p.Take()
			count[h]++
			p.Done(h, nil)
		}
		if count[0] != 100 || count[1] != 100 || count[2] != 100 || p.down.Load() != 0 {
			t.Errorf("operations by host when all respond again: %v", count)
		}
	})
}

// Where no host responds, all are tried.
func TestWeighedWithAllSilent(t *testing.T) {
	p := newWeighed(2)
	count := make([]int, 2)
	for range 100 {
		h := p.Take()
		count[h]++
		p.Done(h, unanswered)
	}
	if count[0] != 50 || count[1] != 50 {
		t.Errorf("operations by host: %v", count)
	}
}

// TestCancelledRequestsSayNothing: a host that does not respond stays one when requests that wait for it are cancelled, as at the end of a phase.
func TestCancelledRequestsSayNothing(t *testing.T) {
	cancelled, refused := error(&s3.Error{Class: s3.ClassCanceled}), error(&s3.Error{Class: s3.ClassBadRequest})
	for _, c := range []struct {
		err  error
		down int32 // hosts, one of them before
	}{
		{nil, 0},
		{&s3.Error{Status: 503}, 0},
		{&s3.Error{Status: 200, Class: s3.ClassCanceled}, 0},
		{unanswered, 1},
		{cancelled, 1},
		{refused, 1},
		{fmt.Errorf("wrapped: %w", cancelled), 1},
	} {
		p := newWeighed(2)
		for range 3 {
			p.Done(0, unanswered)
		}
		until := p.silent[0].until.Load()
		p.Done(0, c.err)
		if got := p.down.Load(); got != c.down {
			t.Errorf("%v: %d hosts are down, want %d", c.err, got, c.down)
		}
		if now := p.silent[0].until.Load(); now < until && c.down > 0 {
			t.Errorf("%v: the host is avoided until %d, before until %d", c.err, now, until)
		}
	}
}

// unanswered is the error of a request to a host that does not respond.
var unanswered = error(&s3.Error{Class: s3.ClassTimeout})
