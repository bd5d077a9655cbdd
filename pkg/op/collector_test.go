package op

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// memorySink keeps what it gets, and fails on demand.
type memorySink struct {
	ops                           []Op
	begins                        int
	writes, flushes, closes       int
	failBegin                     error
	failWrite, failFlush, failEnd error
	delay                         time.Duration // of each Write
}

func (s *memorySink) Write(ops []Op) error {
	s.writes++
	time.Sleep(s.delay)
	if s.failWrite != nil {
		return s.failWrite
	}
	s.ops = append(s.ops, ops...)
	return nil
}

func (s *memorySink) Begin() error {
	s.begins++
	return s.failBegin
}

func (s *memorySink) Flush() error {
	s.flushes++
	return s.failFlush
}

func (s *memorySink) Close() error {
	s.closes++
	return s.failEnd
}

// numbered is operation i of worker w.
func numbered(w, i int) *Op { return &Op{Thread: uint32(w), Objects: i} }

// each adds n operations from each worker at once, and waits for them.
func each(c *Collector, workers, n int) {
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			buf := c.Worker()
			for i := range n {
				buf.Add(numbered(w, i))
			}
		})
	}
	wg.Wait()
}

// once fails unless ops are distinct.
func once(t *testing.T, ops []Op) {
	t.Helper()
	seen := map[string]bool{}
	for _, o := range ops {
		id := fmt.Sprint(o.Thread, "/", o.Objects)
		if seen[id] {
			t.Fatalf("operation %s came twice", id)
		}
		seen[id] = true
	}
}

func TestCollectorLosesNothing(t *testing.T) {
	for _, n := range []int{0, 1, batchOps - 1, batchOps, batchOps + 1, 5000} {
		a, b := &memorySink{}, &memorySink{}
		c := NewCollector(a, b)
		each(c, 8, n)
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*memorySink{a, b} {
			if len(s.ops) != 8*n || s.closes != 1 {
				t.Errorf("%d of %d operations arrived, closed %d times", len(s.ops), 8*n, s.closes)
			}
			once(t, s.ops)
		}
		if c.Dropped() != 0 {
			t.Errorf("%d dropped", c.Dropped())
		}
	}
}

func TestCollectorBegins(t *testing.T) {
	full := errors.New("disk full")
	broken, sound := &memorySink{failBegin: full}, &memorySink{}
	c := NewCollector(broken, discardSink{}, sound)
	c.Begin()
	if broken.begins != 1 || sound.begins != 1 {
		t.Errorf("%d and %d sinks have begun, want 1 each", broken.begins, sound.begins)
	}
	if err := <-c.Errs(); !errors.Is(err, full) {
		t.Errorf("failure %v", err)
	}
	each(c, 1, 1)
	if err := c.Close(); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	if len(broken.ops) != 0 || len(sound.ops) != 1 {
		t.Errorf("%d and %d operations, want 0 and 1", len(broken.ops), len(sound.ops))
	}
}

