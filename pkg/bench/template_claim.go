package bench

import (
	"context"
	"fmt"
	"strings"

	"warp/pkg/generator"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// The key of a template does not prove who made an object. So a run must first find that none of its keys is in use: by an object, a
// version, a delete marker or an unfinished upload. From then on its claim reserves the keys until the objects are removed, since other
// runs with templates look for it.

// searchTemplate looks for anything with a key of the template, and for claims of other runs on such keys.
func (c *claims) searchTemplate(ctx context.Context, i int) error {
	set, overwrite := c.sets[i], c.plan.sets[i].spec.OverwriteKept
	sess, form := c.session(0), set.Keys.KeyForm()
	check := func(key string) error {
		switch index, ours := set.Keys.InBucket(c.number).Index(key); {
		case ours && !c.mayOverwrite(set, index):
			return &takenError{key: key}
		case ours || !generator.IsTemplateClaim(key) || c.ofRun(key):
			return nil
		}
		claim := c.read(ctx, key)
		if claim == nil || claim.err == nil && (overwrite && claim.State == claimKept || !generator.FormsOverlap(form, claim.Keys)) {
			return nil
		}
		return &takenError{key: key, claim: claim}
	}
	for _, prefix := range set.Keys.TemplateClaims() {
		if err := searchAll(ctx, sess, ops.Listing{Prefix: prefix}, check); err != nil && !refused(err) {
			return err
		}
	}
	for _, place := range set.Keys.Places() {
		err := searchAll(ctx, sess, ops.Listing{Prefix: place, All: true}, check)
		if refused(err) || s3.Unsupported(err) { // some servers and credentials do not list versions
			err = searchAll(ctx, sess, ops.Listing{Prefix: place}, check)
		}
		if err != nil {
			return err
		}
		err = c.bucket.Uploads(ctx, place, func(u ops.Upload) error { return check(u.Key) })
		if err != nil && !refused(err) && !s3.Unsupported(err) {
			return err
		}
	}
	return nil
}

// ofRun reports whether a claim on keys of a template is this run's.
func (c *claims) ofRun(key string) bool {
	for _, set := range c.sets {
		if strings.HasPrefix(key, c.prefix(set)) {
			return true
		}
	}
	return false
}

// searchAll lists at most searchPages pages. It returns the first error of check, or an error if there are more.
func searchAll(ctx context.Context, sess s3.Session, l ops.Listing, check func(key string) error) error {
	more, err := eachKey(ctx, sess, l, check)
	if !more {
		return err
	}
	const text = "there are more than %d pages of objects below %q, so that it is not known whether names of --keys are in use; " +
		"use a --prefix with fewer objects"
	return fmt.Errorf(text, searchPages, l.Prefix)
}
