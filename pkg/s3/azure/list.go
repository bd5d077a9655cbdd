package azure

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// List reads one page of a listing.
func (d *Dialect) List(ctx context.Context, s s3.Session, c *s3.Call, l *ops.Listing) error {
	switch {
	case l.StartAfter != "":
		return d.lacking(s3.StartAfter)
	case l.First:
		return d.lacking(s3.ListFirst)
	case l.All && d.account.directories.Load():
		return d.lacking(s3.Versions)
	case l.Delimiter != "" && l.Delimiter != "/" && d.account.directories.Load():
		return s3.Errorf(s3.ClassBadRequest, 0, "%s has no delimiter but / in accounts with a hierarchical namespace", title)
	}
	beginList(c, l.Prefix, l.MaxKeys, l.Token)
	if l.Flat {
		c.SetQuery("delimiter", "/")
	} else {
		c.SetQuery("delimiter", l.Delimiter)
	}
	if !l.Flat && l.Delimiter == "" && !l.Uploads && d.account.directories.Load() {
		c.SetQuery("showonly", "files")
	}
	var include []string
	for _, one := range []struct {
		name string
		set  bool
	}{{"metadata", l.Metadata}, {"uncommittedblobs", l.Uploads}, {"versions", l.All}} {
		if one.set {
			include = append(include, one.name)
		}
	}
	c.SetQuery("include", strings.Join(include, ","))
	c.Parse = func(r io.Reader) error { return readPage(r, l, c.Status) }
	return s.Do(ctx, c)
}

// beginList begins a listing.
func beginList(c *s3.Call, prefix string, entries int, marker string) {
	onContainer(c, http.MethodGet)
	component(c, "list")
	c.SetQuery("prefix", prefix)
	c.SetQuery("marker", marker)
	if entries > 0 {
		c.SetQuery("maxresults", strconv.Itoa(min(entries, maxPage)))
	}
}

// page is a page of a listing as it is read.
type page struct {
	*ops.Listing
	entry     ops.Entry
	directory bool              // the entry is one of a hierarchical namespace
	found     func(name string) // takes directories; nil: nobody does
	committed bool              // the entry is a blob, not just blocks
	err       error             // of a name
}

func (p *page) element(e ops.Element) {
	switch e.Parent {
	case "Blob":
		switch e.Name {
		case "Name":
			p.entry.Key = p.name(e)
		case "VersionId":
			p.entry.Version = string(e.Text)
		case "Metadata":
			p.Described++
		}
	case "Metadata":
		p.directory = p.directory || strings.EqualFold(e.Name, "hdi_isfolder") && string(e.Text) == "true"
	case "Properties":
		switch e.Name {
		case "Content-Length":
			p.entry.Size, _ = strconv.ParseInt(strings.TrimSpace(string(e.Text)), 10, 64) // a directory has none
		case "Etag":
			if p.ETags {
				p.entry.ETag = `"` + strings.Trim(string(e.Text), `"`) + `"`
			}
		case "Content-MD5", "AccessTier":
			p.committed = p.committed || len(e.Text) > 0
		case "ResourceType":
			p.directory = p.directory || string(e.Text) == "directory"
		}
	case "Blobs":
		switch e.Name {
		case "Blob":
			p.add()
		case "BlobPrefix":
			p.RolledUp++
		}
	case "EnumerationResults":
		if e.Name == "NextMarker" {
			p.Next = string(e.Text)
		}
	}
}

// add adds the entry, unless it is not one of what was asked for.
func (p *page) add() {
	entry, skip := p.entry, p.directory || p.Uploads && (p.committed || p.entry.Size > 0)
	if p.directory && p.found != nil {
		p.found(entry.Key)
	}
	p.entry, p.directory, p.committed = ops.Entry{}, false, false
	switch {
	case skip:
		return
	case p.Uploads:
		entry.Version = uploadID
	case !p.All:
		entry.Version = ""
	}
	if len(p.Entries) <= maxPage { // with one more it is wrong
		p.Entries = append(p.Entries, entry)
	}
}

// name is the text of a name, which is escaped where XML cannot hold it.
func (p *page) name(e ops.Element) string {
	text := string(e.Text)
	for _, a := range e.Attributes {
		if a.Name.Local != "Encoded" || a.Value != "true" {
			continue
		}
		plain, err := url.PathUnescape(text)
		if err != nil {
			p.err = err
		}
		return plain
	}
	return text
}

// directoriesIn returns a function that reads a page and calls each for its directories.
func directoriesIn(l *ops.Listing, each func(name string)) func(io.Reader) error {
	return func(r io.Reader) error { return (&page{Listing: l, found: each}).read(r, http.StatusOK) }
}

// readPage reads a page. It may be empty and not be the last one.
func readPage(r io.Reader, l *ops.Listing, status int) error {
	return (&page{Listing: l}).read(r, status)
}

func (p *page) read(r io.Reader, status int) error {
	l := p.Listing
	l.Entries, l.Next, l.RolledUp, l.Described = l.Entries[:0], "", 0, 0
	root, err := ops.WalkXML(r, p.element)
	if err == nil && root != "EnumerationResults" {
		err = errors.New("not a listing")
	}
	if err == nil {
		err = p.err
	}
	if err != nil {
		return ops.BadResponse(root, err)
	}
	if err := l.Check(maxPage, status); err != nil {
		return err
	}
	if l.Next != "" && l.Next == l.Token {
		return ops.BadResponse(root, errors.New("the next page would be this one again"))
	}
	return nil
}

// errNotEmpty is the error of a container that holds something, in the words of S3, which refuses to delete such a bucket.
func errNotEmpty() error {
	e := s3.Errorf("409 ContainerNotEmpty", http.StatusConflict, "the container holds blobs, which would be deleted with it")
	e.Code, e.Judgement = "ContainerNotEmpty", s3.Judged
	return e
}

// checkEmpty returns an error if the container holds anything, unfinished uploads, snapshots and versions too.
func (d *Dialect) checkEmpty(ctx context.Context, s s3.Session, c *s3.Call) error {
	for marker := ""; ; {
		look := s3.Call{Bucket: c.Bucket, Other: c.Other}
		beginList(&look, "", 1, marker)
		look.SetQuery("include", strings.Join([]string{"snapshots", "uncommittedblobs", "versions"}, ","))
		found := false
		marker = ""
		look.Parse = func(r io.Reader) error {
			root, err := ops.WalkXML(r, func(e ops.Element) {
				found = found || slices.Contains([]string{"Blob", "BlobPrefix"}, e.Name)
				if e.Parent == "EnumerationResults" && e.Name == "NextMarker" {
					marker = string(e.Text)
				}
			})
			if err != nil || root != "EnumerationResults" {
				return ops.BadResponse(root, errors.Join(err, errors.New("not a listing")))
			}
			return nil
		}
		err := s.Do(ctx, &look)
		switch {
		case err != nil:
			c.Response = look.Response
			return err
		case found:
			c.Response = look.Response
			return errNotEmpty()
		case marker == "":
			return nil
		}
	}
}
