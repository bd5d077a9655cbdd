package s3

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
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
}

// Reset clears a Deletion for its next use; it keeps its memory.
func (d *Deletion) Reset() { d.Objects, d.Failed = d.Objects[:0], d.Failed[:0] }

// DeleteMany deletes up to 1000 objects in one request. The server is asked to name only those that it did not delete. It is an
// error if the request failed or d.Failed is not empty.
func DeleteMany(ctx context.Context, s Session, c *Call, d *Deletion) error {
	d.Failed = d.Failed[:0]
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

// read reads the response into d.Failed. It is an error if anything was not deleted.
func (d *Deletion) read(r io.Reader, status int) error {
	d.Failed = d.Failed[:0]
	var id ObjectID
	var e errorBody
	root, err := xmlWalk(r, func(el element) {
		switch {
		case el.parent == "Error" && el.name == "Key":
			id.Key = string(el.text)
		case el.parent == "Error" && el.name == "VersionId":
			id.Version = string(el.text)
		case el.name == "Code":
			e.Code = string(el.text)
		case el.name == "Message":
			e.Message = string(el.text)
		case len(d.Failed) > len(d.Objects): // enough to see that it is wrong
		case el.name == "Error" && el.parent == "DeleteResult":
			d.Failed = append(d.Failed, ObjectErr{ObjectID: id, Err: codeError(e)})
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
	case len(d.Failed) > 0:
		if err := d.check(status); err != nil {
			d.Failed = d.Failed[:0]
			return err
		}
		first := d.Failed[0]
		return &Error{Class: ClassNotDeleted, Message: oneLine(fmt.Sprintf("%d of %d objects; first: %s: %v", len(d.Failed), len(d.Objects), first.Key, first.Err)), Err: first.Err}
	}
	return nil
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

// check makes sure that the objects that a multi-delete says it did not delete are some of those that it was to
// delete, each once.
func (d *Deletion) check(status int) error {
	asked := make(map[string]int, len(d.Objects))
	for _, o := range d.Objects {
		asked[o.Key]++
	}
	for _, f := range d.Failed {
		if asked[f.Key]--; asked[f.Key] < 0 {
			return &Error{
				Class: ClassBadResponse, Status: status, Err: f.Err,
				Message: oneLine(fmt.Sprintf("an error about %q, which was not to be deleted, or not so often: %v", f.Key, f.Err)),
			}
		}
	}
	return nil
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
			failed = append(failed, d.Failed...)
		case lacksMultiDelete(err):
			many = false
			failed = deleteEach(ctx, s, batch, failed)
		default:
			failed = appendAll(failed, batch, err)
		}
	}
	return slices.DeleteFunc(failed, func(f ObjectErr) bool { return NotThere(f.Err) })
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
