package lean

import (
	"context"
	"testing"
	"time"

	"warp/pkg/s3/exchange"
)

// TestSharedConnections: a connection that a client has turned away from serves the next one.
func TestSharedConnections(t *testing.T) {
	a, b := serve(t, respond(ok)), serve(t, respond(ok))
	var targets []*Target
	for _, s := range []*scripted{a, b} {
		target, err := NewTarget(TargetOptions{Address: s.addr, Host: s.addr, Timeout: 10 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		targets = append(targets, target)
	}
	for _, tc := range []struct {
		name  string
		most  int
		turns []int // client*10 + target
		a, b  int64 // connections made
		open  int64
	}{
		{"each its own", 0, []int{0, 11, 0, 11}, 1, 1, 2},
		{"taken over", 0, []int{0, 1, 10, 1, 10}, 1, 1, 2},
		{"to and fro", 0, []int{0, 1, 0, 1, 0}, 1, 1, 2},
		{"both at one, then at the other", 0, []int{0, 10, 1, 11, 0, 10}, 2, 2, 4},
		{"no more than one is kept", 1, []int{0, 1, 0}, 2, 1, 1},
		{"the oldest goes", 3, []int{0, 10, 1, 11, 0}, 2, 2, 3},
	} {
		beforeA, beforeB := a.conns.Load(), b.conns.Load()
		pool := NewPool(2, tc.most)
		var clients []*Client
		for range 2 {
			clients = append(clients, newTestClient(t, a.addr, func(o *Options) { o.Targets, o.Pool = targets, pool }))
		}
		for _, turn := range tc.turns {
			if err := get(t, clients[turn/10], turn%10); err != nil {
				t.Fatal(err)
			}
		}
		if madeA, madeB := a.conns.Load()-beforeA, b.conns.Load()-beforeB; madeA != tc.a || madeB != tc.b || pool.open.Load() != tc.open {
			t.Errorf("%s: %d and %d connections made, %d open; want %d, %d, %d", tc.name, madeA, madeB, pool.open.Load(), tc.a, tc.b, tc.open)
		}
		clients[0].Close()
		pool.Close()
		_ = get(t, clients[1], 0)
		_ = get(t, clients[1], 1) // gives one back to a closed pool
		clients[1].Close()
		if n := pool.open.Load(); n != 0 {
			t.Errorf("%s: %d connections are open at the end", tc.name, n)
		}
	}
}

// get performs an exchange with one of several targets.
func get(t *testing.T, c *Client, target int) (err error) {
	perform(t.Context(), func(ctx context.Context) {
		if err = c.Do(ctx, target, &exchange.Request{Method: "GET", Key: "k"}); err == nil {
			c.Finish()
		}
	})
	return err
}
