package responder

import (
	"encoding/xml"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"warp/pkg/op"
)

// about is an exchange about a subresource of an object, or one that makes an object of another.
type about struct{ *Exchange }

// subresources are the requests about a subresource of an object.
func subresources() []request {
	return []request{
		{op.GetTags, http.MethodGet, "tagging", "", describe(func(o *object) any { return tagging{Tags: o.tags} })},
		{op.PutTags, http.MethodPut, "tagging", "", on(about.putTags)},
		{op.DeleteTags, http.MethodDelete, "tagging", "", on(about.deleteTags)},
		{op.Attributes, http.MethodGet, "attributes", "", describe(func(o *object) any {
			return attributes{Size: o.size, StorageClass: "STANDARD"}
		})},
		{op.Select, http.MethodPost, "select", "", on(about.query)},
		{op.ACL, http.MethodGet, "acl", "", describe(func(*object) any { return acl{Permission: "FULL_CONTROL"} })},
		{op.GetRetention, http.MethodGet, "retention", "", describe(func(o *object) any {
			return retention{Mode: "GOVERNANCE", Until: o.until.UTC().Format(time.RFC3339)}
		})},
		{op.Retention, http.MethodPut, "retention", "", on(about.putRetention)},
		{op.GetLegalHold, http.MethodGet, "legal-hold", "", describe(func(o *object) any { return legalHold{Status: onOff[o.hold]} })},
		{op.LegalHold, http.MethodPut, "legal-hold", "", on(about.putLegalHold)},
	}
}

// derivations are the requests that make an object of others.
func derivations() []request {
	return []request{
		{op.Rename, http.MethodPut, "renameObject", "", on(about.rename)},
		{op.Copy, http.MethodPut, "", "X-Amz-Copy-Source", on(about.copy)},
		{op.Append, http.MethodPut, "", "X-Amz-Write-Offset-Bytes", on(about.append)},
	}
}

// describe returns a response with a document about the object.
func describe(content func(*object) any) func(*Exchange) {
	return func(x *Exchange) { about{x}.document(content) }
}

type (
	tagging struct {
		XMLName xml.Name `xml:"Tagging"`
		Tags    []tag    `xml:"TagSet>Tag"`
	}
	attributes struct {
		XMLName      xml.Name `xml:"GetObjectAttributesResponse"`
		Size         int64    `xml:"ObjectSize"`
		StorageClass string
	}
	acl struct {
		XMLName    xml.Name `xml:"AccessControlPolicy"`
		Permission string   `xml:"AccessControlList>Grant>Permission"`
	}
	retention struct {
		XMLName xml.Name `xml:"Retention"`
		Mode    string
		Until   string `xml:"RetainUntilDate"`
	}
	legalHold struct {
		XMLName xml.Name `xml:"LegalHold"`
		Status  string
	}
	copyResult struct {
		XMLName xml.Name `xml:"CopyObjectResult"`
		ETag    string
	}
	copyPartResult struct {
		XMLName xml.Name `xml:"CopyPartResult"`
		ETag    string
	}
)

var onOff = map[bool]string{false: "OFF", true: "ON"}

// document responds with a document about the object, or the version of it.
func (x about) document(content func(*object) any) {
	if !x.ready() {
		return
	}
	o, found := x.object()
	if !found {
		return
	}
	if x.Fault.Misstate {
		o = object{size: o.size}
	}
	x.XML(http.StatusOK, content(&o))
}

// object returns the object of the request, or the version of it. If it is not in the bucket, it responds so.
func (x about) object() (o object, found bool) {
	if x.s.opts.Forget {
		return object{size: x.s.opts.ObjectSize}, true
	}
	if o, found = x.s.store.get(x.Bucket, x.Key, x.asked("versionId")); !found {
		x.Fail(http.StatusNotFound, "NoSuchKey")
	}
	return o, found
}

// change reads a document, changes the object or the version of it accordingly, and responds with a status.
func (x about) change(document any, status int, change func(*object)) {
	text, err := io.ReadAll(x.R.Body)
	if err != nil || !x.ready() {
		return // the client hung up, or has its response
	}
	if document != nil {
		if err := xml.Unmarshal(text, document); err != nil {
			x.Fail(http.StatusBadRequest, "MalformedXML")
			return
		}
	}
	if !x.s.opts.Forget && !x.s.store.change(x.Bucket, x.Key, x.asked("versionId"), change) {
		x.Fail(http.StatusNotFound, "NoSuchKey")
		return
	}
	x.Status(status)
}

