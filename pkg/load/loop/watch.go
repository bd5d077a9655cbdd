package loop

import (
	"runtime"
	"strings"
	"sync"
	"time"
)

// watched are the loops of this process while Watch is in use.
var watched registry

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

// Watch reports loops that do not come round within a time since a task blocks them, until the function that it returns is called. It is
// for tests. A loop that is only slow, on a machine that stands still, is not reported.
func Watch(limit time.Duration, report func(stack string)) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		seen := map[string]bool{}
		for tick := time.NewTicker(limit / 2); ; {
			select {
			case <-done:
				tick.Stop()
				return
			case <-tick.C:
			}
			if !watched.late(limit) {
				continue
			}
			for _, stack := range blocked() {
				if _, where, _ := strings.Cut(stack, "\n"); !seen[where] {
					seen[where] = true
					report(stack)
				}
			}
		}
	})
	return func() { close(done); wg.Wait() }
}

// blocked returns the stacks of tasks that hold up their loops: of goroutines that are locked to a thread and wait for others.
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
		if strings.Contains(state, "locked to thread") && strings.Contains(stack, "/load/loop.") && waits(state) {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}

// waits reports whether the state of a goroutine is one of waiting for another one.
func waits(state string) bool {
	for _, s := range []string{"chan ", "select", "sync.", "semacquire", "IO wait", "sleep"} {
		if strings.Contains(state, "["+s) {
			return true
		}
	}
	return false
}
