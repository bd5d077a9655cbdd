package azure

import (
	"encoding/base64"
	"encoding/xml"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// maxPage is the largest page of a listing.
const maxPage = 5000

type listedName struct {
	Encoded string `xml:",attr,omitempty"`
	Text    string `xml:",chardata"`
}

type properties struct {
	LastModified  string `xml:"Last-Modified,omitempty"`
	ETag          string `xml:"Etag,omitempty"`
	ContentLength int64  `xml:"Content-Length"`
	ContentType   string `xml:"Content-Type,omitempty"`
	ContentMD5    string `xml:"Content-MD5,omitempty"`
	BlobType      string
	AccessTier    string `xml:",omitempty"`
	ResourceType  string `xml:",omitempty"`
}

type listedBlob struct {
	Name             listedName
	Deleted          bool   `xml:",omitempty"`
	Snapshot         string `xml:",omitempty"`
	VersionID        string `xml:"VersionId,omitempty"`
	IsCurrentVersion bool   `xml:",omitempty"`
	Properties       properties
	Metadata         *metadata `xml:",omitempty"`
}

// metadata are elements that are named as what they describe.
type metadata struct{ all map[string]string }

// MarshalXML writes an element for each.
func (m *metadata) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	err := e.EncodeToken(start)
	for _, name := range slices.Sorted(maps.Keys(m.all)) {
		if err == nil {
			err = e.EncodeElement(m.all[name], xml.StartElement{Name: xml.Name{Local: name}})
		}
	}
	if err != nil {
		return err
	}
	return e.EncodeToken(start.End())
}

type blobPrefix struct{ Name listedName }

type enumeration struct {
	XMLName    xml.Name `xml:"EnumerationResults"`
	Prefix     string
	MaxResults int
	Blobs      struct {
		Blob       []listedBlob
		BlobPrefix []blobPrefix
	}
	NextMarker string
}

// nameOf is a name as a listing has it: escaped, if XML cannot hold it.
func nameOf(text string) listedName {
	odd := func(r rune) bool { return r < ' ' || r == '\ufffe' || r == '\uffff' }
	if strings.ContainsFunc(text, odd) {
		return listedName{Encoded: "true", Text: url.PathEscape(text)}
	}
	return listedName{Text: text}
}

// lister is a page of a listing in the making.
type lister struct {
	*enumeration
	include   []string
	delimiter string
	limit     int
	directory bool   // the account has directories
	only      string // of it: files, directories; empty: both
}

// list lists blobs. The marker says where a page begins, and whether it was preceded by an empty one.
func (s *Store) list(q *request, c *container) response {
	a := enumeration{Prefix: q.query.Get("prefix"), MaxResults: maxPage}
	if text := q.query.Get("maxresults"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fails(http.StatusBadRequest, "OutOfRangeQueryParameterValue")
		}
		a.MaxResults = min(n, maxPage)
	}
	l := lister{
		enumeration: &a, include: strings.Split(q.query.Get("include"), ","), delimiter: q.query.Get("delimiter"), limit: a.MaxResults,
		directory: s.Directories, only: q.query.Get("showonly"),
	}
	if l.directory && l.delimiter != "" && l.delimiter != "/" {
		return fails(http.StatusBadRequest, "InvalidQueryParameterValue")
	}
	marker, err := base64.StdEncoding.DecodeString(q.query.Get("marker"))
	turn, from, _ := strings.Cut(string(marker), " ")
	if err != nil || len(marker) > 0 && turn != "empty" && turn != "full" {
		return fails(http.StatusBadRequest, "OutOfRangeQueryParameterValue")
	}
	if s.EmptyPages && turn != "empty" {
		a.NextMarker = base64.StdEncoding.EncodeToString([]byte("empty " + from))
		return response{status: http.StatusOK, document: document(a)}
	}
	if next, more := l.fill(c, from); more {
		a.NextMarker = base64.StdEncoding.EncodeToString([]byte("full " + next))
	}
	return response{status: http.StatusOK, document: document(a)}
}

// fill fills the page from a name on, and returns where the next one begins. All there is of a name is on one page.
func (l *lister) fill(c *container, from string) (next string, more bool) {
	for _, key := range slices.Sorted(maps.Keys(c.names)) {
		if key < from || !strings.HasPrefix(key, l.Prefix) {
			continue
		}
		rest := key[len(l.Prefix):]
		head, _, below := strings.Cut(rest, l.delimiter)
		var entries []listedBlob
		switch prefix := l.Prefix + head + l.delimiter; {
		case l.delimiter != "" && (below || l.directory && c.names[key].isDirectory()):
			if i := len(l.Blobs.BlobPrefix); i > 0 && l.Blobs.BlobPrefix[i-1].Name == nameOf(prefix) {
				continue
			}
			if len(l.Blobs.Blob)+len(l.Blobs.BlobPrefix) >= l.limit {
				return key, true
			}
			l.Blobs.BlobPrefix = append(l.Blobs.BlobPrefix, blobPrefix{nameOf(prefix)})
			continue
		default:
			entries = l.entries(key, c.names[key])
		}
		if len(entries) > 0 && len(l.Blobs.Blob)+len(l.Blobs.BlobPrefix) >= l.limit {
			return key, true
		}
		l.Blobs.Blob = append(l.Blobs.Blob, entries...)
	}
	return "", false
}

func (n *name) isDirectory() bool { return n.current != nil && n.current.directory }

// entries are what a page says of a name.
func (l *lister) entries(key string, n *name) (all []listedBlob) {
	add := func(b *blob, change func(*listedBlob)) {
		e := listedBlob{Name: nameOf(key), VersionID: b.version, Snapshot: b.snapshot, Properties: properties{
			ETag: strings.Trim(b.etag, `"`), ContentLength: b.size, ContentType: b.described["content-type"],
			ContentMD5: b.described["content-md5"], BlobType: b.kind, LastModified: b.modified.UTC().Format(http.TimeFormat), AccessTier: "Hot",
		}}
		if tier := b.described["x-ms-access-tier"]; tier != "" {
			e.Properties.AccessTier = tier
		}
		if slices.Contains(l.include, "metadata") {
			e.Metadata = b.metadata()
		}
		if change != nil {
			change(&e)
		}
		all = append(all, e)
	}
	if slices.Contains(l.include, "snapshots") {
		for _, b := range n.snapshots {
			add(b, nil)
		}
	}
	if slices.Contains(l.include, "versions") {
		for _, b := range n.versions {
			add(b, nil)
		}
	}
	if slices.Contains(l.include, "deleted") {
		for _, b := range n.deleted {
			add(b, func(e *listedBlob) { e.Deleted = true })
		}
	}
	switch b := n.current; {
	case b == nil && len(n.blocks) > 0 && slices.Contains(l.include, "uncommittedblobs"):
		all = append(all, listedBlob{Name: nameOf(key), Properties: properties{BlobType: blockBlob}})
	case b == nil, l.directory && (b.directory && l.only == "files" || !b.directory && l.only == "directories"):
	case b.directory:
		add(b, func(e *listedBlob) { e.Properties.ResourceType = "directory" })
	default:
		add(b, func(e *listedBlob) { e.IsCurrentVersion = b.version != "" })
	}
	return all
}

// metadata is what a listing says of the description of a blob.
func (b *blob) metadata() *metadata {
	m := metadata{map[string]string{}}
	for name, value := range b.described {
		if key, ok := strings.CutPrefix(name, "x-ms-meta-"); ok {
			m.all[key] = value
		}
	}
	if b.directory {
		m.all["hdi_isfolder"] = "true"
	}
	return &m
}
