// Package probe finds out what a server can do: it tries requests with a small object. A run tries what its plan
// needs before it measures, warp doctor tries all of it, and both by the rows of one table.
package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

// Text is the content of the object.
const Text = "Written by warp to test what this server supports."

// Capability is something that servers can do, or not.
type Capability struct {
	Group string // of warp doctor; empty: it is not shown
	Name  string // as warp doctor shows it
	Right string // that S3 calls the permission
	Keyed bool   // requests are signed ahead, which takes keys and signature version 4

	// Try returns an error if the server cannot do it, an *Ignored if it accepts the requests and does something else. What it makes it
	// removes, but for versions and delete markers where the bucket keeps them: these lie below the key of the object.
	Try func(ctx context.Context, o *Object) error

	kind  op.Kind // of requests whose condition is honoured; empty: it is about something else
	match bool    // the condition is If-Match
}

// Ignored is the error of a server that accepts a request, and does something else.
type Ignored struct {
	Status int // of the response
	Text   string
}

func (i *Ignored) Error() string { return i.Text }

// Object is what capabilities are tried with: an object that holds Text, and keys that begin with its own.
type Object struct {
	S3      s3.Session // its requests are not measured
	Key     string
	Bucket  string
	Version string // id of its version, if the bucket keeps versions
	ETag    string // empty: not known
	Late    bool   // objects become readable some time after their upload
	TwoPart bool   // uploads in parts have two, the first as short as S3 allows; Parts leaves its object for what reads parts and copies them

	Unfinished []ops.Upload // that could not be aborted
	Notes      []string     // what the server does otherwise than S3, although it can do what was tried

	call s3.Call
}

// note adds a note.
func (o *Object) note(format string, args ...any) {
	o.Notes = append(o.Notes, fmt.Sprintf(format, args...))
}

// ignored returns the error of a server that did something else than the last request asked for.
func (o *Object) ignored(format string, args ...any) error {
	return &Ignored{o.call.Status, fmt.Sprintf(format, args...)}
}

// Call returns a Call about the object.
func (o *Object) Call() *s3.Call {
	o.call.Reset()
	o.call.Key, o.call.Size = o.Key, int64(len(Text))
	return &o.call
}

// callOn returns a Call about another object, whose size is not known.
func (o *Object) callOn(id ops.ObjectID) *s3.Call {
	c := o.Call()
	c.Key, c.Version, c.Size = id.Key, id.Version, -1
	return c
}

// Upload returns a Call that uploads text under a key.
func (o *Object) Upload(key, text string) *s3.Call {
	c := o.Call()
	c.Key, c.Body, c.Size = key, bytes.NewReader([]byte(text)), int64(len(text))
	return c
}

// Put uploads the object.
func (o *Object) Put(ctx context.Context) error {
	id, etag, err := o.upload(ctx, o.Key, Text)
	o.Version, o.ETag = id.Version, etag
	return err
}

// put uploads text under a key.
func (o *Object) put(ctx context.Context, key, text string) (id ops.ObjectID, err error) {
	id, _, err = o.upload(ctx, key, text)
	return id, err
}

// upload uploads text under a key, also if ctx is cancelled meanwhile: what is removed next must have arrived. It
// waits until the object is readable.
func (o *Object) upload(ctx context.Context, key, text string) (id ops.ObjectID, etag string, err error) {
	c := o.Upload(key, text)
	c.WantETag = true
	if err := preflight.PutWithGrace(ctx, o.S3, c); err != nil {
		return id, "", err
	}
	id, etag = ops.ObjectID{Key: key, Version: c.VersionID}, c.ETag
	if o.Late {
		_, _ = o.read(ctx, id) // what needs it says what is wrong
	}
	return id, etag, nil
}

// Read returns the content of an object.
func (o *Object) Read(ctx context.Context, key string) (string, error) {
	return o.read(ctx, ops.ObjectID{Key: key})
}

func (o *Object) read(ctx context.Context, id ops.ObjectID) (string, error) {
	var got bytes.Buffer
	get := func() error {
		got.Reset()
		c := o.callOn(id)
		c.Into = AtMost(&got, longest)
		return ops.Get(ctx, o.S3, c)
	}
	var err error
	if o.Late {
		_, err = preflight.Late(ctx, get)
	} else {
		err = get()
	}
	return got.String(), err
}

// holds returns an *Ignored with a text unless an object holds Text.
func (o *Object) holds(ctx context.Context, key, otherwise string) error {
	return o.holdsText(ctx, key, Text, otherwise)
}

func (o *Object) holdsText(ctx context.Context, key, want, otherwise string) error {
	text, err := o.Read(ctx, key)
	if s3.IsNotFound(err) || errors.Is(err, ErrMore) || err == nil && text != want {
		return o.ignored("%s", otherwise)
	}
	return err
}

// unchanged returns an error unless the object holds what was uploaded.
func (o *Object) unchanged(ctx context.Context) error {
	text, err := o.Read(ctx, o.Key)
	switch {
	case s3.IsNotFound(err):
		return o.ignored("the server deletes the object")
	case err == nil && text != Text:
		return o.ignored("the server overwrites the object")
	}
	return err
}

// Remove deletes an object that was made, also when ctx is cancelled. Its error is added to *err if that is nil.
func (o *Object) Remove(ctx context.Context, id ops.ObjectID, err *error) {
	o.removeBy(ctx, o.S3, id, err)
}

func (o *Object) removeBy(ctx context.Context, s s3.Session, id ops.ObjectID, err *error) {
	deleted := preflight.Remove(context.WithoutCancel(ctx), s, o.Call(), id)
	if deleted != nil && *err == nil && !s3.IsNotFound(deleted) {
		*err = deleted
	}
}

// removeNew deletes an object that may have been made, whose version no response stated.
func (o *Object) removeNew(ctx context.Context, key string, err *error) {
	c := o.callOn(ops.ObjectID{Key: key})
	if there := ops.Stat(context.WithoutCancel(ctx), o.S3, c); s3.IsNotFound(there) {
		return
	}
	o.Remove(ctx, ops.ObjectID{Key: key, Version: c.VersionID}, err)
}

// longest is the size of the largest object that is read, and more.
const longest = 64 << 10

// ErrMore is the error of a writer of AtMost that is full.
var ErrMore = errors.New("more than was expected")

// limited is a writer that fails when more is written to it than it has left.
type limited struct {
	io.Writer
	left int64
}

// AtMost returns a writer that passes n bytes on, and fails with ErrMore if there are more.
func AtMost(w io.Writer, n int64) io.Writer { return &limited{w, n} }

// Write accepts what fits.
func (l *limited) Write(p []byte) (int, error) {
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, ErrMore
	}
	return l.Writer.Write(p)
}
