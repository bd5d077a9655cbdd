package loop

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// watched are the loops of this process.
var watched registry

// watching says that Watch is in use.
var watching atomic.Bool

type registry struct {
	mu    sync.Mutex
	loops map[*Loop]bool
}

func (r *registry) add(l *Loop) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.loops == nil {
		r.loops = map[*Loop]bool{}
	}
	r.loops[l] = true
}

func (r *registry) remove(l *Loop) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.loops, l)
}

func (r *registry) late(limit time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for l := range r.loops {
		if l.stuck(limit) {
			return true
		}
	}
	return false
}

// Watch reports tasks that block their loops for longer than a time, until the function that it returns is called. It is for tests. A loop
// that is only slow, on a machine that stands still, is not reported: the task must wait for another goroutine, twice in a row.
func Watch(limit time.Duration, report func(stack string)) (stop func()) {
	watching.Store(true)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		before, reported := map[string]bool{}, map[string]bool{}
		for tick := time.NewTicker(limit); ; {
			select {
			case <-done:
				tick.Stop()
				return
			case <-tick.C:
			}
			now := map[string]bool{}
			if watched.late(limit) {
				for _, stack := range blocked() {
					if now[stack] = true; before[stack] && !reported[stack] {
						reported[stack] = true
						report(stack)
					}
				}
			}
			before = now
		}
	})
	return func() {
		watching.Store(false)
		close(done)
		wg.Wait()
	}
}

// blocked returns the stacks of tasks that hold up their loops, which wait for other goroutines. All others are in the state of coroutines.
func blocked() (stacks []string) {
	buffer := make([]byte, 1<<20)
	for {
		n := runtime.Stack(buffer, true)
		if n < len(buffer) {
			buffer = buffer[:n]
			break
		}
		buffer = make([]byte, 2*len(buffer))
	}
	for stack := range strings.SplitSeq(string(buffer), "\n\n") {
		state, _, _ := strings.Cut(stack, "\n")
		if strings.Contains(stack, "/load/loop.(*Loop).start.func1") && waits(state) &&
			!strings.Contains(stack, "sync.(*Pool).") { // it waits for others that make pools, and never for long
			stacks = append(stacks, stack)
		}
	}
	return stacks
}

// waits reports whether the state of a goroutine is one of waiting for another one, other than the garbage collector (semacquire).
func waits(state string) bool {
	for _, s := range []string{"chan ", "select", "sync.", "IO wait", "sleep"} {
		if strings.Contains(state, "["+s) {
			return true
		}
	}
	return false
}
