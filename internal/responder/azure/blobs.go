package azure

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"warp/internal/responder"
)

const (
	blockBlob  = "BlockBlob"
	appendBlob = "AppendBlob"
)

// describing are the headers that an upload describes its blob by, besides its metadata.
var describing = map[string]string{
	"content-type": "content-type", "x-ms-blob-content-type": "content-type", "x-ms-access-tier": "x-ms-access-tier",
	"x-ms-blob-content-md5": "content-md5", "content-md5": "content-md5",
}

// newBlob is a blob as the headers of a request describe it.
func (q *request) newBlob(kind string) *blob {
	b := &blob{kind: kind, described: map[string]string{}}
	for name := range q.header {
		lower := strings.ToLower(name)
		if strings.HasPrefix(lower, "x-ms-meta-") {
			b.described[lower] = q.header.Get(name)
		} else if of := describing[lower]; of != "" && (of != lower || q.query.Get("comp") == "" || strings.HasPrefix(lower, "x-ms-")) {
			b.described[of] = q.header.Get(name)
		}
	}
	tags, _ := url.ParseQuery(q.header.Get("X-Ms-Tags"))
	for key, values := range tags {
		b.tags = append(b.tags, tag{key, values[0]})
	}
	return b
}

// version returns the version that a request names, or the current one; nil if it does not exist.
func (q *request) version(n *name) *blob {
	version, snapshot := q.query.Get("versionid"), q.query.Get("snapshot")
	if version == "" && snapshot == "" {
		return n.current
	}
	for _, b := range slices.Concat(n.versions, n.snapshots, []*blob{n.current}) {
		if b != nil && b.version == version && b.snapshot == snapshot {
			return b
		}
	}
	return nil
}

// onBlob performs requests about a blob as a whole.
func (s *Store) onBlob(q *request, c *container, n *name) response {
	switch q.method {
	case http.MethodGet, http.MethodHead:
		return s.get(q, n)
	case http.MethodDelete:
		return s.delete(q, c, n)
	case http.MethodPut:
		if refusal, refused := q.unmet(n.current); refused {
			return refusal
		}
		if q.header.Get("X-Ms-Copy-Source") != "" {
			return s.copy(q, c, n)
		}
		return s.putBlob(q, c, n)
	}
	return fails(http.StatusMethodNotAllowed, "UnsupportedHttpVerb")
}

func (s *Store) putBlob(q *request, c *container, n *name) response {
	kind := q.header.Get("X-Ms-Blob-Type")
	switch {
	case kind == "":
		return fails(http.StatusBadRequest, "MissingRequiredHeader")
	case kind != blockBlob && kind != appendBlob:
		return fails(http.StatusBadRequest, "InvalidHeaderValue")
	case kind == appendBlob && q.size > 0:
		return fails(http.StatusBadRequest, "InvalidHeaderValue")
	case n.current != nil && n.current.directory:
		return fails(http.StatusConflict, "ResourceTypeMismatch")
	}
	b := q.newBlob(kind)
	if b.size = q.size; q.content != nil {
		b.content = q.content
	}
	s.put(c, q.key, b)
	return made(b)
}

// made is the response to a request that made a blob.
func made(b *blob) response {
	a := response{status: http.StatusCreated, header: http.Header{"Etag": {b.etag}}}
	if b.version != "" {
		a.header.Set("X-Ms-Version-Id", b.version)
	}
	return a
}

func (s *Store) get(q *request, n *name) response {
	b := q.version(n)
	if b == nil {
		return fails(http.StatusNotFound, "BlobNotFound")
	}
	if refusal, refused := q.unmet(b); refused {
		return refusal
	}
	a := response{status: http.StatusOK, contents: b, length: b.size, header: http.Header{
		"Etag": {b.etag}, "Last-Modified": {b.modified.UTC().Format(http.TimeFormat)}, "X-Ms-Blob-Type": {b.kind},
		"Accept-Ranges": {"bytes"}, "Content-Type": {"application/octet-stream"},
	}}
	for name, value := range b.described {
		a.header.Set(name, value)
	}
	if b.directory {
		a.header.Set("X-Ms-Meta-Hdi_isfolder", "true")
	}
	if b.version != "" {
		a.header.Set("X-Ms-Version-Id", b.version)
	}
	if source := b.described["x-ms-copy-source"]; source != "" {
		a.header.Set("X-Ms-Copy-Status", b.copyStatus())
	}
	asked := q.header.Get("X-Ms-Range")
	if asked == "" {
		asked = q.header.Get("Range")
	}
	if asked == "" || q.method == http.MethodHead {
		return a
	}
	var ok bool
	if a.from, a.length, ok = responder.ParseRange(asked, b.size); !ok {
		return fails(http.StatusRequestedRangeNotSatisfiable, "InvalidRange")
	}
	a.status = http.StatusPartialContent
	a.header.Del("Content-Md5")
	a.header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", a.from, a.from+a.length-1, b.size))
	return a
}

