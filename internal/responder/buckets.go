package responder

import (
	"cmp"
	"encoding/base64"
	"encoding/xml"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const defaultMaxKeys = 1000

type listed struct {
	Key          string
	VersionID    string `xml:"VersionId,omitempty"`
	IsLatest     bool   `xml:",omitempty"`
	LastModified string
	ETag         string
	Size         int64
	StorageClass string
}

type commonPrefix struct{ Prefix string }

type listResult struct {
	XMLName               xml.Name
	Name                  string
	Prefix                string
	Delimiter             string `xml:",omitempty"`
	EncodingType          string `xml:",omitempty"`
	MaxKeys               int
	KeyCount              int
	IsTruncated           bool
	NextContinuationToken string         `xml:",omitempty"`
	NextMarker            string         `xml:",omitempty"`
	NextKeyMarker         string         `xml:",omitempty"`
	NextVersionIDMarker   string         `xml:"NextVersionIdMarker,omitempty"`
	Contents              []listed       `xml:",omitempty"`
	Version               []listed       `xml:",omitempty"`
	DeleteMarker          []listed       `xml:",omitempty"`
	CommonPrefixes        []commonPrefix `xml:",omitempty"`
}

// list responds to a listing of objects or versions. In a bucket without versions each object has one, called "null".
func (x *Exchange) list() {
	query := x.R.URL.Query()
	a, after, ok := newListResult(query)
	if !x.ready() {
		return
	}
	if !ok {
		x.Fail(http.StatusBadRequest, "InvalidArgument")
		return
	}
	versions := query.Has("versions")
	if versions && x.s.opts.Versions == VersionsMadeUp {
		x.Fail(http.StatusNotImplemented, "")
		return
	}
	a.Name = x.Bucket
	encode := func(s string) string { return s }
	if a.EncodingType == "url" {
		encode = url.QueryEscape
	}
	p := x.s.store.list(x.Bucket, &listing{
		prefix: a.Prefix, delimiter: a.Delimiter, after: after, version: query.Get("version-id-marker"), limit: a.MaxKeys, versions: versions,
	})
	x.disorder(&p)
	for i, key := range p.keys {
		o := &p.objects[i]
		e := listed{
			Key:          encode(key),
			LastModified: o.modified.UTC().Format(time.RFC3339),
			ETag:         cmp.Or(o.etag, etag[0]),
			Size:         o.size,
			StorageClass: "STANDARD",
		}
		if versions {
			e.VersionID, e.IsLatest = o.id(), i == 0 || p.keys[i-1] != key
			if o.marker {
				a.DeleteMarker = append(a.DeleteMarker, e)
			} else {
				a.Version = append(a.Version, e)
			}
		} else {
			a.Contents = append(a.Contents, e)
		}
	}
	for _, prefix := range p.prefixes {
		a.CommonPrefixes = append(a.CommonPrefixes, commonPrefix{encode(prefix)})
	}
	a.KeyCount, a.IsTruncated = len(p.keys)+len(p.prefixes), p.more
	switch {
	case p.more && versions:
		a.NextKeyMarker, a.NextVersionIDMarker = encode(p.last), p.lastVersion
	case p.more && !query.Has("list-type"):
		if a.Delimiter != "" { // else clients take the last key
			a.NextMarker = encode(p.last)
		}
	case p.more:
		a.NextContinuationToken = base64.URLEncoding.EncodeToString([]byte(p.last))
	}
	x.XML(http.StatusOK, a)
}

// newListResult begins a response with what the request says; after is the key that the page begins after.
func newListResult(query url.Values) (a listResult, after string, ok bool) {
	a = listResult{
		XMLName: xml.Name{Local: "ListBucketResult"},
		Prefix:  query.Get("prefix"), Delimiter: query.Get("delimiter"), EncodingType: query.Get("encoding-type"),
		MaxKeys: defaultMaxKeys,
	}
	after = query.Get("start-after")
	if !query.Has("list-type") {
		after = query.Get("marker")
	}
	if query.Has("versions") {
		a.XMLName.Local, after = "ListVersionsResult", query.Get("key-marker")
	}
	if token := query.Get("continuation-token"); token != "" {
		last, err := base64.URLEncoding.DecodeString(token)
		if err != nil {
			return a, "", false
		}
		after = string(last)
	}
	if n := query.Get("max-keys"); n != "" {
		limit, err := strconv.Atoi(n)
		if err != nil || limit < 1 {
			return a, "", false
		}
		a.MaxKeys = min(limit, defaultMaxKeys)
	}
	return a, after, true
}

type deleteRequest struct {
	Quiet  bool
	Object []deleted
}

type deleted struct {
	Key       string
	VersionID string `xml:"VersionId,omitempty"`
}

type deleteResult struct {
	XMLName xml.Name     `xml:"DeleteResult"`
	Deleted []deleted    `xml:",omitempty"`
	Error   []notDeleted `xml:",omitempty"`
}

type notDeleted struct {
	Key       string
	VersionID string `xml:"VersionId,omitempty"`
	Code      string
}

func (x *Exchange) deleteMany() {
	var asked deleteRequest
	err := xml.NewDecoder(x.R.Body).Decode(&asked)
	if !x.ready() {
		return
	}
	if err != nil {
		x.Fail(http.StatusBadRequest, "MalformedXML")
		return
	}
	var a deleteResult
	for k, o := range asked.Object {
		if k < x.Fault.Refuse || !x.deleteObject(o.Key, o.VersionID) {
			a.Error = append(a.Error, notDeleted{Key: o.Key, VersionID: o.VersionID, Code: cmp.Or(x.Fault.Code, "AccessDenied")})
		} else if !asked.Quiet {
			a.Deleted = append(a.Deleted, o)
		}
	}
	x.XML(http.StatusOK, a)
}

type (
	location struct {
		XMLName xml.Name `xml:"LocationConstraint"`
	}
	versioning struct {
		XMLName xml.Name `xml:"VersioningConfiguration"`
		Status  string   `xml:",omitempty"`
	}
	lockConfiguration struct {
		XMLName xml.Name `xml:"ObjectLockConfiguration"`
		Enabled string   `xml:"ObjectLockEnabled"`
	}
)

// aboutBucket answers requests about the bucket itself.
func (x *Exchange) aboutBucket() {
	if !x.ready() {
		return
	}
	exists := x.s.opts.Forget || x.s.store.exists(x.Bucket)
	query := x.R.URL.Query()
	switch method := x.R.Method; {
	case x.Bucket == "" || x.Key != "":
		x.Fail(http.StatusNotImplemented, "")
	case method == http.MethodPut && len(query) == 0:
		if x.s.opts.Forget || x.s.store.make(x.Bucket) {
			if lock := x.R.Header.Get("X-Amz-Bucket-Object-Lock-Enabled") == "true"; lock && !x.s.opts.Forget {
				x.s.store.set(x.Bucket, func(b *bucket) { b.versioned, b.lock = true, true })
			}
			x.Status(http.StatusOK)
			return
		}
		x.Fail(http.StatusConflict, "BucketAlreadyOwnedByYou")
	case !exists:
		x.Fail(http.StatusNotFound, "NoSuchBucket")
	case method == http.MethodHead:
		x.Status(http.StatusOK)
	case method == http.MethodDelete && len(query) == 0:
		x.removeBucket()
	case method == http.MethodGet && query.Has("location"):
		x.XML(http.StatusOK, location{})
	case query.Has("versioning"):
		x.versioning()
	case method == http.MethodGet && query.Has("object-lock"):
		x.objectLock()
	case method == http.MethodGet && query.Has("uploads"):
		multipart{x}.list()
	default:
		x.Fail(http.StatusNotImplemented, "")
	}
}

func (x *Exchange) removeBucket() {
	status, code := http.StatusNoContent, ""
	if !x.s.opts.Forget {
		status, code = x.s.store.remove(x.Bucket)
	}
	if code != "" {
		x.Fail(status, code)
		return
	}
	x.Status(status)
}

// versioning makes the bucket keep versions, or says whether it does.
func (x *Exchange) versioning() {
	switch kind := x.s.opts.Versions; {
	case kind == VersionsMadeUp:
		x.Fail(http.StatusNotImplemented, "")
	case x.R.Method == http.MethodPut:
		var asked versioning
		if err := xml.NewDecoder(x.R.Body).Decode(&asked); err != nil || asked.Status != "Enabled" {
			x.Fail(http.StatusBadRequest, "MalformedXML")
			return
		}
		x.s.store.set(x.Bucket, func(b *bucket) { b.versioned = true })
		x.Status(http.StatusOK)
	case kind == VersionsSuspended:
		x.XML(http.StatusOK, versioning{Status: "Suspended"})
	case x.s.store.is(x.Bucket, func(b *bucket) bool { return b.versioned }):
		x.XML(http.StatusOK, versioning{Status: "Enabled"})
	default:
		x.XML(http.StatusOK, versioning{})
	}
}

// objectLock says whether versions in the bucket can be locked.
func (x *Exchange) objectLock() {
	if x.s.store.is(x.Bucket, func(b *bucket) bool { return b.lock }) {
		x.XML(http.StatusOK, lockConfiguration{Enabled: "Enabled"})
		return
	}
	x.Fail(http.StatusNotFound, "ObjectLockConfigurationNotFoundError")
}
