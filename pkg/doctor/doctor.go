// Package doctor examines a store: how its hosts are reached, what the key may do, and which operations and options the server has. It
// works below a prefix of its own in the bucket, and removes what it made.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"warp/pkg/doctor/finding"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
	"warp/pkg/units"
)

// Options control Examine.
type Options struct {
	Why   string         // what the kind of the store follows from
	Total func(int)      // called with the number of steps; may be nil
	Done  *atomic.Uint64 // counts the steps that are done; may be nil
}

const (
	// requestGrace is for requests in flight when the examination is interrupted: they must end before their objects are deleted.
	requestGrace = 2 * time.Second
	// cleanupGrace is for the removal of what was made, when the examination is interrupted.
	cleanupGrace = 10 * time.Second
	// parallelHosts is the number of hosts that are examined at once, parallelTrips the number on which round trips are measured at once.
	parallelHosts = 16
	parallelTrips = 4
)

// examination is an examination under way.
type examination struct {
	report     *finding.Report
	hosts      []*host
	prefix     string // of all objects that it makes
	cleanupCtx context.Context
	done       func()
	first      *trial // through the first host that is tried
}

// Examine examines the store that cfg describes. The report is complete as far as ctx allows; with an error there is no report.
func Examine(ctx context.Context, cfg s3.Config, o Options) (*finding.Report, error) {
	if o.Done == nil {
		o.Done = &atomic.Uint64{}
	}
	x := &examination{
		report: &finding.Report{Checks: []finding.Check{}, Problems: []string{}, Warnings: []string{}},
		prefix: newPrefix(),
		done:   func() { o.Done.Add(1) },
	}
	defer x.close()
	for i := range cfg.Hosts {
		h, err := newHost(cfg, i)
		if err != nil {
			return nil, err
		}
		x.hosts = append(x.hosts, h)
		x.report.Hosts = append(x.report.Hosts, &h.Host)
	}
	if o.Total != nil {
		o.Total((2 + len(checksOf(connect.Dialect(&cfg)))) * len(cfg.Hosts))
	}
	requests, cancel := preflight.WithGrace(ctx, requestGrace)
	defer cancel()
	cleanup, cancelCleanup := preflight.WithGrace(ctx, cleanupGrace)
	defer cancelCleanup()
	x.cleanupCtx = cleanup
	x.reach(ctx, requests)
	x.describe(&cfg, o.Why)
	if h := x.usable(); h != nil {
		x.describeAccount(requests, h)
		x.tryAll(ctx, requests, h)
		x.measure(ctx, requests)
		x.describeVersions()
	}
	x.remove()
	x.conclude(ctx)
	return x.report, nil
}

// each calls do for hosts, several at once.
func (x *examination) each(ctx context.Context, hosts []*host, parallel int, do func(h *host)) {
	var g errgroup.Group
	g.SetLimit(parallel)
	for _, h := range hosts {
		g.Go(func() error {
			if ctx.Err() == nil {
				do(h)
			}
			return nil
		})
	}
	_ = g.Wait()
}

// reach connects to all hosts and looks for the bucket: first through the first of them, so that hosts of one server do not race
// to make the same bucket.
func (x *examination) reach(ctx, requests context.Context) {
	for _, hosts := range [][]*host{x.hosts[:1], x.hosts[1:]} {
		x.each(ctx, hosts, parallelHosts, func(h *host) {
			h.reach(requests)
			x.done()
		})
	}
}

// usable returns the first host without a problem; nil if there is none.
func (x *examination) usable() *host {
	for _, h := range x.hosts {
		if h.reached && h.Problem == "" {
			return h
		}
	}
	return nil
}

// tryAll performs the checks through the first host that can be used, and then through the others, which may have other results.
func (x *examination) tryAll(ctx, requests context.Context, first *host) {
	x.report.Checks = x.try(ctx, requests, first, &x.report.Bucket, x.prefix)
	others := slices.DeleteFunc(slices.Clone(x.hosts), func(h *host) bool { return h == first || !h.reached || h.Problem != "" })
	x.each(ctx, others, parallelHosts, func(h *host) {
		found := x.try(ctx, requests, h, &finding.Bucket{}, fmt.Sprintf("%s%d/", x.prefix, slices.Index(x.hosts, h)+1))
		h.Differs = differing(x.report.Checks, found)
	})
	for _, h := range x.hosts {
		x.report.Problems = append(x.report.Problems, h.problems...)
	}
}