func TestCollectorDelivers(t *testing.T) {
	var s memorySink
	c := NewCollector(&s)
	const workers, n = 4, 3*batchOps + 1
	each(c, workers, n)
	c.Deliver()
	if len(s.ops) != workers*n {
		t.Errorf("%d of %d operations are delivered", len(s.ops), workers*n)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// A sweep reaches all workers in its parts, and flushes the sinks once.
func TestCollectorSweepsInParts(t *testing.T) {
	const workers = 3*sweepParts + 1
	synctest.Test(t, func(t *testing.T) {
		sink := &memorySink{}
		c := NewCollector(sink)
		for i := range workers {
			c.Worker().Add(&Op{Thread: uint32(i)})
		}
		var got, flushes int
		half := func() {
			time.Sleep(sweepEvery / 2)
			synctest.Wait()
			c.call(func() { got, flushes = len(sink.ops), sink.flushes })
		}
		if half(); got == 0 || got == workers || flushes > 0 {
			t.Errorf("%d of %d operations and %d flushes in half of a sweep", got, workers, flushes)
		}
		if half(); got != workers || flushes != 1 {
			t.Errorf("%d of %d operations and %d flushes in a sweep", got, workers, flushes)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestCollectorWithoutSinks(t *testing.T) {
	c := NewCollector()
	each(c, 2, 100)
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Error(err)
	}
}

func TestCollectorGoesOnWhenASinkFails(t *testing.T) {
	fault := errors.New("disk full")
	synctest.Test(t, func(t *testing.T) {
		good, bad := &memorySink{}, &memorySink{failWrite: fault, failEnd: fault}
		c := NewCollector(bad, good)
		each(c, 2, batchOps)
		if err := <-c.Errs(); err != fault {
			t.Errorf("reported %v", err)
		}
		time.Sleep(3 * sweepEvery)
		each(c, 2, batchOps)
		if err := c.Close(); !errors.Is(err, fault) || err.Error() != fault.Error() {
			t.Errorf("Close: %v, want the one fault once", err)
		}
		if err, open := <-c.Errs(); open {
			t.Errorf("reported a second time: %v", err)
		}
		if bad.writes != 1 || bad.flushes != 0 || bad.closes != 1 {
			t.Errorf("the failed sink got %d writes, %d flushes, %d closes", bad.writes, bad.flushes, bad.closes)
		}
		if len(good.ops) != 4*batchOps || good.flushes < 3 {
			t.Errorf("the good sink got %d operations and %d flushes", len(good.ops), good.flushes)
		}
	})
}

func TestCollectorKeepsAllFaults(t *testing.T) {
	inFlush, inEnd, inWrite, afterWrite := errors.New("flush"), errors.New("end"), errors.New("write"), errors.New("after write")
	synctest.Test(t, func(t *testing.T) {
		c := NewCollector(&memorySink{failFlush: inFlush}, &memorySink{failEnd: inEnd}, &memorySink{failWrite: inWrite, failEnd: afterWrite})
		c.Worker().Add(numbered(0, 0))
		time.Sleep(2 * sweepEvery)
		err := c.Close()
		for _, want := range []error{inFlush, inEnd, inWrite, afterWrite} {
			if !errors.Is(err, want) {
				t.Errorf("%v is missing in %v", want, err)
			}
		}
		reported := 0
		for range c.Errs() {
			reported++
		}
		if reported != 3 {
			t.Errorf("reported %d times, want once for each sink", reported)
		}
	})
}

func TestCollectorCountsStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &memorySink{delay: 10 * time.Second}
		c := NewCollector(s)
		buf := c.Worker()
		add := func(batches int) {
			for i := range batches * batchOps {
				buf.Add(numbered(0, i))
			}
		}
		add(1)
		synctest.Wait() // the sink is busy with this one
		add(queueBatches)
		if n, d := c.Stalls(); n != 0 || d != 0 {
			t.Errorf("%d stalls of %v while there was room", n, d)
		}
		time.Sleep(4 * time.Second)
		add(1)
		if n, d := c.Stalls(); n != 1 || d != 6*time.Second {
			t.Errorf("%d stalls of %v, want one of 6s", n, d)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if len(s.ops) != (queueBatches+2)*batchOps {
			t.Errorf("%d operations arrived", len(s.ops))
		}
	})
}

func TestCollectorCountsWhatComesTooLate(t *testing.T) {
	s := &memorySink{}
	c := NewCollector(s)
	before := c.Worker()
	before.Add(numbered(0, 0))
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	before.Add(numbered(0, 1))
	c.Worker().Add(numbered(1, 0))
	if c.Dropped() != 2 || len(s.ops) != 1 {
		t.Errorf("%d dropped, %d arrived, want 2 and 1", c.Dropped(), len(s.ops))
	}
}

// Whatever is added while the collector closes either arrives or is counted.
func TestCollectorCloseWhileWorkersAdd(t *testing.T) {
	for range 50 {
		s := &memorySink{}
		c := NewCollector(s)
		const workers, n = 4, 500
		var wg sync.WaitGroup
		wg.Go(func() { each(c, workers, n) })
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		arrived := len(s.ops)
		wg.Wait()
		if got := arrived + int(c.Dropped()); got != workers*n {
			t.Fatalf("%d arrived and %d were dropped, of %d", arrived, c.Dropped(), workers*n)
		}
		once(t, s.ops)
	}
}

func TestCollectorAddAllocatesNothing(t *testing.T) {
	c := NewCollector(discardSink{})
	buf := c.Worker()
	o := Op{Kind: Get, Client: "DF11", Start: when(1), End: when(2), Endpoint: "http://127.0.0.1:9000", Key: "a"}
	if got := testing.AllocsPerRun(10000, func() { buf.Add(&o) }); got != 0 {
		t.Errorf("%v allocations for each operation", got)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// discardSink takes operations and does nothing.
type discardSink struct{}

func (discardSink) Write([]Op) error { return nil }
func (discardSink) Close() error     { return nil }
