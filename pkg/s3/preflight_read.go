package s3

import (
	"context"
	"sync"
)

// PreflightRead asks every host of cfg for the beginning of a listing below prefix: what a run that writes nothing can
// try without leaving a trace. The error is a *Diagnosis of the first host that fails.
func PreflightRead(ctx context.Context, cfg Config, prefix string) error {
	return eachAlone(cfg, func(_ int, one Config) error {
		store, err := New(one)
		if err != nil {
			return err
		}
		defer store.Close()
		session := &unmeasuredSession{session: store.Session(0), cfg: &one, probe: true}
		return session.List(ctx, &Call{Prefix: prefix, MaxKeys: 1})
	})
}

// eachAlone calls try for every host of cfg, with a configuration of that host alone, several at once. It returns the
// first error in the order of hosts.
func eachAlone(cfg Config, try func(i int, one Config) error) error {
	errs := make([]error, len(cfg.Hosts))
	limit := make(chan struct{}, preflightParallel)
	var wg sync.WaitGroup
	for i, host := range cfg.Hosts {
		limit <- struct{}{}
		wg.Go(func() {
			defer func() { <-limit }()
			one := cfg
			one.Hosts, one.Concurrency = []string{host}, 1
			errs[i] = try(i, one)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
