package bench_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

// mortal is a store of a process that can be killed: then no request is sent any more, and nothing is cleaned up.
type mortal struct {
	s3.Store
	killed atomic.Bool
}

type mortalSession struct {
	s3.Session
	of *mortal
}

func (m *mortal) Session(i int) s3.Session { return mortalSession{m.Store.Session(i), m} }

func (m *mortal) HostSession(host, key int) (s3.Session, func()) {
	s, done := m.Store.HostSession(host, key)
	return mortalSession{s, m}, done
}

func (s mortalSession) Do(ctx context.Context, c *s3.Call) error {
	if s.of.killed.Load() {
		return errors.New("the process is gone")
	}
	return s.Session.Do(ctx, c)
}

// furnish puts what is somebody else's into a bucket: versions, a delete marker, tags, an unfinished upload, and, in a bucket with object
// lock, locks.
func furnish(t *testing.T, store s3.Store, locks bool) {
	t.Helper()
	sess, doc := store.Session(0), &ops.Document{}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"invoice.pdf", "mine/letter.txt", "0.aaaaaaaaaaaaaaaa.rnd", "mine/1.bbbbbbbbbbbbbbbb.rnd"} {
		for _, text := range []string{"old", "text of " + key} {
			c := &s3.Call{Key: key, Body: strings.NewReader(text), Size: int64(len(text))}
			check(ops.Put(t.Context(), sess, c))
			if locks && key == "invoice.pdf" {
				check(ops.PutLegalHold(t.Context(), sess, &s3.Call{Key: key, Version: c.VersionID}, doc, true))
				check(ops.PutRetention(t.Context(), sess, &s3.Call{Key: key, Version: c.VersionID}, doc, clock.Wall().Add(time.Hour)))
			}
		}
		check(ops.PutTag(t.Context(), sess, &s3.Call{Key: key}, doc, "owner", 7))
	}
	if locks {
		check(ops.Delete(t.Context(), sess, &s3.Call{Key: "mine/letter.txt", Size: -1}))
	}
	_, err := ops.CreateUpload(t.Context(), sess, &s3.Call{Key: "0.aaaaaaaaaaaaaaaa.rnd"})
	check(err)
}

// stateOf returns all that is in a bucket: versions, with their contents, tags and locks, and uploads.
func stateOf(t *testing.T, store s3.Store, locks bool) (all []string) {
	t.Helper()
	sess := store.Session(0)
	for _, line := range versionsIn(t, store) {
		key, version, _ := strings.Cut(line, " ")
		if strings.HasSuffix(line, " marker") {
			all = append(all, line)
			continue
		}
		var got bytes.Buffer
		err := ops.Get(t.Context(), sess, &s3.Call{Key: key, Version: version, Size: -1, Into: &got})
		tags, tagErr := ops.ReadTags(t.Context(), sess, &s3.Call{Key: key, Version: version})
		// Only the class of an error: its text has the number of the request.
		line = fmt.Sprintf("%s: %q %s, tags %v %s", line, got.String(), op.Class(fmt.Sprint(err)), tags, op.Class(fmt.Sprint(tagErr)))
		if locks {
			call := func() *s3.Call { return &s3.Call{Key: key, Version: version} }
			_, held := ops.GetLegalHold(t.Context(), sess, call(), &ops.Document{})
			_, locked := ops.GetRetention(t.Context(), sess, call(), &ops.Document{})
			line += fmt.Sprintf(", held %v, locked %v", held == nil, locked == nil)
		}
		all = append(all, line)
	}
	err := preflight.Open(store).Uploads(t.Context(), "", func(u ops.Upload) error {
		all = append(all, "upload "+u.Key+" "+u.ID)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// TestBucketAsBefore: whatever is measured, and however the run ends, the bucket is as it was, with all that others have in it.
func TestBucketAsBefore(t *testing.T) {
	bench.ShortenCleanup(t, time.Millisecond)
	jobs := map[string]job{
		"mixed, all shares": {workload: "mixed", args: allShares("retention", "legal-hold", "versioned")},
		"mixed, locks": {workload: "mixed", args: []string{
			"-objects=20", "-retention-put-distrib=20", "-retention-get-distrib=10", "-legal-hold-put-distrib=20", "-legal-hold-get-distrib=10", "-versioned-distrib=10",
		}},
		"get in parts": {workload: "get", args: []string{"-part.size=1KiB"}}, "copy in parts": {workload: "copy", args: []string{"-part.size=1KiB"}},
		"put by forms": {workload: "put", args: []string{"-post"}}, "put over objects": {workload: "put", args: []string{"-objects=40"}},
	}
	for _, info := range work.Registry() {
		jobs[info.Name] = job{workload: info.Name}
	}
	for name, j := range jobs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			locks := bench.NeedsFeatures(t, j.workload) || strings.Contains(name, "locks")
			for _, end := range []string{"run", "interrupt", "kill"} {
				asBefore(t, j, end, locks)
			}
		})
	}
}

// asBefore makes a run that ends in a way, on a server that can do what it needs.
func asBefore(t *testing.T, j job, end string, locks bool) {
	t.Helper()
	var store s3.Store
	buckets := func() []string { return nil } // of the server, where that can be asked
	if locks {
		needsRow(t, "legal-hold")
		store = open(t, newBucket())
		if _, err := preflight.Open(store).Ensure(t.Context(), preflight.Lock); err != nil {
			t.Fatal(err)
		}
	} else {
		odd := oddly(t, "", responder.Options{Rule: func(k op.Kind, _ uint64) responder.Fault {
			return faultIf(k == op.Delete && j.workload == "delete" && end != "run", responder.Fault{Delay: 5 * time.Millisecond}) // so that it is ended before its end
		}})
		store, buckets = odd.Store, odd.server.Buckets
	}
	furnish(t, store, locks)
	before := stateOf(t, store, locks)

	m := &mortal{Store: store}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	j.change = func(p *bench.Plan) {
		p.Target, p.RunID, p.Data.NoPrefix, p.Phases[0].Ops = *store.Config(), "run", j.workload != "list" && j.workload != "mixed", 40
		if end != "run" && j.workload != "delete" {
			p.Phases[0].Ops, p.Phases[0].Duration = 0, time.Hour
		}
	}
	if end != "run" {
		j.observe = watch{func(s bench.Stage) {
			if s.Name != bench.StageBenchmark {
				return
			}
			go func() {
				for s.Done() < 5 && ctx.Err() == nil {
					time.Sleep(time.Millisecond)
				}
				m.killed.Store(end == "kill")
				cancel()
			}()
		}}
	}
	ops, _, err := j.run(ctx, t, m)
	if end != "kill" && (err != nil || len(ops.benchmark()) == 0) {
		t.Errorf("%s: %v, %d operations", end, err, len(ops.benchmark()))
	}
	if end == "kill" {
		clean := &bench.Cleanup{Over: true, Plan: bench.Decoded(t, j.plan(t, store)), Target: *store.Config(), Store: store, Threads: 3}
		if done, err := clean.Run(t.Context()); err != nil || done.Claims == 0 {
			t.Errorf("clean-up: %+v, %v", done, err)
		}
	}
	if list := buckets(); len(list) > 1 {
		t.Errorf("%s: there are buckets %q", end, list)
	}
	if after := stateOf(t, store, locks); !slices.Equal(before, after) {
		t.Errorf("%s: before:\n%s\nafter:\n%s", end, strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
}
