package ops

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"warp/pkg/s3"
)

// Entry is one line of a listing.
type Entry struct {
	Key     string
	Version string // only with Listing.All; with Listing.Uploads: the id of the upload
	Size    int64
	Marker  bool   // a delete marker
	ETag    string // only with Listing.ETags
}

// Listing is what is to be listed, and a page of it. It is kept from one page to the next: it notices when they go round in circles.
type Listing struct {
	Prefix     string
	Token      string // continue here, with the Next of the page before; empty: from the beginning
	Flat       bool   // entries below the next "/" are not listed
	Delimiter  string // keys that have it after the prefix are rolled up; not with Flat
	StartAfter string // only keys after this one
	All        bool   // all versions and delete markers, not just current objects
	Uploads    bool   // unfinished multipart uploads, not objects
	First      bool   // by version 1 of the request (ListObjects)
	Metadata   bool   // with the metadata of each object, an extension of MinIO
	Owners     bool   // with the owner of each object; other requests than version 2 always have it
	ETags      bool   // entries have their ETags
	MaxKeys    int    // entries asked for in one page; 0: the server's default

	Entries   []Entry
	RolledUp  int    // prefixes that stand for keys with the delimiter
	Described int    // entries with metadata
	Next      string // where the next page begins; empty: this was the last one

	pages paging
}

// Reset clears a Listing for its next use; it keeps its memory.
func (l *Listing) Reset() { *l = Listing{Entries: l.Entries[:0]} }

// markers separates the two markers in the token of a listing of versions or uploads. A key may hold it, an id may not.
const markers = "\x00"

// uploadsRoot is the root of a listing of uploads.
const uploadsRoot = "ListMultipartUploadsResult"

// List reads one page of a listing.
func (S3) List(ctx context.Context, s s3.Session, c *s3.Call, l *Listing) error {
	c.BeginKey("", http.MethodGet, s3.NoAccess)
	c.Query = append(c.Query, s3.Param{Name: "prefix", Value: l.Prefix}, s3.Param{Name: "encoding-type", Value: "url"})
	if l.Flat {
		c.SetQuery("delimiter", "/")
	} else {
		c.SetQuery("delimiter", l.Delimiter)
	}
	if l.MaxKeys > 0 {
		name := "max-keys"
		if l.Uploads {
			name = "max-uploads"
		}
		c.SetQuery(name, strconv.Itoa(l.MaxKeys))
	}
	switch {
	case l.twoMarkers():
		key, id := cmp.Or(l.Token, l.StartAfter), ""
		if i := strings.LastIndex(key, markers); i >= 0 {
			key, id = key[:i], key[i+len(markers):]
		}
		what, idMarker := "versions", "version-id-marker"
		if l.Uploads {
			what, idMarker = "uploads", "upload-id-marker"
		}
		c.Query = append(c.Query, s3.Param{Name: what})
		c.SetQuery("key-marker", key)
		c.SetQuery(idMarker, id)
	case l.First:
		c.SetQuery("marker", cmp.Or(l.Token, l.StartAfter))
	default:
		c.SetQuery("list-type", "2")
		c.SetQuery("continuation-token", l.Token)
		if l.Token == "" {
			c.SetQuery("start-after", l.StartAfter)
		}
		if l.Metadata {
			c.SetQuery("metadata", "true")
		}
		if l.Owners {
			c.SetQuery("fetch-owner", "true")
		}
	}
	c.Parse = func(r io.Reader) error { return l.read(r, c.Status, c.WiderPrefix) }
	return s.Do(ctx, c)
}

// twoMarkers reports whether a key can have several entries, so that pages begin at a key and an id.
func (l *Listing) twoMarkers() bool { return l.All || l.Uploads }

// page gathers the parts of a page of a listing.
type page struct {
	*Listing
	wider                              bool // the server was sent a shorter prefix
	entry                              Entry
	truncated                          bool
	token, keyMarker, idMarker, encode string
	marker                             string // of version 1
	prefix, lastPrefix                 string // rolled up
}

func (l *page) element(e Element) {
	switch e.Parent {
	case "Contents", "Version", "DeleteMarker", "Upload":
		switch e.Name {
		case "Key":
			l.entry.Key = string(e.Text)
		case "VersionId", "UploadId":
			l.entry.Version = string(e.Text)
		case "ETag":
			if l.ETags {
				l.entry.ETag = string(e.Text)
			}
		case "Size":
			l.entry.Size, _ = strconv.ParseInt(strings.TrimSpace(string(e.Text)), 10, 64) // a marker has none
		case "UserMetadata":
			l.Described++
		}
	case "CommonPrefixes":
		l.prefix = string(e.Text)
	case "ListBucketResult", "ListVersionsResult", uploadsRoot:
		switch e.Name {
		case "Contents", "Version", "DeleteMarker", "Upload":
			l.entry.Marker = e.Name == "DeleteMarker"
			if len(l.Entries) <= MaxEntries { // with one more it is wrong
				l.Entries = append(l.Entries, l.entry)
			}
			l.entry = Entry{}
		case "CommonPrefixes":
			if name, err := url.QueryUnescape(l.prefix); !l.wider || err == nil && strings.HasPrefix(name, l.Prefix) {
				l.RolledUp++
			}
			l.lastPrefix = l.prefix
		case "NextMarker":
			l.marker = string(e.Text)
		case "IsTruncated":
			l.truncated = strings.EqualFold(strings.TrimSpace(string(e.Text)), "true")
		case "NextContinuationToken":
			l.token = string(e.Text)
		case "NextKeyMarker":
			l.keyMarker = string(e.Text)
		case "NextVersionIdMarker", "NextUploadIdMarker":
			l.idMarker = string(e.Text)
		case "EncodingType":
			l.encode = string(e.Text)
		}
	}
}

