package bench

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"warp/pkg/load"
	"warp/pkg/op"
)

func TestAbortAfter(t *testing.T) {
	for _, c := range []struct {
		name             string
		release, aborted bool
	}{{"interrupted", false, true}, {"over in time", true, false}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			abort, release := abortAfter(ctx)
			cancel()
			time.Sleep(interruptGrace / 2)
			if c.release {
				release()
			}
			time.Sleep(interruptGrace)
			synctest.Wait() // and the bubble ends only if no goroutine is left
			select {
			case <-abort:
				if !c.aborted {
					t.Errorf("%s: a run that is over was aborted", c.name)
				}
			default:
				if c.aborted {
					t.Errorf("%s: the run was not aborted", c.name)
				}
			}
			release()
		})
	}
}

// closing is a sink that knows whether it was closed.
type closing struct{ closed int }

func (*closing) Write([]op.Op) error { return nil }
func (c *closing) Close() error      { c.closed++; return nil }

// wrongShare is a group that gives a client no part of the load.
type wrongShare struct{ Local }

func (wrongShare) Share() load.Share { return load.Share{Index: 1, Total: 1} }

func TestInvalidShareClosesSinks(t *testing.T) {
	var s closing
	c, err := Compile(validPlan(t, "put"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Prepare(t.Context(), c, Env{Group: wrongShare{}, Sinks: []op.Sink{&s}}); err == nil || s.closed != 1 {
		t.Errorf("%v, closed %d times", err, s.closed)
	}
}
