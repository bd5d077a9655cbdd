package distributed

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gorilla/websocket"

	"warp/internal/clock"
)

// greet answers a coordinator until it joins a run.
func (c *Client) greet(ctx context.Context, wg *sync.WaitGroup, ws *websocket.Conn) (*job, uint64, error) {
	if err := ws.SetReadDeadline(deadline(c.opts.timing.greeting)); err != nil {
		return nil, 0, err
	}
	var name string
	for range 8 * probes {
		f, err := readFrame(ws, small)
		at := c.opts.now().UnixNano()
		if err != nil {
			return nil, 0, err
		}
		switch f.kind {
		case msgHello:
			var h hello
			if err = f.open(&h); err == nil {
				name = string(h.Name)
				err = say(ws, msgWelcome, welcome{peerText(c.opts.Version), c.instance, peerText(c.host), peerText(c.busy())}, c.opts.timing.write)
			}
		case msgClock:
			var k clockProbe
			if err = f.open(&k); err == nil {
				k.Stepped, k.T1, k.T2 = int64(clock.Stepped()), at, c.opts.now().UnixNano()
				err = say(ws, msgClock, k, c.opts.timing.write)
			}
		case msgJoin:
			var j join
			if err = f.open(&j); err == nil {
				return c.join(ctx, wg, ws, j, name)
			}
		default:
			err = &violation{fmt.Sprintf("it said %q before it joined a run", f.kind)}
		}
		if err != nil {
			_ = say(ws, msgRefuse, refuse{peerText(err.Error()), true}, c.opts.timing.write)
			return nil, 0, err
		}
	}
	return nil, 0, &violation{"it greets without end"}
}

// busy says with what the client is busy; empty: it is free.
func (c *Client) busy() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.job == nil {
		return ""
	}
	return c.job.describe()
}

// join lets a coordinator begin a run, or come back to one.
func (c *Client) join(ctx context.Context, wg *sync.WaitGroup, ws *websocket.Conn, j join, name string) (*job, uint64, error) {
	c.mu.Lock()
	run, reason := c.job, ""
	switch {
	case c.closing && (run == nil || run.id != j.Run):
		reason = errShutDown.Error()
	case run != nil && run.id != j.Run:
		reason = run.describe()
	case run == nil && j.Resume:
		reason = "it knows nothing of this run: it was started anew, or gave the run up when it had waited long enough; its own recording stays"
	case run == nil:
		run = newJob(c, j.Run, name, ws.RemoteAddr().String())
		c.job = run
		wg.Go(func() { run.perform(ctx) })
	}
	c.mu.Unlock()
	if reason != "" {
		err := &violation{reason}
		return nil, 0, errors.Join(err, say(ws, msgRefuse, refuse{peerText(reason), true}, c.opts.timing.write))
	}
	return run, j.Received, nil
}

// free tells that a run is over.
func (c *Client) free() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.job = nil
}
