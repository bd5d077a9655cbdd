//go:build !linux

package loop

import (
	"context"
	"errors"
	"time"
)

// Loop is a goroutine that performs tasks. This system has none.
type Loop struct{}

type coroutine struct{}

// New fails on this system.
func New(bool) (*Loop, error) { return nil, errors.ErrUnsupported }

// CheckRealtime fails on this system.
func CheckRealtime() error { return errors.New("not on this system (want Linux)") }

// Task is for Linux, as is everything below.
func (l *Loop) Task(ctx context.Context) *Task { return &Task{Context: ctx, loop: l} }

// Start is for Linux.
func (t *Task) Start(func(*Task)) {}

// Close does nothing.
func (l *Loop) Close() {}

// Until is for Linux.
func (t *Task) Until(time.Time) bool { return false }

// Rest is for Linux.
func (t *Task) Rest() {}

// Wake is for Linux.
func (t *Task) Wake() {}

// WakeOther is for Linux.
func (t *Task) WakeOther(*Task) {}

// SameLoop is for Linux.
func (t *Task) SameLoop(*Task) bool { return false }

func (t *Task) block(f func()) { f() }

func (t *Task) together(context.Context, int, func(context.Context, int)) {}

func (l *Loop) stuck(time.Duration) bool { return false }
