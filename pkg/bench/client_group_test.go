package bench_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"warp/pkg/bench"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// company is several clients in one process.
type company struct {
	mu      sync.Mutex
	changed *sync.Cond
	total   int
	over    int      // clients that are done, or lost
	lost    []uint64 // whose part nobody has taken over yet
	broken  bool     // one is lost
	between func()   // is called when all have prepared, before any begins the benchmark
	stages  map[string]*gathering
	onces   map[string]func() ([]byte, error)
}

// gathering is how many clients have come to a stage, and what keeps them from going on.
type gathering struct {
	arrived int
	err     error
}

func newCompany(n int) *company {
	c := &company{total: n, stages: map[string]*gathering{}, onces: map[string]func() ([]byte, error){}}
	c.changed = sync.NewCond(&c.mu)
	return c
}

// client is one of a company.
type client struct {
	*company
	index   int
	lost    string // is lost when it comes to this stage
	isLost  bool
	orphans []uint64
}

var errLost = errors.New("the others are lost")

func (c *client) Share() load.Share {
	return load.Share{Index: uint64(c.index), Total: uint64(c.total)}
}

func (c *client) Once(ctx context.Context, key string, make func(context.Context) ([]byte, error)) ([]byte, error) {
	c.mu.Lock()
	f := c.onces[key]
	if f == nil {
		f = sync.OnceValues(func() ([]byte, error) { return make(ctx) })
		c.onces[key] = f
	}
	c.mu.Unlock()
	return f()
}

func (c *client) Barrier(_ context.Context, stage string, mine error) (time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isLost {
		return time.Time{}, errLost
	}
	if c.isLost = c.lost == stage; c.isLost {
		c.over++
		c.company.lost = append(c.company.lost, uint64(c.index))
		c.broken = true
		c.changed.Broadcast()
		return time.Time{}, errLost
	}
	g := c.stages[stage]
	if g == nil {
		g = &gathering{}
		c.stages[stage] = g
	}
	g.arrived++
	g.err = errors.Join(g.err, mine)
	if stage == bench.StageBenchmark && g.arrived == c.total && c.between != nil {
		c.between()
	}
	c.changed.Broadcast()
	for g.arrived+c.over < c.total {
		c.changed.Wait()
	}
	if stage == bench.StageCleanup {
		c.orphans, c.company.lost = c.company.lost, nil
	}
	if mine == nil && stage == bench.StageBenchmark {
		if c.broken {
			mine = errLost
		} else {
			mine = g.err
		}
	}
	return time.Time{}, mine
}

func (c *client) Orphans() []uint64 { return c.orphans }

// outcome is what came of the run of one client.
type outcome struct {
	memory
	err error
}

// runAll runs a job on all clients of a company. before changes a client, it may be nil.
func (c *company) runAll(t *testing.T, j job, store s3.Store, before func(i int, cl *client, env *bench.Env, p *bench.Plan)) []*outcome {
	t.Helper()
	all := make([]*outcome, c.total)
	j.share.Total = uint64(c.total)
	var wg sync.WaitGroup
	for i := range all {
		all[i] = &outcome{}
		cl := &client{company: c, index: i}
		env := bench.Env{Store: store, Client: fmt.Sprint("c", i), Sinks: []op.Sink{&all[i].memory}, Group: cl}
		plan := j.plan(t, store)
		plan.RunID = "run"
		if before != nil {
			before(i, cl, &env, plan)
		}
		wg.Go(func() {
			ctx, done := j.until(context.Background(), &all[i].memory)
			defer done()
			_, all[i].err = bench.Perform(ctx, plan, env)
			c.mu.Lock()
			defer c.mu.Unlock()
			if cl.lost == "" {
				c.over++
			}
			c.changed.Broadcast()
		})
	}
	wg.Wait()
	return all
}
