package s3

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ObjectID names an object, or one version of it.
type ObjectID struct{ Key, Version string }

// ObjectErr is an object that could not be deleted, and why.
type ObjectErr struct {
	ObjectID
	Err error
}

// Deletion is objects that one request deletes.
type Deletion struct {
	Objects []ObjectID
	Failed  []ObjectErr // those that the server says it did not delete
	Places  []int       // of these, in Objects

	confirmed []ObjectID // those that it says it deleted, although it is asked not to list them
}

// Reset clears a Deletion for its next use; it keeps its memory.
func (d *Deletion) Reset() {
	d.Objects = d.Objects[:0]
	d.begin()
}

// begin clears what an earlier response said.
func (d *Deletion) begin() {
	d.Failed, d.Places, d.confirmed = d.Failed[:0], d.Places[:0], d.confirmed[:0]
}

// DeleteMany deletes up to 1000 objects in one request. The server is asked to name only those that it did not delete. It is an
// error if the request failed or d.Failed is not empty.
func DeleteMany(ctx context.Context, s Session, c *Call, d *Deletion) error {
	d.begin()
	body, err := deleteBody(d.Objects)
	if err != nil {
		return err
	}
	c.about("", http.MethodPost, NoAccess)
	c.Query = append(c.Query, Param{Name: "delete"})
	c.SetDocument(body)
	c.Parse = func(r io.Reader) error { return d.read(r, c.Status) }
	err = s.Do(ctx, c)
	if x, ok := s.(interface{ Explain(*Call, error) error }); ok {
		for i := range d.Failed {
			d.Failed[i].Err = x.Explain(c, d.Failed[i].Err)
		}
	}
	return err
}

