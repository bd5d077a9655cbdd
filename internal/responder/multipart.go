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
type multipart struct{ *Exchange }

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
		x.XML(http.StatusOK, createdUpload{Bucket: x.Bucket, Key: x.Key, UploadID: x.s.uploads.create(x.Bucket, x.Key)})
	}
}

// putPart reads a part, whatever the response will be, and then responds.
func (x multipart) putPart() {
	content, size, err := x.ReadBody()
	if err != nil || !x.ready() {
		return // the client hung up, or has its response
	}
	if tag, ok := x.keepPart(size, content); ok {
		x.W.Header()["Etag"] = []string{tag}
		x.Status(http.StatusOK)
	}
}

// keepPart keeps a part and returns its ETag. If there is no such upload, it responds so.
func (x multipart) keepPart(size int64, content []byte) (tag string, ok bool) {
	query := x.R.URL.Query()
	number, err := strconv.Atoi(query.Get("partNumber"))
	if err != nil || number < 1 || number > 10_000 {
		x.Fail(http.StatusBadRequest, "InvalidArgument")
		return "", false
	}
	p := uploadPart{size, content, fmt.Sprintf("%032x", number)}
	if !x.s.opts.Forget && !x.s.uploads.put(x.Bucket, x.Key, query.Get("uploadId"), number, p) {
		x.Fail(http.StatusNotFound, "NoSuchUpload")
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
		if asked := x.R.Header.Get("X-Amz-Copy-Source-Range"); asked != "" && !x.s.opts.WholeForRange {
			from, length, ok := ParseRange(asked, o.size)
			if !ok {
				x.Fail(http.StatusRequestedRangeNotSatisfiable, "InvalidRange")
				return
			}
			if o.size = length; o.content != nil {
				o.content = o.content[from : from+length]
			}
		}
	}
	if tag, ok := x.keepPart(o.size, o.content); ok {
		x.XML(http.StatusOK, copyPartResult{ETag: tag})
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
	err := xml.NewDecoder(x.R.Body).Decode(&list)
	code := "MalformedXML"
	complete := func() {
		var o object
		if o, code = x.s.uploads.complete(x.Bucket, x.Key, x.R.URL.Query().Get("uploadId"), list.Part); code == "" {
			version, _ := x.s.store.putObject(x.Bucket, x.Key, o)
			x.version(version)
		}
	}
	if x.Fault.Execute && err == nil {
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
		x.s.opts.Versions.put(x.W.Header())
		x.XML(http.StatusOK, completedUpload{Bucket: x.Bucket, Key: x.Key, ETag: etag[0]})
	case code == "NoSuchUpload":
		x.Fail(http.StatusNotFound, code)
	default:
		x.Fail(http.StatusBadRequest, code)
	}
}

func (x multipart) abort() {
	if !x.ready() {
		return
	}
	if !x.s.opts.Forget && !x.s.uploads.abort(x.Bucket, x.Key, x.R.URL.Query().Get("uploadId")) {
		x.Fail(http.StatusNotFound, "NoSuchUpload")
		return
	}
	x.Status(http.StatusNoContent)
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
	query := x.R.URL.Query()
	a := listedUploads{Bucket: x.Bucket, EncodingType: query.Get("encoding-type")}
	a.Upload = x.s.uploads.list(x.Bucket, query.Get("prefix"))
	for i := range a.Upload {
		if a.EncodingType == "url" {
			a.Upload[i].Key = url.QueryEscape(a.Upload[i].Key)
		}
	}
	x.XML(http.StatusOK, a)
}
