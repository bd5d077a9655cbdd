package flags

import (
	"fmt"
	"time"

	"warp/internal/clock"
	"warp/internal/option"
	"warp/pkg/s3"
	"warp/pkg/s3/target"
	"warp/pkg/units"
)

// setStore sets the kind of store, by --store or the host.
func (t *Target) setStore(c *s3.Config) error {
	switch t.store {
	case "", "auto":
		switch {
		case target.IsAzure(t.Host):
			c.Store = s3.StoreAzure
		case target.IsGoogle(t.Host) && t.googleKind() == s3.StoreGCS:
			c.Store = s3.StoreGCS
		}
	case s3.StoreS3, s3.StoreGCS, s3.StoreAzure:
		kind := t.store
		switch {
		case target.HasGoogleScheme(t.Host):
			kind = s3.StoreGCS
		case target.HasAzureScheme(t.Host):
			kind = s3.StoreAzure
		}
		if kind != t.store {
			return option.Invalid("store", t.store, fmt.Sprintf("%s, which --host=%s names", kind, t.Host))
		}
		if t.store != s3.StoreS3 {
			c.Store = t.store
		}
	default:
		return option.OneOf("store", t.store, s3.Stores...)
	}
	if c.Store == "" && t.Host != "" && target.IsGoogle(t.Host) {
		t.env.Notice("Google ignores conditions in S3's dialect, without a word; --store=gcs honours them.")
	}
	return nil
}

// storeOf returns the store that is named, with hosts as stores of all kinds have them.
func (t *Target) storeOf(c *s3.Config) (target.Endpoint, error) {
	found, err := t.named()
	switch {
	case err != nil:
	case c.Store == s3.StoreAzure:
		found.URL, err = t.azureHosts(c, found.URL)
	case c.Store == s3.StoreGCS:
		found.URL, err = t.googleHosts(c, found.URL)
	}
	return found, err
}

// hostOfFile is the error of a token that would go where a file says. The files of strangers must not have it sent to them.
func hostOfFile(flags, token string) error {
	return option.Errorf(flags, "%s would go to a host that the file names; use --host for that host if this is what you want", token)
}

// StoreReason says what the kind of store follows from.
func (t *Target) StoreReason() string {
	if t.store == "" || t.store == "auto" {
		return "by --host"
	}
	return "by --store"
}

// Ends returns the line about credentials that end before a run does; empty if they do not. Clients cannot renew them.
func Ends(c *s3.Config, length time.Duration, clients bool) string {
	left := c.KeysEnd.Sub(clock.Wall())
	if c.KeysEnd.IsZero() || c.Provider != nil && !clients || left > length {
		return ""
	}
	text := fmt.Sprintf("The credentials (%s) end on %s, before the run, which takes %s, does",
		c.KeySource, c.KeysEnd.UTC().Format("2 January 2006, 15:04 MST"), units.Duration(length))
	if c.Provider != nil {
		text += "; clients cannot renew them"
	}
	return text + "."
}
