// Package loop performs many functions in one goroutine, by turns: where one waits for a time or a socket, another one goes on. The code of
// such a Task is written as if it blocked. It never costs the wake-up of a thread, and a timer is late by what the kernel needs.
//
// A loop waits for whatever blocks one of its tasks in another way. So what waits for channels, locks that are held for long, or files goes
// through Block.
package loop

import (
	"context"
	"sync"
	"time"

	"warp/internal/clock"
)

// Task is a function on a loop. It is the context that the function is called with, too: functions called with that context, or one made
// of it, wait by means of the task. Except for Wake and Interrupt, only the task itself calls the methods.
type Task struct {
	context.Context
	loop *Loop
	coroutine

	queued      bool // it goes on in this round
	ended       bool
	woken       bool // by Wake
	interrupted bool // by Interrupt
	wait        wait // present one
	armed       [timerKinds]int64
}

// wait is a reason why a task does not go on.
type wait struct {
	kind    timerKind
	end     int64 // since the loop's base; 0: none
	over    bool  // what it waits for has come
	reached bool  // its end has
}

// timerKind is what a timer of a task is for. A task has one of each in the heap: deadlines of sockets are hardly ever reached, and their
// timers stay while they are too early.
type timerKind uint8

const (
	timerUntil timerKind = iota
	timerSocket
	timerKinds
)

type taskKey struct{}

// Value returns the task itself for its key.
func (t *Task) Value(key any) any {
	if key == (taskKey{}) {
		return t
	}
	return t.Context.Value(key)
}

// Of returns the task that has a context; nil: what runs with it is an ordinary goroutine.
func Of(ctx context.Context) *Task {
	if t, ok := ctx.(*Task); ok {
		return t
	}
	t, _ := ctx.Value(taskKey{}).(*Task)
	return t
}

// Block calls a function that may block, in a goroutine with a context of its own. The loop goes on with other tasks meanwhile.
func Block(ctx context.Context, f func(ctx context.Context)) {
	if t := Of(ctx); t != nil {
		t.block(func() { f(detached{ctx}) })
		return
	}
	f(ctx)
}

// detached is a context without its task.
type detached struct{ context.Context }

// Value returns no task.
func (d detached) Value(key any) any {
	if key == (taskKey{}) {
		return nil
	}
	return d.Context.Value(key)
}

// Lock locks a mutex that is held while its holder waits.
func Lock(ctx context.Context, mu *sync.Mutex) {
	if !mu.TryLock() {
		Block(ctx, func(context.Context) { mu.Lock() })
	}
}

// Pause waits for d. It reports false if ctx ended first.
func Pause(ctx context.Context, d time.Duration) (waited bool) {
	Block(ctx, func(ctx context.Context) {
		waited = clock.Pause(ctx, d)
	})
	return waited
}

// Together calls a function for 0 to n-1, all at once, and returns when all have ended. Of a task, they become tasks of the same loop.
func Together(ctx context.Context, n int, f func(ctx context.Context, k int)) {
	if t := Of(ctx); t != nil {
		t.together(ctx, n, f)
		return
	}
	var wg sync.WaitGroup
	for k := range n {
		wg.Go(func() { f(ctx, k) })
	}
	wg.Wait()
}
