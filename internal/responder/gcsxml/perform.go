package gcsxml

import (
	"encoding/xml"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"warp/internal/responder"
	"warp/pkg/op"
)

// perform does what a request asks for.
func (s *Store) perform(q *request) response {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := q.x
	objects := s.buckets[x.Bucket]
	switch {
	case x.Kind == responder.Bucket && x.R.Method == http.MethodPut && objects == nil:
		s.buckets[x.Bucket] = map[string]*object{}
		return response{status: http.StatusOK}
	case objects == nil:
		return fails(http.StatusNotFound, "NoSuchBucket")
	case x.Kind == responder.Bucket:
		return s.onBucket(q, objects)
	case x.Kind == op.List && q.query.Has("uploads"):
		return s.listUploads(q)
	case x.Kind == op.List:
		return s.list(q)
	case x.Key == "":
		return s.deleteMany(q, objects)
	}
	switch x.Kind {
	case op.CreateUpload, op.PutPart, op.CompleteUpload, op.AbortUpload:
		return s.onUpload(q)
	}
	return s.onObject(q, objects)
}

type versioning struct {
	XMLName xml.Name `xml:"VersioningConfiguration"`
}

func (s *Store) onBucket(q *request, objects map[string]*object) response {
	switch {
	case q.query.Has("versioning"):
		return response{status: http.StatusOK, document: versioning{}}
	case q.x.R.Method == http.MethodPut:
		return fails(http.StatusConflict, "BucketAlreadyOwnedByYou")
	case q.x.R.Method == http.MethodDelete && len(objects) > 0:
		return fails(http.StatusConflict, "BucketNotEmpty")
	case q.x.R.Method == http.MethodDelete:
		delete(s.buckets, q.x.Bucket)
		return response{status: http.StatusNoContent}
	}
	return response{status: http.StatusOK}
}

// states are the headers that responses state an object with.
func (o *object) states() map[string]string {
	return map[string]string{"X-Goog-Generation": strconv.FormatInt(o.generation, 10), "Etag": o.etag}
}

type copyResult struct {
	XMLName xml.Name `xml:"CopyObjectResult"`
	ETag    string
}

func (s *Store) onObject(q *request, objects map[string]*object) response {
	x := q.x
	o := objects[x.Key]
	if want := q.query.Get("generation"); o != nil && want != "" && want != strconv.FormatInt(o.generation, 10) {
		o = nil
	}
	if want := x.R.Header.Get("X-Goog-If-Generation-Match"); want != "" {
		current := int64(0)
		if o != nil {
			current = o.generation
		}
		if want != strconv.FormatInt(current, 10) {
			return fails(http.StatusPreconditionFailed, "PreconditionFailed")
		}
	}
	switch {
	case x.Kind == op.Put:
		return response{status: http.StatusOK, header: s.put(x.Bucket, x.Key, object{size: q.size, content: q.content}).states()}
	case x.Kind == op.Copy:
		return s.copy(q)
	case x.Kind == op.Compose:
		return s.compose(q, objects)
	case o == nil:
		return fails(http.StatusNotFound, "NoSuchKey")
	case x.Kind == op.Delete:
		delete(objects, x.Key)
		return response{status: http.StatusNoContent}
	}
	a := response{status: http.StatusOK, header: o.states(), contents: o, length: o.size}
	if asked := x.R.Header.Get("Range"); asked != "" {
		var ok bool
		if a.from, a.length, ok = responder.ParseRange(asked, o.size); !ok {
			return fails(http.StatusRequestedRangeNotSatisfiable, "InvalidRange")
		}
		a.status = http.StatusPartialContent
		last := strconv.FormatInt(a.from+a.length-1, 10)
		a.header["Content-Range"] = "bytes " + strconv.FormatInt(a.from, 10) + "-" + last + "/" + strconv.FormatInt(o.size, 10)
	}
	return a
}

// copy copies an object, or a generation of it.
func (s *Store) copy(q *request) response {
	bucket, name, _ := strings.Cut(strings.TrimPrefix(q.x.R.Header.Get("X-Goog-Copy-Source"), "/"), "/")
	key, err := url.PathUnescape(name)
	source := s.buckets[bucket][key]
	want := q.x.R.Header.Get("X-Goog-Copy-Source-Generation")
	if err != nil || source == nil || want != "" && want != strconv.FormatInt(source.generation, 10) {
		return fails(http.StatusNotFound, "NoSuchKey")
	}
	made := s.put(q.x.Bucket, q.x.Key, object{size: source.size, content: source.content})
	return response{status: http.StatusOK, header: made.states(), document: copyResult{ETag: made.etag}}
}

type composition struct {
	Component []struct{ Name string }
}

// compose joins objects.
func (s *Store) compose(q *request, objects map[string]*object) response {
	var asked composition
	if xml.Unmarshal(q.text, &asked) != nil || len(asked.Component) > 32 {
		return fails(http.StatusBadRequest, "InvalidArgument")
	}
	var made object
	for _, one := range asked.Component {
		part := objects[one.Name]
		if part == nil {
			return fails(http.StatusNotFound, "NoSuchKey")
		}
		made.size += part.size
		made.content = append(made.content, part.content...)
	}
	return response{status: http.StatusOK, header: s.put(q.x.Bucket, q.x.Key, made).states()}
}

type deletion struct {
	Object []struct {
		Key       string
		VersionID string `xml:"VersionId"`
	}
}

type deleteResult struct {
	XMLName xml.Name `xml:"DeleteResult"`
	Error   []struct{ Key, Code, Message string }
}

// deleteMany deletes objects. What is not there is not deleted, and no error.
func (s *Store) deleteMany(q *request, objects map[string]*object) response {
	if s.Single {
		return fails(http.StatusBadRequest, "InvalidArgument")
	}
	var d deletion
	if xml.Unmarshal(q.text, &d) != nil {
		return fails(http.StatusBadRequest, "MalformedXML")
	}
	var result deleteResult
	for i, one := range d.Object {
		if i < q.x.Fault.Refuse {
			result.Error = append(result.Error, struct{ Key, Code, Message string }{one.Key, q.x.Fault.Code, "as the test wants it"})
			continue
		}
		if o := objects[one.Key]; o != nil && (one.VersionID == "" || one.VersionID == strconv.FormatInt(o.generation, 10)) {
			delete(objects, one.Key)
		}
	}
	return response{status: http.StatusOK, document: result}
}
