package ops

import (
	"context"
	"time"

	"warp/pkg/s3"
)

// What was set of an object, as its documents state it. They are read by hand, since they are read on the clock: that costs no memory.

// Modes of locks.
const (
	ModeGovernance = "GOVERNANCE" // who is permitted to may shorten it
	ModeCompliance = "COMPLIANCE"
)

// Lock is a lock of a version.
type Lock struct {
	Mode  string
	Until time.Time
}

// String returns the mode and the end.
func (l Lock) String() string { return l.Mode + " until " + l.Until.UTC().Format(time.RFC3339) }

// getDocument reads a subresource into d, whose root element must have the right name.
func (r *subresource) getDocument(ctx context.Context, s s3.Session, c *s3.Call, d *Document, is func(root []byte) bool) error {
	if err := r.get(ctx, s, c, d.parser()); err != nil {
		return err
	}
	if err := checkDocument(d.text, is); err != nil {
		e := s3.Classify(err)
		e.Status = c.Status
		return e
	}
	return nil
}

func isTagging(root []byte) bool { return string(root) == "Tagging" }

func isRetention(root []byte) bool {
	return string(root) == "Retention" || string(root) == "ObjectLockRetention" // servers differ
}

func isLegalHold(root []byte) bool { return string(root) == "LegalHold" }

// GetTags reads the tags of an object into d; see Tags.
func (S3) GetTags(ctx context.Context, s s3.Session, c *s3.Call, d *Document) error {
	return tagsRead.getDocument(ctx, s, c, d, isTagging)
}

// Tags returns key and value of the first of the tags that GetTags has read, valid until the next request, and their number: -1 if they are
// more than a Document holds.
func (d *Document) Tags() (key, value []byte, n int) {
	if len(d.text) == smallDocument {
		return nil, nil, -1
	}
	for text := d.text; ; n++ {
		k, after, found := textOf(text, "Key")
		if !found {
			return key, value, n
		}
		if n == 0 {
			key = k
			value, _, _ = textOf(d.text, "Value") // it may come before the key
		}
		text = after
	}
}

// GetRetention reads how a version is locked.
func GetRetention(ctx context.Context, s s3.Session, c *s3.Call, d *Document) (l Lock, err error) {
	if err := retentionRead.getDocument(ctx, s, c, d, isRetention); err != nil {
		return l, err
	}
	mode, _, _ := textOf(d.text, "Mode")
	until, _, _ := textOf(d.text, "RetainUntilDate")
	switch string(mode) {
	case ModeGovernance:
		l.Mode = ModeGovernance
	case ModeCompliance:
		l.Mode = ModeCompliance
	default:
		return l, WrongDocument(c, "a lock of mode %q", mode)
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} { // servers differ; all of them mean UTC
		if l.Until, err = time.Parse(layout, string(until)); err == nil {
			return l, nil
		}
	}
	return l, WrongDocument(c, "a lock until %q", until)
}

// GetLegalHold reads whether there is a legal hold on a version.
func GetLegalHold(ctx context.Context, s s3.Session, c *s3.Call, d *Document) (on bool, err error) {
	if err := legalHoldRead.getDocument(ctx, s, c, d, isLegalHold); err != nil {
		return false, err
	}
	switch status, _, _ := textOf(d.text, "Status"); string(status) {
	case statusOn:
		return true, nil
	case statusOff:
		return false, nil
	default:
		return false, WrongDocument(c, "a legal hold that is %q", status)
	}
}

// States of a legal hold.
const (
	statusOn  = "ON"
	statusOff = "OFF"
)
