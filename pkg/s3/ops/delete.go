package ops

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"warp/pkg/s3"
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
	Listed  bool        // the server shall name those that it deleted as well

	confirmed []ObjectID // those that it says it deleted, which some servers do unasked
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

// DeleteMany sends a multi-delete. Unless d.Listed is set, the server is asked to name only those objects that it did not delete.
func (S3) DeleteMany(ctx context.Context, s s3.Session, c *s3.Call, d *Deletion) error {
	body, err := deleteBody(d.Objects, !d.Listed)
	if err != nil {
		return err
	}
	c.BeginKey("", http.MethodPost, s3.NoAccess)
	c.Query = append(c.Query, s3.Param{Name: "delete"})
	c.SetDocument(body)
	c.Parse = func(r io.Reader) error { return d.read(r, c.Status) }
	return s.Do(ctx, c)
}

// deleteBody makes the body of a multi-delete. It fails if XML cannot hold one of the keys: another one would be deleted.
func deleteBody(objects []ObjectID, quiet bool) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`)
	if quiet {
		b.WriteString("<Quiet>true</Quiet>")
	}
	for _, o := range objects {
		if !o.Batchable() {
			return nil, s3.Errorf(s3.ClassBadRequest, 0, "a multi-delete cannot name the key %q; delete it by itself", o.Key)
		}
		b.WriteString("<Object><Key>")
		_ = xml.EscapeText(&b, []byte(o.Key)) // a Buffer does not fail
		b.WriteString("</Key>")
		if o.Version != "" {
			b.WriteString("<VersionId>" + EscapeXML(o.Version) + "</VersionId>")
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
	var code, message string
	root, err := WalkXML(r, func(el Element) {
		switch {
		case el.Name == "Key" && (el.Parent == "Error" || el.Parent == "Deleted"):
			id.Key = string(el.Text)
		case el.Name == "VersionId" && (el.Parent == "Error" || el.Parent == "Deleted"):
			id.Version = string(el.Text)
		case el.Name == "Code":
			code = string(el.Text)
		case el.Name == "Message":
			message = string(el.Text)
		case el.Parent != "DeleteResult" || len(d.Failed)+len(d.confirmed) > len(d.Objects): // enough to see that it is wrong
		case el.Name == "Error":
			d.Failed = append(d.Failed, ObjectErr{ObjectID: id, Err: s3.CodeError(code, message)})
			id, code, message = ObjectID{}, "", ""
		case el.Name == "Deleted":
			d.confirmed = append(d.confirmed, id)
			id, code, message = ObjectID{}, "", ""
		}
	})
	switch {
	case err != nil:
		return BadResponse(root, err)
	case root == "Error": // a failure behind a 200, which S3 allows itself where work began before it failed
		return s3.CodeError(code, message)
	case root != "DeleteResult":
		return BadResponse(root, errors.New("not the response to a multi-delete"))
	case len(d.Failed) == 0 && len(d.confirmed) == 0:
		return nil
	}
	if err := d.check(status); err != nil {
		d.begin()
		return err
	}
	return d.Outcome()
}

// Outcome returns the error of a request that did not delete all objects; nil if it did.
func (d *Deletion) Outcome() error {
	if len(d.Failed) == 0 {
		return nil
	}
	first := d.Failed[0]
	text := fmt.Sprintf("%d of %d objects; first: %s: %v", len(d.Failed), len(d.Objects), first.Key, first.Err)
	return &s3.Error{Class: s3.ClassNotDeleted, Message: s3.OneLine(text), Err: first.Err}
}

// Gone takes objects that are not there for deleted ones, and returns the error of the others.
func (d *Deletion) Gone() error {
	n := 0
	for i, f := range d.Failed {
		if !s3.IsNotFound(f.Err) {
			d.Failed[n], d.Places[n] = f, d.Places[i]
			n++
		}
	}
	d.Failed, d.Places = d.Failed[:n], d.Places[:n]
	return d.Outcome()
}

// check makes sure that what a response says is about the objects that were to be deleted, each once. A server that lists those that it
// deleted must list all of them.
func (d *Deletion) check(status int) error {
	wrong := func(format string, args ...any) error {
		return s3.Errorf(s3.ClassBadResponse, status, format, args...)
	}
	asked := newRequestedObjects(d.Objects)
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

// requestedObjects are the objects that a request names. A response takes out each object that it names.
type requestedObjects struct {
	objects []ObjectID
	first   map[string]int // place of the first object of a key
	next    []int          // place of the next object of the same key; 0: there is none
	taken   []bool
	left    int // that were not taken out
}

func newRequestedObjects(objects []ObjectID) *requestedObjects {
	n := len(objects)
	a := &requestedObjects{objects: objects, first: make(map[string]int, n), next: make([]int, n), taken: make([]bool, n), left: n}
	for i := n - 1; i >= 0; i-- {
		key := objects[i].Key
		a.next[i] = a.first[key]
		a.first[key] = i
	}
	return a
}

// take takes out an object that a response names, and returns its place; -1 if there is none. Servers may leave out the version, state a
// version where none was asked for, or escape keys as in listings.
func (a *requestedObjects) take(named ObjectID) int {
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

func (a *requestedObjects) find(key, version string) (place int) {
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
