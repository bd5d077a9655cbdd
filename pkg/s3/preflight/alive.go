package preflight

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"warp/internal/option"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
)

// DropUnresponsive takes the hosts that do not answer out of a configuration that allows it (MinHosts), and returns what is to be
// said about each. It is an error if too few are left.
func DropUnresponsive(ctx context.Context, cfg *s3.Config) (notices []string, err error) {
	if cfg.MinHosts == 0 || len(cfg.Hosts) < 2 {
		return nil, nil
	}
	var mu sync.Mutex
	down := map[string]error{}
	var g errgroup.Group
	g.SetLimit(parallelHosts)
	for _, host := range cfg.Hosts {
		one := *cfg
		one.Hosts = []string{host}
		g.Go(func() error {
			err := answers(ctx, one)
			mu.Lock()
			defer mu.Unlock()
			down[host] = err
			return nil
		})
	}
	_ = g.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var alive []string
	var first error
	for _, host := range cfg.Hosts {
		err := down[host]
		if err == nil {
			alive = append(alive, host)
			continue
		}
		if first == nil {
			first = err
		}
		notices = append(notices, fmt.Sprintf("a host is left out: %v", err))
	}
	if len(alive) < cfg.MinHosts {
		return nil, option.Errorf("min-hosts", "%d of %d hosts answer, want at least %d; %w", len(alive), len(cfg.Hosts), cfg.MinHosts, first)
	}
	cfg.Hosts = alive
	return notices, nil
}

// answers returns an error if the one host of a configuration sends no response.
func answers(ctx context.Context, cfg s3.Config) error {
	store, err := connect.New(cfg)
	if err != nil {
		return err
	}
	defer store.Close()
	status, err := Open(store).send(ctx, 0, actLook, ops.HeadBucket)
	if status > 0 {
		return nil
	}
	return err
}
