package responder

import (
	"encoding/xml"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"warp/pkg/op"
)

// uploadPart is a part of an upload.
type uploadPart struct {
	size    int64
	content []byte // nil: not kept
	etag    string
}

// upload is an unfinished multipart upload.
type upload struct {
	bucket, key string
	parts       map[int]uploadPart
}

// uploads holds the unfinished uploads by id.
type uploads struct {
	mu   sync.Mutex
	last uint64
	byID map[string]*upload
}

// create begins an upload and returns its id.
func (u *uploads) create(bucket, key string) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.last++
	id := fmt.Sprintf("upload-%d", u.last)
	if u.byID == nil {
		u.byID = map[string]*upload{}
	}
	u.byID[id] = &upload{bucket: bucket, key: key, parts: map[int]uploadPart{}}
	return id
}

// find returns an upload of a key, or nil.
func (u *uploads) find(bucket, key, id string) *upload {
	if up := u.byID[id]; up != nil && up.bucket == bucket && up.key == key {
		return up
	}
	return nil
}

// put keeps a part, and reports whether there is such an upload.
func (u *uploads) put(bucket, key, id string, number int, p uploadPart) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	up := u.find(bucket, key, id)
	if up != nil {
		up.parts[number] = p
	}
	return up != nil
}

// abort removes an upload, and reports whether there was one.
func (u *uploads) abort(bucket, key, id string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	up := u.find(bucket, key, id)
	delete(u.byID, id)
	return up != nil
}

// complete removes an upload and returns the object that its parts make; else the code of the error.
func (u *uploads) complete(bucket, key, id string, list []completedPart) (o object, code string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	up := u.find(bucket, key, id)
	if up == nil {
		return o, "NoSuchUpload"
	}
	for i, named := range list {
		p, ok := up.parts[named.PartNumber]
		switch {
		case !ok || strings.Trim(named.ETag, `"`) != p.etag:
			return o, "InvalidPart"
		case i > 0 && named.PartNumber <= list[i-1].PartNumber:
			return o, "InvalidPartOrder"
		}
		o.size += p.size
		o.content = append(o.content, p.content...)
		o.parts = append(o.parts, p.size)
	}
	if len(list) == 0 {
		return o, "MalformedXML"
	}
	delete(u.byID, id)
	return o, ""
}

// list returns the uploads of a bucket below a prefix, sorted by id.
func (u *uploads) list(bucket, prefix string) (list []listedUpload) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(u.byID)) {
		if up := u.byID[id]; up.bucket == bucket && strings.HasPrefix(up.key, prefix) {
			list = append(list, listedUpload{up.key, id})
		}
	}
	return list
}

// uploadKind returns the kind of a request about an upload, or about one of its parts; empty for others.
func uploadKind(r *http.Request) op.Kind {
	query := r.URL.Query()
	switch {
	case r.Method == http.MethodPost && query.Has("uploads"):
		return op.CreateUpload
	case !query.Has("uploadId"):
		return ""
	case r.Method == http.MethodPut:
		return op.PutPart
	case r.Method == http.MethodPost:
		return op.CompleteUpload
	case r.Method == http.MethodDelete:
		return op.AbortUpload
	}
	return ""
}

type createdUpload struct {
	XMLName  xml.Name `xml:"InitiateMultipartUploadResult"`
	Bucket   string
	Key      string
	UploadID string `xml:"UploadId"`
}

// multipart is an exchange about an upload in parts.
type multipart struct{ *exchange }

func (x multipart) create() {
	if x.ready() {
		x.xml(http.StatusOK, createdUpload{Bucket: x.bucket, Key: x.key, UploadID: x.s.uploads.create(x.bucket, x.key)})
	}
}

// putPart reads a part, whatever the response will be, and then responds.
func (x multipart) putPart() {
	content, size, err := x.readBody()
	if err != nil || !x.ready() {
		return // the client hung up, or has its response
	}
	if tag, ok := x.keepPart(size, content); ok {
		x.w.Header()["Etag"] = []string{tag}
		x.status(http.StatusOK)
	}
}

