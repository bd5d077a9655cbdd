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
		return List(ctx, session, &Call{}, &Listing{Prefix: prefix, MaxKeys: 1})
	})
}

// eachAlone calls try for every host of cfg, with a configuration of that host alone, several at once. It returns the
// first error in the order of hosts.
func eachAlone(cfg Config, try func(i int, one Config) error) error {
	return sideBySide(0, len(cfg.Hosts), func(i int) error {
		one := cfg
		one.Hosts, one.Concurrency = cfg.Hosts[i:i+1], 1
		return try(i, one)
	})
}

// sideBySide calls do for the hosts from one to another, several at once, and returns the first error in their order.
func sideBySide(from, to int, do func(i int) error) error {
	errs := make([]error, to)
	limit := make(chan struct{}, parallelHosts)
	var wg sync.WaitGroup
	for i := from; i < to; i++ {
		limit <- struct{}{}
		wg.Go(func() {
			defer func() { <-limit }()
			errs[i] = do(i)
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
