package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"warp/internal/clock"
	"warp/pkg/s3"
)

// Leftover is something that a run left in its bucket.
type Leftover struct {
	Kind    string // LeftObject, ...
	Key     string
	Version string // of an object, or the id of an upload; may be empty
}

// Kinds of leftovers.
const (
	LeftObject = "object"
	LeftUpload = "upload"
	LeftClaim  = "claim"
	LeftBucket = "bucket"
)

// Cleanup removes what a run left that was killed, or kept its data: exactly what its plan says are its names.
type Cleanup struct {
	Plan     *Compiled // or decoded only
	Target   s3.Config // of the store
	Store    s3.Store
	Threads  int            // at once
	Clients  uint64         // that the run had; 0: one
	Client   *uint64        // only what this one made; nil: all of them
	Force    bool           // go on if another run with the same seed is at work
	Show     func(Leftover) // is called instead of removing anything, never twice at once; nil: remove
	Observer Observer       // may be nil

	showing sync.Mutex
}

// Cleaned counts what a Cleanup removed, or would remove. Each version and each delete marker of an object is one.
type Cleaned struct {
	Objects, Uploads, Claims uint64
	Bucket                   bool
}

// Run removes it.
func (cl *Cleanup) Run(ctx context.Context) (*Cleaned, error) {
	if cl.Observer == nil {
		cl.Observer = silent{}
	}
	done := &Cleaned{}
	if cl.Plan.readsOnly() {
		return done, nil
	}
	cleaners := cl.cleaners()
	made := false
	for _, c := range cleaners {
		byIt, err := cl.claims(ctx, c)
		if err != nil {
			return done, err
		}
		made = made || byIt
	}
	cl.Observer.Stage(Stage{Name: StageCleanup, Workload: cl.Plan.Phases[0].Workload, Start: clock.Now(), Done: removed(cleaners)})
	first := cleaners[0]
	detectVersions(ctx, cleaners, true)
	for _, c := range cleaners {
		done.Claims += cl.remove(ctx, c)
		done.Objects, done.Uploads = done.Objects+c.objects.Load(), done.Uploads+c.uploads.Load()
	}
	err := errors.Join(first.verdict(), context.Cause(ctx)) // all of them count failures together
	if made && err == nil {
		done.Bucket = first.removeBucket(ctx, cl.Observer)
	}
	return done, err
}

// cleaners are one for each data set of the run.
func (cl *Cleanup) cleaners() (list []*cleaner) {
	p, clients := cl.Plan, max(1, cl.Clients)
	sets := clients
	if p.SharedData {
		sets = 1
	}
	f := &failures{}
	var show func(Leftover)
	if cl.Show != nil {
		show = cl.show
	}
	var sessions []s3.Session
	for worker := range max(1, cl.Threads) {
		sessions = append(sessions, s3.Unmeasured(cl.Store.Session(worker), cl.Target))
	}
	for i := range sets {
		if cl.Client != nil && !p.SharedData && i != *cl.Client {
			continue
		}
		for _, set := range p.sets {
			c := &cleaner{bucket: cl.Store.Bucket(), sessions: sessions, keys: p.keys(set, i), show: show, failures: f}
			if p.RunID != "" && c.keys.Dir(0) != c.keys.Root() { // else they are found with the claims
				c.probes = lastPart(c.keys.Claims()) + p.RunID + "."
			}
			c.mine = func(i uint64) bool { return !p.SharedData || cl.Client == nil || i%clients == *cl.Client }
			list = append(list, c)
		}
	}
	return list
}

// show calls Show for one of several threads.
func (cl *Cleanup) show(l Leftover) {
	cl.showing.Lock()
	defer cl.showing.Unlock()
	cl.Show(l)
}

// claims reads the claims of a data set. It reports whether the run says in one that it made the bucket, and complains of one
// of another run, whose objects have the same names.
func (cl *Cleanup) claims(ctx context.Context, c *cleaner) (made bool, err error) {
	var foreign string
	err = retryTemporary(ctx, func() error {
		return pages(ctx, c.sessions[0], s3.Listing{Prefix: c.keys.Claims()}, func(e s3.Entry) bool {
			if !cl.own(c, e.Key) {
				foreign = e.Key
				return cl.Force
			}
			made = made || madeBucket(ctx, c.sessions[0], e.Key)
			return true
		})
	})
	switch {
	case s3.NoBucket(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look for claims of the run: %w", err)
	case foreign != "" && !cl.Force:
		return false, fmt.Errorf("bucket %q holds the claim of another run with seed %d (%q), whose objects have the same names: it is under way, or was killed; "+
			"clean up with its own recording, or use --force to remove the objects of both", c.bucket.Name(), cl.Plan.Seed, foreign)
	}
	return made, nil
}

// madeBucket reports whether a claim says that its run made the bucket.
func madeBucket(ctx context.Context, sess s3.Session, key string) bool {
	var got bytes.Buffer
	var facts claimFacts
	err := retryTemporary(ctx, func() error {
		got.Reset()
		return s3.Get(ctx, sess, &s3.Call{Size: -1, Key: key, Into: &got})
	})
	return err == nil && json.Unmarshal(got.Bytes(), &facts) == nil && facts.Made
}

// own reports whether a claim is the run's.
func (cl *Cleanup) own(c *cleaner, key string) bool {
	return cl.Plan.RunID != "" && strings.HasPrefix(key, c.keys.Claims()+cl.Plan.RunID+".")
}

// remove removes what there is of one data set, and gives the number of claims among it.
func (cl *Cleanup) remove(ctx context.Context, c *cleaner) (claims uint64) {
	c.sweep(ctx)
	c.abort(ctx)
	if cl.Client != nil && cl.Plan.SharedData {
		return 0 // it holds for the others as well
	}
	c = c.uncounted()
	if cl.Show != nil {
		c.show = func(l Leftover) {
			l.Kind = LeftClaim
			cl.show(l)
		}
	}
	c.sweepPrefix(ctx, c.sessions[0], c.keys.Claims(), c.versions, func(key string) bool { return cl.Force || cl.own(c, key) })
	return c.objects.Load()
}