// deleteBody makes the body of a multi-delete. It fails if XML cannot hold one of the keys: another one would be deleted.
func deleteBody(objects []ObjectID) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>`)
	for _, o := range objects {
		if !o.Batchable() {
			return nil, &Error{Class: ClassBadRequest, Message: oneLine(fmt.Sprintf("a multi-delete cannot name the key %q; delete it by itself", o.Key))}
		}
		b.WriteString("<Object><Key>")
		_ = xml.EscapeText(&b, []byte(o.Key)) // a Buffer does not fail
		b.WriteString("</Key>")
		if o.Version != "" {
			b.WriteString("<VersionId>" + escapeXML(o.Version) + "</VersionId>")
		}
		b.WriteString("</Object>")
	}
	b.WriteString("</Delete>")
	return b.Bytes(), nil
}

// Batchable reports whether a multi-delete can name the object. XML 1.0 has no control characters but tab and line ends, and
// nothing that is not UTF-8.
func (o ObjectID) Batchable() bool { return isXML(o.Key) && isXML(o.Version) }

func isXML(s string) bool {
	for i, r := range s {
		switch {
		case r == '\t', r == '\n', r == '\r', r >= ' ' && r < utf8.RuneError, r > 0xffff:
		case r == utf8.RuneError && strings.HasPrefix(s[i:], string(utf8.RuneError)): // it is really there
		default:
			return false
		}
	}
	return true
}

// read reads the response into d.Failed. It is an error if anything was not deleted, or may not have been.
func (d *Deletion) read(r io.Reader, status int) error {
	d.begin()
	var id ObjectID
	var e errorBody
	root, err := xmlWalk(r, func(el element) {
		switch {
		case el.name == "Key" && (el.parent == "Error" || el.parent == "Deleted"):
			id.Key = string(el.text)
		case el.name == "VersionId" && (el.parent == "Error" || el.parent == "Deleted"):
			id.Version = string(el.text)
		case el.name == "Code":
			e.Code = string(el.text)
		case el.name == "Message":
			e.Message = string(el.text)
		case el.parent != "DeleteResult" || len(d.Failed)+len(d.confirmed) > len(d.Objects): // enough to see that it is wrong
		case el.name == "Error":
			d.Failed = append(d.Failed, ObjectErr{ObjectID: id, Err: codeError(e)})
			id, e = ObjectID{}, errorBody{}
		case el.name == "Deleted":
			d.confirmed = append(d.confirmed, id)
			id, e = ObjectID{}, errorBody{}
		}
	})
	switch {
	case err != nil:
		return badResponse(root, err)
	case root == "Error": // a failure behind a 200, which S3 allows itself where work began before it failed
		return codeError(e)
	case root != "DeleteResult":
		return badResponse(root, errors.New("not the response to a multi-delete"))
	case len(d.Failed) == 0 && len(d.confirmed) == 0:
		return nil
	}
	if err := d.check(status); err != nil {
		d.begin()
		return err
	}
	if len(d.Failed) == 0 {
		return nil
	}
	first := d.Failed[0]
	return &Error{Class: ClassNotDeleted, Message: oneLine(fmt.Sprintf("%d of %d objects; first: %s: %v", len(d.Failed), len(d.Objects), first.Key, first.Err)), Err: first.Err}
}

// codeError is an error that a server put into a response of its own.
func codeError(b errorBody) *Error {
	e := &Error{}
	e.fill(b)
	e.Class = e.Code
	if e.Class == "" {
		e.Class = ClassBadResponse
	}
	return e
}

// check makes sure that what a response says is about the objects that were to be deleted, each once. A server that lists those that it
// deleted must list all of them.
func (d *Deletion) check(status int) error {
	wrong := func(format string, args ...any) error {
		return &Error{Class: ClassBadResponse, Status: status, Message: oneLine(fmt.Sprintf(format, args...))}
	}
	asked := newAskedObjects(d.Objects)
	for _, f := range d.Failed {
		place := asked.take(f.ObjectID)
		if place < 0 {
			return wrong("an error about %s, which was not to be deleted, or not so often: %v", f.ObjectID, f.Err)
		}
		d.Places = append(d.Places, place)
	}
	for _, o := range d.confirmed {
		if asked.take(o) < 0 {
			return wrong("%s was deleted, which was not to be, or not so often", o)
		}
	}
	if len(d.confirmed) > 0 && asked.left > 0 {
		return wrong("of %d objects that were to be deleted, the response says nothing about %d", len(d.Objects), asked.left)
	}
	return nil
}

// String returns the key, quoted, and the version.
func (o ObjectID) String() string {
	if o.Version == "" {
		return strconv.Quote(o.Key)
	}
	return fmt.Sprintf("version %s of %q", o.Version, o.Key)
}

// askedObjects are the objects that a request names, of which a response takes out each that it names.
type askedObjects struct {
	objects []ObjectID
	first   map[string]int // place of the first object of a key
	next    []int          // place of the next object of the same key; 0: there is none
	taken   []bool
	left    int // that were not taken out
}

func newAskedObjects(objects []ObjectID) *askedObjects {
	n := len(objects)
	a := &askedObjects{objects: objects, first: make(map[string]int, n), next: make([]int, n), taken: make([]bool, n), left: n}
	for i := n - 1; i >= 0; i-- {
		key := objects[i].Key
		a.next[i] = a.first[key]
		a.first[key] = i
	}
	return a
}

// take takes out an object that a response names, and returns its place; -1 if there is none. Servers may leave out the version, state that
// of an object of which no version was asked for, or escape keys as in listings.
func (a *askedObjects) take(named ObjectID) int {
	place := a.find(named.Key, named.Version)
	if place < 0 {
		if key, err := url.QueryUnescape(named.Key); err == nil {
			place = a.find(key, named.Version)
		}
	}
	if place >= 0 {
		a.taken[place] = true
		a.left--
	}
	return place
}

func (a *askedObjects) find(key, version string) (place int) {
	place = -1
	i, ok := a.first[key]
	for ; ok; i, ok = a.next[i], a.next[i] > 0 {
		switch of := a.objects[i].Version; {
		case a.taken[i]:
		case of == version:
			return i
		case place < 0 && (of == "" || version == ""):
			place = i
		}
	}
	return place
}

// DeleteObjects deletes objects for clean-up: by batches, or one by one where the server has no multi-delete. Objects
// that are not there are not a fault, nor is a bucket that is not there. It gives those that may still be there; see
// Temporary for which of them may be tried again.
func DeleteObjects(ctx context.Context, s Session, ids []ObjectID) (failed []ObjectErr) {
	var c Call
	var d Deletion
	many := true
	if odd := func(o ObjectID) bool { return !o.Batchable() }; slices.ContainsFunc(ids, odd) {
		failed = deleteEach(ctx, s, slices.DeleteFunc(slices.Clone(ids), ObjectID.Batchable), failed)
		ids = slices.DeleteFunc(slices.Clone(ids), odd)
	}
	for len(ids) > 0 {
		batch := ids[:min(len(ids), MaxEntries)]
		ids = ids[len(batch):]
		if !many {
			failed = deleteEach(ctx, s, batch, failed)
			continue
		}
		d.Objects = batch
		err := DeleteMany(ctx, s, &c, &d)
		switch {
		case err == nil:
		case len(d.Failed) > 0:
			failed = append(failed, d.failedOf(batch)...)
		case lacksMultiDelete(err):
			many = false
			failed = deleteEach(ctx, s, batch, failed)
		default:
			failed = appendAll(failed, batch, err)
		}
	}
	return slices.DeleteFunc(failed, func(f ObjectErr) bool { return NotThere(f.Err) })
}

// failedOf returns the objects of a batch that were not deleted. An error that names no version is about all versions of its key.
func (d *Deletion) failedOf(batch []ObjectID) (failed []ObjectErr) {
	of := make([]error, len(batch))
	unnamed := map[string]error{}
	for i, f := range d.Failed {
		at := d.Places[i]
		of[at] = f.Err
		if f.Version == "" && batch[at].Version != "" {
			unnamed[batch[at].Key] = f.Err
		}
	}
	for at, id := range batch {
		if err := cmp.Or(of[at], unnamed[id.Key]); err != nil {
			failed = append(failed, ObjectErr{id, err})
		}
	}
	return failed
}

// DeleteEach is DeleteObjects, but with a request for each object.
func DeleteEach(ctx context.Context, s Session, ids []ObjectID) []ObjectErr {
	return slices.DeleteFunc(deleteEach(ctx, s, ids, nil), func(f ObjectErr) bool { return NotThere(f.Err) })
}

// deleteEach deletes objects one by one. When there is no server any more it does not go on asking.
func deleteEach(ctx context.Context, s Session, ids []ObjectID, failed []ObjectErr) []ObjectErr {
	for i, id := range ids {
		c := Call{Size: -1, Key: id.Key, Version: id.Version}
		err := Delete(ctx, s, &c)
		if err == nil {
			continue
		}
		if e := AsError(err); e.Status == 0 || e.Code == codeNoBucket {
			return appendAll(failed, ids[i:], err)
		}
		failed = append(failed, ObjectErr{id, err})
	}
	return failed
}

// codeNoBucket is what S3 calls the error that the bucket does not exist.
const codeNoBucket = "NoSuchBucket"

// NotThere reports whether a request failed only because the object, version, upload or bucket does not exist.
func NotThere(err error) bool {
	e := AsError(err)
	switch e.Code {
	case "NoSuchKey", "NoSuchVersion", "NoSuchUpload", codeNoBucket:
		return true
	}
	return e.Status == http.StatusNotFound && e.Code == ""
}

// NoBucket reports whether a request failed only because the bucket does not exist.
func NoBucket(err error) bool {
	e := AsError(err)
	return e.Code == codeNoBucket || e.Status == http.StatusNotFound && e.Code == ""
}

// appendAll notes the same error for all of them.
func appendAll(failed []ObjectErr, ids []ObjectID, err error) []ObjectErr {
	for _, id := range ids {
		failed = append(failed, ObjectErr{id, err})
	}
	return failed
}

// Unsupported reports whether an error may mean that the server does not know the request, which servers say in many ways.
func Unsupported(err error) bool {
	e := AsError(err)
	switch e.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	}
	return e.Class == ClassBadResponse
}

func lacksMultiDelete(err error) bool {
	return Unsupported(err) && AsError(err).Code != codeNoBucket && !Temporary(err)
}

// Temporary reports whether a request that failed may succeed when it is sent again later. Unlike a retry (Config.Retries)
// it looks at what the server said first, which may stand in a response of status 200.
func Temporary(err error) bool {
	e := AsError(err)
	switch e.Code {
	case "InternalError", "SlowDown", "ServiceUnavailable", "RequestTimeout", "OperationAborted":
		return true
	case "":
		if e.Status/100 == 2 { // it was cut off, unless it is nothing that can be read
			return e.Class != ClassBadResponse
		}
	default:
		if e.Status/100 != 5 && e.Status != http.StatusTooManyRequests && e.Status != http.StatusRequestTimeout {
			return false
		}
	}
	return worthRetrying(err)
}
