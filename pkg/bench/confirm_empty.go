package bench

import (
	"context"
	"errors"
	"fmt"

	"warp/pkg/bench/work"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// spot is a part of a bucket that may hold leftovers of a run.
type spot struct {
	prefix string
	isOwn  func(key string) bool
	locked bool // the run may have locked its versions
}

// emptyChecks is the number of checks of a place, over some three seconds: a store may list deleted objects for a while.
const emptyChecks = 6

var errNotDeleted = errors.New("it is still there")

// confirmEmpty checks that places are empty, whatever the responses to deletions were: some servers only confirm deletions.
// It deletes remaining objects again, one by one, unless deletions were refused, and reports the rest.
func (rm *remover) confirmEmpty(ctx context.Context, places []spot) {
	if rm.show != nil || rm.gaveUp.Load() {
		return
	}
	rm.mu.Lock()
	again := rm.kept.objects == 0
	rm.mu.Unlock()
	rm.each(ctx, uint64(len(places)), func(ctx context.Context, sess s3.Session, n uint64) {
		p := &places[n]
		if p.locked {
			sess = unlock(sess)
		}
		left, err := rm.empty(ctx, sess, p, again)
		switch {
		case len(left) > 0 && again:
			rm.add(&rm.kept.found, len(left), fmt.Errorf("delete %s: %w", left[0], err))
		case err != nil && ctx.Err() == nil:
			rm.add(&rm.kept.listings, 1, fmt.Errorf("look for what is left below %q: %w", p.prefix, err))
		}
	})
}

// empty returns the leftovers in a place, at most a page, and the reason.
func (rm *remover) empty(ctx context.Context, sess s3.Session, p *spot, again bool) (left []ops.ObjectID, err error) {
	later := func(err error) bool { return errors.Is(err, errNotDeleted) }
	err = work.RetryWhile(ctx, emptyChecks, later, func() (progress bool, err error) {
		before := left
		if left, err = rm.remaining(ctx, sess, p); len(left) == 0 || !again {
			return false, err
		}
		for _, f := range deleteObjects(ctx, sess, left, ops.DeleteEach) {
			if !s3.Temporary(f.Err) {
				return false, f.Err
			}
		}
		return len(before) > 0 && left[0] != before[0], errNotDeleted
	})
	return left, err
}

// remaining lists the leftovers in a place, at most a page. A server that does not list is believed, unless the bucket keeps versions.
func (rm *remover) remaining(ctx context.Context, sess s3.Session, p *spot) (left []ops.ObjectID, err error) {
	if rm.versions {
		left, err = rm.listed(ctx, sess, p, true)
	}
	if err != nil || len(left) > 0 || rm.versions && rm.known {
		return left, err
	}
	left, err = rm.listed(ctx, sess, p, false)
	if refused(err) || s3.Unsupported(err) {
		err = nil
	}
	return left, err
}

// listed lists a place until it finds something of the run. The first request asks for a single key, since mostly there is nothing.
func (rm *remover) listed(ctx context.Context, sess s3.Session, p *spot, versions bool) (left []ops.ObjectID, err error) {
	var call s3.Call
	page := ops.Listing{Prefix: p.prefix, All: versions, MaxKeys: 1}
	for n := range searchPages {
		err = rm.retry(ctx, func() (bool, error) { return false, ops.List(ctx, sess, &call, &page) })
		if s3.NoBucket(err) {
			return nil, nil
		}
		if err != nil || n == 0 && len(page.Entries) == 0 && page.Next == "" {
			return nil, err
		}
		if n == 0 {
			page.MaxKeys = 0
			continue
		}
		for _, e := range page.Entries {
			if p.isOwn(e.Key) {
				left = append(left, ops.ObjectID{Key: e.Key, Version: e.Version})
			}
		}
		if page.Token = page.Next; page.Token == "" || len(left) > 0 {
			break
		}
	}
	return left, nil
}

// placesOfClaims returns the places of leftover claims and preflight objects of the run.
func (c *claims) placesOfClaims(lost bool) (list []spot) {
	all := func(string) bool { return true }
	if c.probe != "" {
		list = append(list, spot{prefix: c.probe + ".", isOwn: all})
	}
	for i := range c.sets {
		if prefix := c.removable(i, lost); prefix != "" {
			list = append(list, spot{prefix: prefix, isOwn: all, locked: c.plan.sets[i].locks})
		}
	}
	return list
}

// places returns the places of leftover objects of the data set.
func (c *cleaner) places() (list []spot) {
	for _, prefix := range c.keys.Places() {
		list = append(list, spot{prefix, c.isMine, c.locked})
	}
	return list
}
