package bench

import (
	"context"
	"errors"
	"fmt"

	"warp/pkg/bench/work"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// spot is a part of a bucket in which something of a run may be left.
type spot struct {
	prefix string
	ours   func(key string) bool
	locked bool // the run may have locked its versions
}

// lastLooks is how often a place is looked at, over some three seconds: a store may list for a while what it has deleted.
const lastLooks = 6

var errStillThere = errors.New("it is still there")

// lastLook makes sure that places are empty, whatever the responses to deletions were: some servers confirm what they do not do. What is still
// there is deleted again, one by one, unless deletions were refused; what stays is reported.
func (rm *remover) lastLook(ctx context.Context, places []spot) {
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

// empty returns what stays in a place, at most one page of it, and why.
func (rm *remover) empty(ctx context.Context, sess s3.Session, p *spot, again bool) (left []ops.ObjectID, err error) {
	later := func(err error) bool { return errors.Is(err, errStillThere) }
	err = work.RetryWhile(ctx, lastLooks, later, func() (progress bool, err error) {
		before := left
		if left, err = rm.remaining(ctx, sess, p); len(left) == 0 || !again {
			return false, err
		}
		for _, f := range deleteObjects(ctx, sess, left, ops.DeleteEach) {
			if !s3.Temporary(f.Err) {
				return false, f.Err
			}
		}
		return len(before) > 0 && left[0] != before[0], errStillThere
	})
	return left, err
}

// remaining lists what is left in a place, at most one page of it. A server that does not list is believed, unless the bucket keeps versions.
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

// listed lists a place until there is something of the run. The first request asks for one key, since mostly there is none.
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
			if p.ours(e.Key) {
				left = append(left, ops.ObjectID{Key: e.Key, Version: e.Version})
			}
		}
		if page.Token = page.Next; page.Token == "" || len(left) > 0 {
			break
		}
	}
	return left, nil
}

// placesOfClaims returns where claims of the run, and objects of its preflight, may be left.
func (c *claims) placesOfClaims(lost bool) (list []spot) {
	all := func(string) bool { return true }
	if c.probe != "" {
		list = append(list, spot{prefix: c.probe + ".", ours: all})
	}
	for i := range c.sets {
		if prefix := c.removable(i, lost); prefix != "" {
			list = append(list, spot{prefix: prefix, ours: all, locked: c.plan.sets[i].locks})
		}
	}
	return list
}

// places returns where objects of the data set may be left.
func (c *cleaner) places() (list []spot) {
	for _, prefix := range c.keys.Places() {
		list = append(list, spot{prefix, c.isMine, c.locked})
	}
	return list
}