// read reads a page into l.Entries and l.Next. Prefixes that were rolled up (Listing.Flat) are left out. KeyCount is not looked
// at: servers count differently.
func (l *Listing) read(r io.Reader, status int, wider bool) error {
	l.Entries, l.Next, l.RolledUp, l.Described = l.Entries[:0], "", 0, 0
	p := page{Listing: l, wider: wider}
	root, err := WalkXML(r, p.element)
	if err != nil {
		return BadResponse(root, err)
	}
	if l.Uploads != (root == uploadsRoot) || !l.Uploads && root != "ListBucketResult" && root != "ListVersionsResult" {
		return BadResponse(root, errors.New("not a listing"))
	}
	if strings.EqualFold(p.encode, "url") {
		if err := p.unescape(); err != nil {
			return BadResponse(root, err)
		}
	}
	if wider {
		l.Entries = slices.DeleteFunc(l.Entries, func(e Entry) bool { return !strings.HasPrefix(e.Key, l.Prefix) })
	}
	if err := l.Check(MaxEntries, status); err != nil {
		return err
	}
	if !p.truncated {
		return nil
	}
	next := p.next()
	if next == "" {
		return BadResponse(root, errors.New("the server says that there is more, but not where"))
	}
	if next == l.Token {
		return BadResponse(root, errors.New("the next page would be this one again"))
	}
	l.Next = next
	return nil
}

// next returns where the next page begins, which some servers leave to the client.
func (l *page) next() string {
	var last Entry
	if n := len(l.Entries); n > 0 {
		last = l.Entries[n-1]
	}
	switch {
	case l.twoMarkers() && l.keyMarker != "":
		return l.keyMarker + markers + l.idMarker
	case l.twoMarkers() && last.Key != "":
		return last.Key + markers + last.Version
	case l.First:
		return cmp.Or(l.marker, max(last.Key, l.lastPrefix))
	}
	return l.token
}

// unescape decodes keys that the server escaped because it was asked to (encoding-type=url).
func (l *page) unescape() error {
	var err error
	for i := range l.Entries {
		e := &l.Entries[i]
		if e.Key, err = url.QueryUnescape(e.Key); err != nil {
			return err
		}
	}
	for _, text := range []*string{&l.keyMarker, &l.marker, &l.lastPrefix} {
		if *text, err = url.QueryUnescape(*text); err != nil {
			return err
		}
	}
	return nil
}

// Check makes sure that a page can be one of what was asked for: of a prefix, each object once, and no more than a store lists.
func (l *Listing) Check(most, status int) error {
	if n := len(l.Entries); n > most {
		return s3.Errorf(s3.ClassWrongList, status, "a page of %d entries, S3 gives at most %d", n, most)
	}
	sorted := true
	for i := range l.Entries {
		key := l.Entries[i].Key
		if !strings.HasPrefix(key, l.Prefix) {
			return s3.Errorf(s3.ClassWrongList, status, "%q is not below %q", key, l.Prefix)
		}
		if key <= l.StartAfter && l.StartAfter != "" {
			return s3.Errorf(s3.ClassWrongList, status, "%q is not after %q", key, l.StartAfter)
		}
		sorted = sorted && (i == 0 || l.Entries[i-1].Key < key)
	}
	if sorted || l.twoMarkers() {
		return nil
	}
	seen := make(map[string]bool, len(l.Entries)) // some servers do not sort
	for _, e := range l.Entries {
		if seen[e.Key] {
			return s3.Errorf(s3.ClassWrongList, status, "%q is listed twice", e.Key)
		}
		seen[e.Key] = true
	}
	return nil
}

// paging notices when the pages of a listing go round in circles, however long the circle is. It remembers one token, and
// takes a later one instead after twice as many pages each time (Brent's way), so it needs no memory for each page.
type paging struct {
	next       string // token of the page that is to be asked for
	remembered string
	pages, at  int // since the remembered one, and when to take another
}

// check looks at the token for the next page that the one with this token gave.
func (p *paging) check(token, next string, status int) error {
	if token == "" || token != p.next {
		*p = paging{}
	}
	if p.repeats(next) {
		return s3.Errorf(s3.ClassBadResponse, status, "the listing has no end: its pages repeat")
	}
	return nil
}

// repeats reports whether the page with this token has been listed before. The token is empty after the last page.
func (p *paging) repeats(next string) bool {
	p.next = next
	if next == "" {
		return false
	}
	if next == p.remembered {
		return true
	}
	if p.pages++; p.pages >= p.at {
		p.remembered, p.pages, p.at = next, 0, max(1, 2*p.at)
	}
	return false
}