// differing returns the checks whose results differ from the first host's.
func differing(first, found []finding.Check) (list []finding.Check) {
	for i := range min(len(first), len(found)) {
		if a, b := &first[i], &found[i]; a.Result != b.Result || a.Result == finding.Yes && a.Detail != b.Detail {
			list = append(list, *b)
		}
	}
	return list
}

// try performs the checks through one host.
func (x *examination) try(ctx, requests context.Context, h *host, bucket *finding.Bucket, prefix string) (list []finding.Check) {
	t := &trial{ctx: requests, host: h, prefix: prefix, bucket: bucket}
	if bucket != &x.report.Bucket {
		t.first = x.first
	} else {
		x.first = t
	}
	h.state, list = bucket, []finding.Check{}
	describeBucket(t)
	if bucket == &x.report.Bucket {
		x.removeLeftovers(requests, h)
	}
	if t.bucket.Lock == finding.LockDefault {
		t.stop = "the bucket locks objects when they are put"
		const text = "%s: objects that are put into bucket %q are locked at once (its default retention), " +
			"so nothing could be deleted again; use a --bucket without"
		h.problems = append(h.problems, fmt.Sprintf(text, h.URL, t.bucket.Name))
	}
	for _, c := range checksOf(h.session.Dialect()) {
		if ctx.Err() != nil {
			break
		}
		found := finding.Check{Group: c.group, Name: c.name, Right: preflight.Right(h.cfg.Store, c.right), Result: finding.Untried}
		var v verdict
		switch {
		case t.stop != "" && c.object:
			found.Detail = t.stop
		default:
			v = c.try(t)
			v.settle(&found)
		}
		if c.group == groupNeeded {
			t.needed(&found, v.err)
		}
		list = append(list, found)
		x.done()
	}
	return list
}

// measure measures round trips on all hosts, where that leaves nothing behind.
func (x *examination) measure(ctx, requests context.Context) {
	x.each(ctx, x.hosts, parallelTrips, func(h *host) {
		defer x.done()
		if h.state != nil && len(h.problems) == 0 {
			h.measure(ctx, requests, x.prefix+"round-trip")
		}
	})
}

// remove removes what was made, on all hosts: they may be different servers.
func (x *examination) remove() {
	for _, h := range x.hosts {
		if !h.reached {
			continue
		}
		bucket := &x.report.Bucket
		if h.state != nil {
			bucket = h.state
		}
		err := errors.Join(h.remove(x.cleanupCtx, x.prefix, bucket), h.emptySecond(x.cleanupCtx, x.prefix),
			ops.RemoveDirectories(x.cleanupCtx, h.session, x.prefix))
		if err != nil {
			const text = "%s: not all that the check made could be removed; it is below %q: %s"
			x.problem(text, h.URL, x.prefix, units.Line(err.Error()))
		}
	}
	for _, h := range x.hosts {
		if h.second != nil && h.second.made {
			if err := h.second.bucket.Remove(x.cleanupCtx); err != nil {
				x.problem("the second bucket that was made stays: %v", err)
			}
		}
		if !h.made {
			continue
		}
		x.report.Bucket.Made = true
		if err := h.bucket.Remove(x.cleanupCtx); err != nil {
			x.problem("the bucket that was made stays: %v", err)
		}
	}
}

// problem adds a problem to the report.
func (x *examination) problem(format string, args ...any) {
	x.report.Problems = append(x.report.Problems, fmt.Sprintf(format, args...))
}

// warn adds a warning to the report.
func (x *examination) warn(format string, args ...any) {
	x.report.Warnings = append(x.report.Warnings, fmt.Sprintf(format, args...))
}

// conclude adds the problems and warnings of hosts to the report.
func (x *examination) conclude(ctx context.Context) {
	problems := []string{}
	for _, h := range x.hosts {
		if h.Problem != "" {
			problems = append(problems, h.Problem)
		}
		x.report.Warnings = append(x.report.Warnings, h.warnings()...)
		if len(h.Differs) > 0 {
			x.report.Warnings = append(x.report.Warnings, h.differs())
		}
	}
	x.report.Problems = append(problems, x.report.Problems...)
	if b := x.report.Bucket; b.Said != "" && b.Said != b.Region {
		x.warn("requests are signed for region %s, but the bucket is in %s: use --region=%s", b.Region, b.Said, b.Said)
	}
	for _, c := range x.report.Checks {
		if c.Name == checkSignature && c.Result == finding.Ignored {
			x.warn("the host accepts a wrong secret key: credentials are not checked")
		}
	}
	x.report.Interrupted = ctx.Err() != nil
}

func (x *examination) close() {
	for _, h := range x.hosts {
		if h.second != nil {
			h.second.store.Close()
		}
		h.store.Close()
	}
}
