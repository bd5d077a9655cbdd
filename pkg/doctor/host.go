package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"warp/internal/clock"
	"warp/pkg/doctor/finding"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
	"warp/pkg/units"
)

// host is a host under examination.
type host struct {
	finding.Host
	cfg     s3.Config // of this host alone
	store   s3.Store
	bucket  *preflight.Bucket
	session s3.Session
	reached bool            // its server responds, and has the bucket
	made    bool            // the bucket
	state   *finding.Bucket // of the bucket; nil: nothing is tried through it
	second  *host           // with the second bucket; nil: there was no need for it

	problems []string // of what benchmarks need

	keys    []string     // that may exist
	uploads []ops.Upload // that may be unfinished

	unfinished []string // those that could not be aborted, and why

	early, late time.Duration // bounds of the clock's offset
	dated       bool
}

func newHost(cfg s3.Config, i int) (*host, error) {
	cfg.Hosts, cfg.Concurrency = cfg.Hosts[i:i+1], 1
	store, err := connect.New(cfg)
	if err != nil {
		return nil, err
	}
	return &host{
		Host: finding.Host{URL: store.Hosts()[0]}, cfg: cfg, store: store, bucket: preflight.Open(store),
		session: preflight.WithDiagnosis(store.Session(0), cfg),
	}, nil
}

// add notes an object that may exist from now on.
func (h *host) add(key string) {
	if !slices.Contains(h.keys, key) {
		h.keys = append(h.keys, key)
	}
}

// fail notes why the host cannot be used, unless that is an interrupt.
func (h *host) fail(err error) {
	if s3.AsError(err).Class != s3.ClassCanceled {
		h.Problem = units.Line(err.Error())
	}
}

// reach connects, and looks for the bucket, which it makes if it does not exist.
func (h *host) reach(ctx context.Context) {
	h.connect(ctx)
	made, err := h.bucket.Ensure(ctx)
	h.made, h.reached = made, err == nil || made
	if err != nil {
		h.fail(err)
	}
}

// dateBounds narrows the bounds of the clock's offset by a response: its date, in whole seconds, was the server's clock at some
// time between two readings of this machine's.
func (h *host) dateBounds(date string, before, after time.Time) {
	at, err := http.ParseTime(date)
	if err != nil {
		return
	}
	early, late := at.Sub(after), at.Add(time.Second).Sub(before)
	if h.dated {
		early, late = max(early, h.early), min(late, h.late)
	}
	if early > late { // the clock was set meanwhile
		return
	}
	h.early, h.late, h.dated = early, late, true
	h.Clock = &finding.Clock{Offset: milliseconds((early + late) / 2), Error: milliseconds((late - early) / 2)}
}

// warnings are about what would make figures worse, or stop a benchmark soon.
func (h *host) warnings() (list []string) {
	add := func(format string, args ...any) { list = append(list, h.URL+": "+fmt.Sprintf(format, args...)) }
	if c := h.Clock; c != nil && max(c.Offset, -c.Offset)-c.Error > 5000 {
		add("its clock is %s off this machine's; stores refuse requests from 15 minutes on: set both clocks (NTP)",
			units.Duration(time.Duration(max(c.Offset, -c.Offset)*1e6).Round(time.Second)))
	}
	if n := len(h.unfinished); n > 0 {
		add("%s of the check could not be aborted and may stay, which benchmarks with uploads in parts leave too; the first: %s",
			units.Plural(int64(n), "upload"), units.Line(h.unfinished[0]))
	}
	if c := h.Connections; c != nil && c.Made > 1 && c.Made > c.Requests/10 {
		add("it does not keep connections: %d for %d requests; each one's time is part of the latency", c.Made, c.Requests)
	}
	for _, kind := range h.DelayedACK {
		add("%s requests show a step of about %s: Nagle's algorithm on the server waits for a delayed acknowledgement; "+
			"the server should set TCP_NODELAY", kind, units.Duration(ackDelay))
	}
	if t := h.TLS; t != nil && t.Certificate != nil {
		c := t.Certificate
		switch left := c.Expires.Sub(clock.Wall()); {
		case c.Error != "" && h.cfg.Insecure:
			add("its certificate is not valid, which --insecure ignores: %s", c.Error)
		case left > 0 && left < 14*24*time.Hour:
			add("its certificate expires on %s", c.Expires.Format(time.DateOnly))
		}
	}
	return list
}

// differs lists the checks whose results differ from the first host's.
func (h *host) differs() string {
	var list []string
	for _, c := range h.Differs {
		list = append(list, fmt.Sprintf("%s (%s)", c.Name, c.Result))
	}
	return h.URL + ": it differs from the first host: " + units.List(list, 5)
}

// remove deletes what is below the prefix: objects, their versions and delete markers, and uploads.
func (h *host) remove(ctx context.Context, prefix string, bucket *finding.Bucket) error {
	if len(h.keys)+len(h.uploads) == 0 {
		return nil
	}
	ids, err := h.list(ctx, prefix)
	if versioned := bucket.Versioning == "Enabled" || bucket.Versioning == "Suspended"; !versioned { // a deletion by name leaves nothing
		for _, key := range h.keys { // a listing may lack some
			if !slices.ContainsFunc(ids, func(id ops.ObjectID) bool { return id.Key == key }) {
				ids = append(ids, ops.ObjectID{Key: key})
			}
		}
		err = nil
	}
	errs := []error{err}
	for _, u := range h.uploads {
		if err := h.bucket.Abort(ctx, u); err != nil {
			h.unfinished = append(h.unfinished, fmt.Sprintf("%q: %v", u.Key, err))
		}
	}
	if failed := deleteAll(ctx, h.session, ids, bucket.Lock == finding.LockEnabled); len(failed) > 0 {
		errs = append(errs, fmt.Errorf("%d objects stay, one of them %q: %w", len(failed), failed[0].Key, failed[0].Err))
	}
	return errors.Join(errs...)
}

// list returns all versions below a prefix, or the objects where the server has no versions.
func (h *host) list(ctx context.Context, prefix string) (ids []ops.ObjectID, err error) {
	for _, all := range []bool{true, false} {
		ids, err = nil, nil
		l := ops.Listing{Prefix: prefix, All: all}
		for more := true; more && err == nil; more = l.Next != "" {
			l.Token = l.Next
			if err = ops.List(ctx, h.session, &s3.Call{}, &l); err == nil {
				for _, e := range l.Entries {
					ids = append(ids, ops.ObjectID{Key: e.Key, Version: e.Version})
				}
			}
		}
		if err == nil {
			break
		}
	}
	return ids, err
}

func milliseconds(d time.Duration) float64 { return float64(d.Round(time.Microsecond)) / 1e6 }

// emptySecond removes what is in the second bucket.
func (h *host) emptySecond(ctx context.Context, prefix string) error {
	if h.second == nil || h.second.state == nil {
		return nil
	}
	return h.second.remove(ctx, prefix, h.second.state)
}