func (s *Store) delete(q *request, c *container, n *name) response {
	b, snapshots := q.version(n), q.header.Get("X-Ms-Delete-Snapshots")
	if b == nil {
		return fails(http.StatusNotFound, "BlobNotFound")
	}
	if refusal, refused := q.unmet(b); refused {
		return refusal
	}
	one := func(of *blob) bool { return of == b }
	gone := true
	switch {
	case q.query.Has("versionid") && b == n.current:
		return fails(http.StatusForbidden, "OperationNotAllowedOnRootBlob")
	case q.query.Has("versionid"):
		n.versions = slices.DeleteFunc(n.versions, one)
	case q.query.Has("snapshot"):
		n.snapshots = slices.DeleteFunc(n.snapshots, one)
	case b.directory && c.below(q.key):
		return fails(http.StatusConflict, "DirectoryIsNotEmpty")
	case len(n.snapshots) > 0 && snapshots == "":
		return fails(http.StatusConflict, "SnapshotsPresent")
	case snapshots == "only":
		n.snapshots = nil
	default:
		if s.SoftDelete {
			n.deleted = append(n.deleted, n.snapshots...)
		}
		n.snapshots = nil
		gone = s.retire(n)
	}
	return response{status: http.StatusAccepted, header: http.Header{"X-Ms-Delete-Type-Permanent": {strconv.FormatBool(gone)}}}
}

type tag struct{ Key, Value string }

type tagSet struct {
	XMLName xml.Name `xml:"Tags"`
	Tags    []tag    `xml:"TagSet>Tag"`
}

// tagged reads and replaces the tags of a blob.
func (s *Store) tagged(q *request, n *name) response {
	b := q.version(n)
	switch {
	case s.Directories:
		return fails(http.StatusConflict, "FeatureNotYetSupportedForHierarchicalNamespaceAccounts")
	case b == nil:
		return fails(http.StatusNotFound, "BlobNotFound")
	case q.method == http.MethodGet:
		return response{status: http.StatusOK, document: document(tagSet{Tags: b.tags})}
	}
	var asked tagSet
	if xml.Unmarshal(q.document, &asked) != nil || len(asked.Tags) > 10 {
		return fails(http.StatusBadRequest, "InvalidXmlDocument")
	}
	changed := *b
	changed.tags = asked.Tags
	n.replace(b, &changed)
	return response{status: http.StatusNoContent}
}

// replace puts a changed form of a blob in its place.
func (n *name) replace(old, b *blob) {
	if n.current == old {
		n.current = b
	}
	for _, list := range [][]*blob{n.versions, n.snapshots} {
		if i := slices.Index(list, old); i >= 0 {
			list[i] = b
		}
	}
}

// onComponent performs requests about a component of a blob.
func (s *Store) onComponent(q *request, c *container, n *name) response {
	switch component := q.query.Get("comp"); component {
	case "block":
		return s.putBlock(q, n)
	case "blocklist":
		if q.method == http.MethodGet {
			return n.listBlocks()
		}
		return s.commit(q, c, n)
	case "tags":
		return s.tagged(q, n)
	case "appendblock", "tier", "metadata", "snapshot", "lease":
		if n.current == nil {
			return fails(http.StatusNotFound, "BlobNotFound")
		}
		return s.onCurrent(component, q, n)
	}
	return fails(http.StatusBadRequest, "InvalidQueryParameterValue")
}

// onCurrent performs requests about a component of a blob that is there.
func (s *Store) onCurrent(component string, q *request, n *name) response {
	if refusal, refused := q.unmet(n.current); refused {
		return refusal
	}
	b := *n.current
	b.described = map[string]string{}
	for name, value := range n.current.described {
		if component != "metadata" || !strings.HasPrefix(name, "x-ms-meta-") {
			b.described[name] = value
		}
	}
	status := http.StatusOK
	switch component {
	case "appendblock":
		return s.append(q, n)
	case "lease":
		return s.leases(q, n)
	case "snapshot":
		b.snapshot = s.stamp()
		n.snapshots = append(n.snapshots, &b)
		return response{status: http.StatusCreated, header: http.Header{"X-Ms-Snapshot": {b.snapshot}, "Etag": {b.etag}}}
	case "tier":
		b.described["x-ms-access-tier"] = q.header.Get("X-Ms-Access-Tier")
	case "metadata":
		for name, value := range q.newBlob("").described {
			b.described[name] = value
		}
		b.etag = fmt.Sprintf(`"0x8D%013X"`, s.next())
	}
	n.current = &b
	return response{status: status, header: http.Header{"Etag": {b.etag}}}
}

func (s *Store) append(q *request, n *name) response {
	b := *n.current
	at, err := strconv.ParseInt(q.header.Get("X-Ms-Blob-Condition-Appendpos"), 10, 64)
	switch {
	case b.kind != appendBlob:
		return fails(http.StatusConflict, "InvalidBlobType")
	case q.size == 0:
		return fails(http.StatusBadRequest, "InvalidHeaderValue")
	case q.header.Get("X-Ms-Blob-Condition-Appendpos") != "" && (err != nil || at != b.size):
		return fails(http.StatusPreconditionFailed, "AppendPositionConditionNotMet")
	}
	offset := b.size
	b.size += q.size
	b.content = append(b.content[:len(b.content):len(b.content)], q.content...) // readers have the old one
	b.etag = fmt.Sprintf(`"0x8D%013X"`, s.next())
	n.current = &b
	a := made(&b)
	a.header.Set("X-Ms-Blob-Append-Offset", strconv.FormatInt(offset, 10))
	return a
}

// leases begins or breaks a lease.
func (s *Store) leases(q *request, n *name) response {
	switch q.header.Get("X-Ms-Lease-Action") {
	case "acquire":
		if n.lease != "" {
			return fails(http.StatusConflict, "LeaseAlreadyPresent")
		}
		n.lease = fmt.Sprintf("lease-%d", s.next())
		return response{status: http.StatusCreated, header: http.Header{"X-Ms-Lease-Id": {n.lease}}}
	case "break", "release":
		n.lease = ""
		return response{status: http.StatusAccepted}
	}
	return fails(http.StatusBadRequest, "InvalidHeaderValue")
}
