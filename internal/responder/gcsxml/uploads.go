package gcsxml

import (
	"encoding/xml"
	"net/http"
	"strconv"

	"warp/pkg/op"
)

type begun struct {
	XMLName  xml.Name `xml:"InitiateMultipartUploadResult"`
	UploadID string   `xml:"UploadId"`
}

type completed struct {
	XMLName xml.Name `xml:"CompleteMultipartUploadResult"`
	ETag    string
}

type completion struct {
	Part []struct {
		PartNumber int
		ETag       string
	}
}

func (s *Store) onUpload(q *request) response {
	x, id := q.x, q.query.Get("uploadId")
	if x.Kind == op.CreateUpload {
		id = strconv.FormatInt(s.next(), 36)
		s.uploads[id] = &upload{x.Bucket, x.Key, map[int]*object{}}
		return response{status: http.StatusOK, document: begun{UploadID: id}}
	}
	u := s.uploads[id]
	if u == nil || u.bucket != x.Bucket || u.key != x.Key {
		return fails(http.StatusNotFound, "NoSuchUpload")
	}
	switch x.Kind {
	case op.AbortUpload:
		delete(s.uploads, id)
		return response{status: http.StatusNoContent}
	case op.PutPart:
		number, err := strconv.Atoi(q.query.Get("partNumber"))
		if err != nil || number < 1 || number > 10_000 {
			return fails(http.StatusBadRequest, "InvalidArgument")
		}
		part := &object{size: q.size, content: q.content, etag: `"` + strconv.FormatInt(s.next(), 36) + `"`}
		u.parts[number] = part
		return response{status: http.StatusOK, header: map[string]string{"Etag": part.etag}}
	}
	return s.complete(q, id, u)
}

// complete joins parts. Conditions are ignored, as they are by the service.
func (s *Store) complete(q *request, id string, u *upload) response {
	var c completion
	if xml.Unmarshal(q.text, &c) != nil || len(c.Part) == 0 {
		return fails(http.StatusBadRequest, "MalformedXML")
	}
	var whole object
	last := 0
	for _, p := range c.Part {
		part := u.parts[p.PartNumber]
		if part == nil || part.etag != `"`+p.ETag+`"` || p.PartNumber <= last {
			return fails(http.StatusBadRequest, "InvalidPart")
		}
		last = p.PartNumber
		whole.size += part.size
		whole.content = append(whole.content, part.content...)
	}
	delete(s.uploads, id)
	made := s.put(u.bucket, u.key, whole)
	return response{status: http.StatusOK, header: made.states(), document: completed{ETag: made.etag}}
}
