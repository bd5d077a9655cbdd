package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench/dataset"
)

// A run that keeps objects whose names prove nothing states so in its claim, as its last request. With Spec.OverwriteKept, a later run may
// overwrite these objects, and no others: from then on its claim stands for them too.

// noteKept reports whether a run that may overwrite kept objects can ignore another run's claim, and notes its objects if they have the
// names of this run's. Other kept objects are found by themselves.
func (c *claims) noteKept(set *dataset.DataSet, claim *foreignClaim) bool {
	if claim.err != nil || claim.State != claimKept {
		return false
	}
	if claim.Names != namesOf(set) {
		return true
	}
	kept := c.earlier[set]
	if kept == nil {
		kept = &keptObjects{}
		c.earlier[set] = kept
	}
	kept.claims = append(kept.claims, claim.key)
	kept.end, kept.made = max(kept.end, claim.Objects), kept.made || claim.Made
	return true
}

// mayOverwrite reports whether an earlier run kept object i.
func (c *claims) mayOverwrite(set *dataset.DataSet, i uint64) bool {
	kept := c.earlier[set]
	return kept != nil && i < kept.end
}

// replaceKept removes the claims of earlier runs that kept their objects. If it fails, they stay, and later runs find them.
func (c *claims) replaceKept(ctx context.Context) {
	for _, set := range c.sets {
		kept := c.earlier[set]
		if kept == nil || c.keys[set] == "" {
			continue
		}
		kept.ours = true
		rm := newRemover(c.bucket, c.threads, c.session, nil)
		rm.detectVersions(ctx, set.Keys.Claims(), set.HasVersions())
		rm.sweepPrefix(ctx, rm.sessions[0], leftClaim, set.Keys.Claims(), rm.versions, func(key string) bool {
			return slices.Contains(kept.claims, key)
		})
	}
}

// stays reports whether the claim on a data set stays, because its objects do.
func (c *claims) stays(i int) bool {
	set := c.sets[i]
	if set.Keys.KeyForm() == "" {
		return false
	}
	kept := c.earlier[set]
	return c.stay && c.plan.sets[i].keep || kept != nil && kept.ours && kept.end > c.end(i)
}

// end returns an index that is higher than the index of any object of the run.
func (c *claims) end(i int) uint64 {
	set := c.sets[i]
	if names := c.plan.sets[i].names; names > 0 {
		return min(names, set.Used()*set.Part.Total)
	}
	return set.Used() * set.Part.Total
}

// markKept states in the claim on a data set that the run has ended and kept its objects. With --force it removes the claims of other
// runs. If a client was lost, it may not have ended.
func (c *claims) markKept(ctx context.Context, rm *remover, i int, lost bool) {
	set := c.sets[i]
	key := c.keys[set]
	if key == "" || lost {
		return
	}
	facts := c.facts(set)
	facts.State, facts.Objects = claimKept, c.end(i)
	if kept := c.earlier[set]; kept != nil {
		facts.Objects, facts.Made = max(facts.Objects, kept.end), facts.Made || kept.made
	}
	if err := rm.retry(ctx, func() (bool, error) { return false, c.put(ctx, set, facts) }); err != nil {
		rm.add(&rm.kept.claims, 1, fmt.Errorf("put %q: %w", key, err))
		return
	}
	if c.plan.Force {
		rm.sweepPrefix(ctx, rm.sessions[0], leftClaim, set.Keys.Claims(), rm.versions, func(other string) bool { return other != key })
	}
}

// describe turns the error of a search for objects and claims on the names of a data set into one for people.
func (c *claims) describe(i int, err error) error {
	if err == nil {
		return nil
	}
	template := c.sets[i].Keys.KeyForm() != ""
	seed, names := fmt.Sprintf(" with seed %d", c.plan.Seed), "use another --seed or prefix"
	if template {
		seed, names = "", "use other keys or another prefix"
	}
	taken := new(takenError)
	switch {
	case errors.As(err, &taken) && taken.claim != nil:
		return fmt.Errorf("bucket %q holds the claim of %s", c.bucket.Name(), taken.claim.describe(c.begun, seed, names))
	case template:
		return fmt.Errorf("bucket %q: %w: an object, version or upload whose name --keys can make; %s, or --force to overwrite and delete it",
			c.bucket.Name(), err, names)
	case c.keys[c.sets[i]] == "":
		return fmt.Errorf("bucket %q already holds objects of a run%s: it is under way, or kept its data; %s, "+
			"or --force to overwrite and delete them", c.bucket.Name(), seed, names)
	}
	return fmt.Errorf("bucket %q already holds objects of a run%s, which kept its data; %s, remove them (warp clean RECORDING), "+
		"or use --overwrite-kept to overwrite them", c.bucket.Name(), seed, names)
}

// describe describes the claim to a run that began at a time. seed follows the word run, and names says how to get other names.
func (f *foreignClaim) describe(begun time.Time, seed, names string) string {
	const remove = "remove what it left (warp clean RECORDING), or use --force to overwrite and delete its objects"
	switch status := f.status(begun); {
	case f.err == nil && f.State == claimKept:
		return fmt.Sprintf("an earlier run%s (%q), which kept its objects; use --overwrite-kept to overwrite them, %s, "+
			"or remove them (warp clean RECORDING)", seed, f.key, names)
	case f.err == nil && f.over(clock.Now()):
		return fmt.Sprintf("another run%s (%q): %s; %s, %s", seed, f.key, status, names, remove)
	default:
		return fmt.Sprintf("another run%s (%q): %s; wait, %s, or if it was killed, %s", seed, f.key, status, names, remove)
	}
}