func (x about) putTags() {
	var t tagging
	x.change(&t, http.StatusOK, func(o *object) { o.tags = t.Tags })
}

func (x about) deleteTags() {
	x.change(nil, http.StatusNoContent, func(o *object) { o.tags = nil })
}

func (x about) putRetention() {
	if !x.locks() {
		return
	}
	var t retention
	x.change(&t, http.StatusOK, func(o *object) { o.until, _ = time.Parse(time.RFC3339, t.Until) })
}

func (x about) putLegalHold() {
	if !x.locks() {
		return
	}
	var t legalHold
	x.change(&t, http.StatusOK, func(o *object) { o.hold = t.Status == onOff[true] })
}

// locks reports whether versions in the bucket can be locked; if not, it has responded.
func (x about) locks() bool {
	if x.s.opts.Forget || x.s.store.is(x.Bucket, func(b *bucket) bool { return b.lock }) {
		return true
	}
	x.Fail(http.StatusBadRequest, "InvalidRequest")
	return false
}

// copy copies an object within its bucket.
func (x about) copy() {
	if !x.ready() {
		return
	}
	if !x.s.opts.Forget {
		o, found := x.source()
		if !found {
			return
		}
		made, _ := x.s.store.put(x.Bucket, x.Key, o.size, o.content)
		x.version(made)
	}
	x.XML(http.StatusOK, copyResult{ETag: etag[0]})
}

// source returns the source of a copy. If it is not in the bucket, it responds so.
func (x about) source() (o object, found bool) {
	bucket, key, version, err := named(x.R.Header.Get("X-Amz-Copy-Source"))
	o, found = x.s.store.get(bucket, key, version)
	if found = found && err == nil; !found {
		x.Fail(http.StatusNotFound, "NoSuchKey")
	}
	return o, found
}

// named splits the name of an object in a header.
func named(header string) (bucket, key, version string, err error) {
	path, version, _ := strings.Cut(header, "?versionId=")
	source, err := url.PathUnescape(path)
	bucket, key, _ = strings.Cut(strings.TrimPrefix(source, "/"), "/")
	return bucket, key, version, err
}

// rename gives an object of the bucket the name of the request.
func (x about) rename() {
	bucket, key, _, err := named(x.R.Header.Get("X-Amz-Rename-Source"))
	if err != nil || bucket != x.Bucket {
		x.Fail(http.StatusBadRequest, "InvalidRequest")
		return
	}
	token := x.R.Header.Get("X-Amz-Client-Token")
	if x.Fault.Execute {
		x.s.store.rename(x.Bucket, key, x.Key, "") // it has not come to note the token
	}
	if !x.ready() {
		return
	}
	if !x.s.opts.Forget && !x.s.store.rename(x.Bucket, key, x.Key, token) {
		x.Fail(http.StatusNotFound, "NoSuchKey")
		return
	}
	x.Status(http.StatusOK)
}

// rename gives an object another name, in place of an object that has it. A repeated request with the same token is confirmed.
func (s *store) rename(bucket, from, to, token string) (done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[bucket]
	if b == nil {
		return false
	}
	o, found := b.objects[from]
	if !found || o.marker {
		return token != "" && b.objects[to].renamedBy == token
	}
	o.renamedBy = token
	delete(b.objects, from)
	b.objects[to], b.stale = o, true
	return true
}

// append appends the body to an object, which it makes if it begins at 0.
func (x about) append() {
	content, size, err := x.ReadBody()
	if err != nil || !x.ready() {
		return // the client hung up, or has its response
	}
	h := x.W.Header()
	h["Etag"] = etag
	if x.s.opts.Forget {
		x.Status(http.StatusOK)
		return
	}
	offset, err := strconv.ParseInt(x.R.Header.Get("X-Amz-Write-Offset-Bytes"), 10, 64)
	o, found := x.s.store.get(x.Bucket, x.Key, "")
	if err != nil || offset != o.size || !found && offset > 0 {
		x.Fail(http.StatusBadRequest, "InvalidWriteOffset")
		return
	}
	x.s.store.put(x.Bucket, x.Key, offset+size, append(o.content[:len(o.content):len(o.content)], content...))
	if x.s.opts.AppendedSize {
		h.Set("X-Amz-Object-Size", strconv.FormatInt(size, 10))
	} else {
		h.Set("X-Amz-Object-Size", strconv.FormatInt(offset+size, 10))
	}
	x.Status(http.StatusOK)
}
