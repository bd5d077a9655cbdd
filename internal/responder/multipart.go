package responder

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"warp/pkg/op"
)

type createdUpload struct {
	XMLName  xml.Name `xml:"InitiateMultipartUploadResult"`
	Bucket   string
	Key      string
	UploadID string `xml:"UploadId"`
}

// multipart is an exchange about an upload in parts.
type multipart struct{ *exchange }

// multiparts are the requests about uploads in parts.
func multiparts() []request {
	return []request{
		{op.CreateUpload, http.MethodPost, "uploads", "", on(multipart.create)},
		{op.CopyPart, http.MethodPut, "uploadId", "X-Amz-Copy-Source", on(multipart.copyPart)},
		{op.PutPart, http.MethodPut, "uploadId", "", on(multipart.putPart)},
		{op.CompleteUpload, http.MethodPost, "uploadId", "", on(multipart.complete)},
		{op.AbortUpload, http.MethodDelete, "uploadId", "", on(multipart.abort)},
	}
}

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

type listedUploads struct {
	XMLName      xml.Name `xml:"ListMultipartUploadsResult"`
	Bucket       string
	EncodingType string `xml:",omitempty"`
	IsTruncated  bool
	Upload       []listedUpload
}

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
