package s3

import (
	"fmt"
	"strings"
)

// checkPage makes sure that a page of a listing can be one of what was asked for: of a prefix, each object once.
func checkPage(c *Call) *Error {
	if n := len(c.Entries); n > MaxEntries {
		return errListing(c.Status, fmt.Sprintf("a page of %d entries, S3 gives at most %d", n, MaxEntries))
	}
	sorted := true
	for i := range c.Entries {
		key := c.Entries[i].Key
		if !strings.HasPrefix(key, c.Prefix) {
			return errForeign(key, c.Prefix, c.Status)
		}
		sorted = sorted && (i == 0 || c.Entries[i-1].Key < key)
	}
	if sorted || c.All { // versions of an object have one key
		return nil
	}
	seen := make(map[string]bool, len(c.Entries)) // some servers do not sort
	for _, e := range c.Entries {
		if seen[e.Key] {
			return errListing(c.Status, fmt.Sprintf("%q is listed twice", e.Key))
		}
		seen[e.Key] = true
	}
	return nil
}

func errForeign(key, prefix string, status int) *Error {
	return errListing(status, fmt.Sprintf("%q is not below %q", key, prefix))
}

func errListing(status int, message string) *Error {
	return &Error{Class: classWrongList, Status: status, Message: oneLine(message)}
}

// checkFailed makes sure that the objects that a multi-delete says it did not delete are some of those that it was to
// delete, each once.
func checkFailed(c *Call) *Error {
	asked := make(map[string]int, len(c.Objects))
	for _, o := range c.Objects {
		asked[o.Key]++
	}
	for _, f := range c.Failed {
		if asked[f.Key]--; asked[f.Key] < 0 {
			return &Error{
				Class: classBadAnswer, Status: c.Status, Err: f.Err,
				Message: oneLine(fmt.Sprintf("an error about %q, which was not to be deleted, or not so often: %v", f.Key, f.Err)),
			}
		}
	}
	return nil
}
