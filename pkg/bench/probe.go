package bench

import (
	"context"
	"fmt"
	"slices"

	"warp/pkg/bench/work"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/probe"
)

// tryDemands tries the demands of workloads. A run that only reads makes no object for that.
func tryDemands(ctx context.Context, r *Run) error {
	if r.plan.Target.NoPreflight {
		return nil
	}
	for i, s := range r.plan.tasks {
		demands := s.traits.AllDemands()
		if len(demands) == 0 {
			continue
		}
		o := &probe.Object{
			S3:     persistent{r.unmeasured(0)},
			Key:    fmt.Sprintf("%s.%d", r.buckets[0].probe, i),
			Bucket: r.plan.Target.Bucket,
			Late:   r.buckets[0].bucket.Lag() > 0,
		}
		warnings, err := tryAll(ctx, o, demands)
		if err != nil {
			return fmt.Errorf("%s cannot be measured on this server: %w", s.Workload, err)
		}
		for _, text := range append(warnings, o.Notes...) {
			if !slices.Contains(r.result.Warnings, text) {
				r.warn("%s", text)
				r.env.Observer.Notice("Warning: " + text)
			}
		}
	}
	return nil
}

// tryAll makes the object, tries the demands, and deletes it.
func tryAll(ctx context.Context, o *probe.Object, demands []work.Demand) (warnings []string, err error) {
	if err := o.Put(ctx); err != nil {
		return nil, err
	}
	defer o.Remove(ctx, ops.ObjectID{Key: o.Key, Version: o.Version}, &err)
	for _, d := range demands {
		err := d.Try(ctx, o)
		if err == nil {
			continue
		}
		if d.Warn != nil && ctx.Err() == nil {
			if text := d.Warn(err); text != "" {
				warnings = append(warnings, text)
				continue
			}
		}
		if d.Hint != "" {
			err = fmt.Errorf("%w%s", err, d.Hint)
		}
		if d.Flag != "" {
			err = fmt.Errorf("--%s: %w", d.Flag, err)
		}
		return nil, err
	}
	return warnings, nil
}

// persistent is a session that repeats requests while their errors are temporary.
type persistent struct{ s3.Session }

// Do performs a request.
func (p persistent) Do(ctx context.Context, c *s3.Call) error {
	return work.RetryTemporary(ctx, func() error { return p.Session.Do(ctx, c) })
}