// keepPart keeps a part and returns its ETag. If there is no such upload, it responds so.
func (x multipart) keepPart(size int64, content []byte) (tag string, ok bool) {
	query := x.r.URL.Query()
	number, err := strconv.Atoi(query.Get("partNumber"))
	if err != nil || number < 1 || number > 10_000 {
		x.fail(http.StatusBadRequest, "InvalidArgument")
		return "", false
	}
	p := uploadPart{size, content, fmt.Sprintf("%032x", number)}
	if !x.s.opts.Forget && !x.s.uploads.put(x.bucket, x.key, query.Get("uploadId"), number, p) {
		x.fail(http.StatusNotFound, "NoSuchUpload")
		return "", false
	}
	return `"` + p.etag + `"`, true
}

// copyPart makes a part of an object, or a range of it.
func (x multipart) copyPart() {
	if !x.ready() {
		return
	}
	var o object
	if !x.s.opts.Forget {
		var found bool
		if o, found = about(x).source(); !found {
			return
		}
		if asked := x.r.Header.Get("X-Amz-Copy-Source-Range"); asked != "" && !x.s.opts.WholeForRange {
			from, length, ok := parseRange(asked, o.size)
			if !ok {
				x.fail(http.StatusRequestedRangeNotSatisfiable, "InvalidRange")
				return
			}
			if o.size = length; o.content != nil {
				o.content = o.content[from : from+length]
			}
		}
	}
	if tag, ok := x.keepPart(o.size, o.content); ok {
		x.xml(http.StatusOK, copyPartResult{ETag: tag})
	}
}

type completedPart struct {
	PartNumber int
	ETag       string
}

type completedUpload struct {
	XMLName xml.Name `xml:"CompleteMultipartUploadResult"`
	Bucket  string
	Key     string
	ETag    string
}

func (x multipart) complete() {
	var list struct{ Part []completedPart }
	err := xml.NewDecoder(x.r.Body).Decode(&list)
	code := "MalformedXML"
	complete := func() {
		var o object
		if o, code = x.s.uploads.complete(x.bucket, x.key, x.r.URL.Query().Get("uploadId"), list.Part); code == "" {
			version, _ := x.s.store.putObject(x.bucket, x.key, o)
			x.version(version)
		}
	}
	if x.fault.Execute && err == nil {
		complete()
	}
	if !x.ready() {
		return
	}
	if err == nil && !x.s.opts.Forget {
		complete()
	}
	switch {
	case err == nil && (code == "" || x.s.opts.Forget):
		x.s.opts.Versions.put(x.w.Header())
		x.xml(http.StatusOK, completedUpload{Bucket: x.bucket, Key: x.key, ETag: etag[0]})
	case code == "NoSuchUpload":
		x.fail(http.StatusNotFound, code)
	default:
		x.fail(http.StatusBadRequest, code)
	}
}

func (x multipart) abort() {
	if !x.ready() {
		return
	}
	if !x.s.opts.Forget && !x.s.uploads.abort(x.bucket, x.key, x.r.URL.Query().Get("uploadId")) {
		x.fail(http.StatusNotFound, "NoSuchUpload")
		return
	}
	x.status(http.StatusNoContent)
}

type (
	listedUpload struct {
		Key      string
		UploadID string `xml:"UploadId"`
	}
	listedUploads struct {
		XMLName      xml.Name `xml:"ListMultipartUploadsResult"`
		Bucket       string
		EncodingType string `xml:",omitempty"`
		IsTruncated  bool
		Upload       []listedUpload
	}
)

// list lists all unfinished uploads below a prefix at once.
func (x multipart) list() {
	query := x.r.URL.Query()
	a := listedUploads{Bucket: x.bucket, EncodingType: query.Get("encoding-type")}
	a.Upload = x.s.uploads.list(x.bucket, query.Get("prefix"))
	for i := range a.Upload {
		if a.EncodingType == "url" {
			a.Upload[i].Key = url.QueryEscape(a.Upload[i].Key)
		}
	}
	x.xml(http.StatusOK, a)
}

// partNumber returns the part that a GET is about; empty: the whole object.
func partNumber(r *http.Request) string {
	if r.URL.RawQuery == "" {
		return ""
	}
	return r.URL.Query().Get("partNumber")
}

// part returns the range of a part; false if the object has no such part.
func (o *object) part(number string) (from, length int64, ok bool) {
	n, err := strconv.Atoi(number)
	sizes := o.parts
	if len(sizes) == 0 {
		sizes = []int64{o.size}
	}
	if err != nil || n < 1 || n > len(sizes) {
		return 0, 0, false
	}
	for _, size := range sizes[:n-1] {
		from += size
	}
	return from, sizes[n-1], true
}
