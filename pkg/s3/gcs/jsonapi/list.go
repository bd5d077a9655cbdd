package jsonapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"

	"warp/pkg/s3"
	"warp/pkg/s3/gcs"
	"warp/pkg/s3/ops"
)

// maxPageText is the longest page that is read: some 4 KiB for each object.
const maxPageText = 8 << 20

// pages is memory for pages.
var pages = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// List reads one page of a listing. Unfinished uploads cannot be listed: there are none.
func (d *Dialect) List(ctx context.Context, s s3.Session, c *s3.Call, l *ops.Listing) error {
	switch {
	case l.First:
		return d.Lacking(s3.ListFirst)
	case l.Metadata:
		return d.Lacking(s3.ListedMetadata)
	case l.Uploads:
		c.Response = s3.Response{Got: c.Got[:0]}
		clearPage(l)
		return nil
	}
	c.BeginKey("", http.MethodGet, s3.NoAccess)
	c.Path = d.bucketOf(s, c).list
	c.SetQuery("prefix", l.Prefix)
	if l.Flat {
		c.SetQuery("delimiter", "/")
	} else {
		c.SetQuery("delimiter", l.Delimiter)
	}
	if l.MaxKeys > 0 {
		c.SetQuery("maxResults", strconv.Itoa(l.MaxKeys))
	}
	c.SetQuery("pageToken", l.Token)
	c.SetQuery("startOffset", l.StartAfter)
	fields := "items(name,size),prefixes,nextPageToken"
	if l.All || l.ETags {
		fields = "items(name,size,generation),prefixes,nextPageToken"
	}
	if l.All {
		c.SetQuery("versions", "true")
	}
	c.SetQuery("fields", fields)
	c.Parse = func(r io.Reader) error { return readPage(r, l, c.Status) }
	return s.Do(ctx, c)
}

func clearPage(l *ops.Listing) {
	l.Entries, l.Next, l.RolledUp, l.Described = l.Entries[:0], "", 0, 0
}

// readPage reads a page. It may be empty and not be the last one.
func readPage(r io.Reader, l *ops.Listing, status int) error {
	clearPage(l)
	b := pages.Get().(*bytes.Buffer) //nolint:forcetypeassert // nothing else is in it
	defer pages.Put(b)
	b.Reset()
	if _, err := b.ReadFrom(io.LimitReader(r, maxPageText+1)); err != nil {
		return err
	}
	if b.Len() > maxPageText {
		return s3.Errorf(s3.ClassBadResponse, status, "a page of more than %d MiB", maxPageText>>20)
	}
	if err := parsePage(b.Bytes(), l); err != nil {
		return ops.BadResponse("listing", err)
	}
	if err := l.Check(gcs.MaxPage, status); err != nil {
		return err
	}
	if l.Next != "" && l.Next == l.Token {
		return ops.BadResponse("listing", errors.New("the next page would be this one again"))
	}
	return nil
}

func parsePage(text []byte, l *ops.Listing) error {
	var errs []error
	note := func(err error) {
		if err != nil && len(errs) == 0 {
			errs = append(errs, err)
		}
	}
	note(members(text, func(name, value []byte) {
		switch string(name) {
		case "items":
			note(elements(value, func(_, item []byte) { note(addEntry(l, item)) }))
		case "prefixes":
			note(elements(value, func(_, _ []byte) { l.RolledUp++ }))
		case "nextPageToken":
			token, err := plain(value)
			l.Next = string(token)
			note(err)
		}
	}))
	return errors.Join(errs...)
}

// addEntry adds an object to a page.
func addEntry(l *ops.Listing, item []byte) (err error) {
	var e ops.Entry
	wrong := members(item, func(name, value []byte) {
		if err != nil {
			return
		}
		var text []byte
		switch string(name) {
		case "name":
			text, err = plain(value)
			e.Key = string(text)
		case "size":
			e.Size, err = number(value)
		case "generation":
			if !l.All && !l.ETags {
				return
			}
			text, err = plain(value)
			generation := string(text)
			if l.All {
				e.Version = generation
			}
			if l.ETags {
				e.ETag = generation
			}
		}
	})
	if err == nil {
		err = wrong
	}
	if err == nil && e.Key == "" {
		err = errors.New("an object without a name")
	}
	// The listing begins with the key that it is to begin after, if there is such an object.
	if err == nil && (l.StartAfter == "" || e.Key != l.StartAfter) && len(l.Entries) <= gcs.MaxPage { // with one more it is wrong
		l.Entries = append(l.Entries, e)
	}
	return err
}
