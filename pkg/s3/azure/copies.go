package azure

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"warp/internal/clock"
	"warp/pkg/load/loop"
	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/ops"
)

// maxSyncCopy is the largest blob that is copied while its client waits.
const maxSyncCopy = 256 << 20

// firstPoll and lastPoll are how long to wait before a copy is looked at, first and later.
const (
	firstPoll = 10 * time.Millisecond
	lastPoll  = time.Second
)

// proofLife is how long a source may be read that a copy proves its right to.
const proofLife = time.Hour

// Copy copies a blob within its account. A large one, or a version, is copied after the response, which is waited for.
func (d *Dialect) Copy(ctx context.Context, s s3.Session, c *s3.Call, source string) error {
	sync := c.Size > 0 && c.Size <= maxSyncCopy && !strings.Contains(source, versionMark)
	c.Begin(http.MethodPut, s3.MakesObjects)
	c.Body, c.Size, c.Source = nil, 0, source
	if sync {
		c.Headers = append(c.Headers, s3.Header{Name: "X-Ms-Requires-Sync", Value: "true"})
	}
	c.Want = append(c.Want, "x-ms-copy-status")
	if err := s.Do(ctx, c); err != nil || c.Got[0] != "pending" {
		return err
	}
	return d.waitForCopy(ctx, s, c)
}

// waitForCopy looks at a blob until it is copied. The response of the call becomes that of all requests together.
func (d *Dialect) waitForCopy(ctx context.Context, s s3.Session, c *s3.Call) error {
	look := s3.Call{Key: c.Key, Bucket: c.Bucket, Other: c.Other}
	for pause := firstPoll; ; pause = min(2*pause, lastPoll) {
		if !loop.Pause(ctx, pause) {
			return s3.Classify(ctx.Err())
		}
		look.Size, look.WantETag = -1, c.WantETag
		begin(&look, http.MethodHead, s3.ReadsWrites)
		look.Want = append(look.Want, "x-ms-copy-status", "x-ms-copy-status-description")
		err := s.Do(ctx, &look)
		before := c.Response
		c.Response = look.Response
		c.After(&before)
		if err != nil {
			return err
		}
		switch look.Got[0] {
		case "pending":
		case "success", "":
			return nil
		default:
			return s3.Errorf("copy "+look.Got[0], look.Status, "%s", look.Got[1])
		}
	}
}

// CopyOnto copies a blob onto itself.
func (d *Dialect) CopyOnto(ctx context.Context, s s3.Session, c *s3.Call, source string) error {
	return d.Copy(ctx, s, c, source)
}

// CopyPart makes a block of a range of a blob.
func (d *Dialect) CopyPart(ctx context.Context, s s3.Session, c *s3.Call, _ *ops.Document, source, _ string, number int) (ops.Part, error) {
	c.Begin(http.MethodPut, s3.ReadsWrites)
	c.Body, c.Size, c.Source = nil, 0, source
	component(c, "block")
	c.Query = append(c.Query, s3.Param{Name: "blockid", Value: blockID(number)})
	if c.Length > 0 {
		var buf [48]byte
		b := strconv.AppendInt(append(buf[:0], "bytes="...), c.Offset, 10)
		b = strconv.AppendInt(append(b, '-'), c.Offset+c.Length-1, 10)
		c.Headers = append(c.Headers, s3.Header{Name: "X-Ms-Source-Range", Value: string(b)})
	}
	if err := s.Do(ctx, c); err != nil {
		return ops.Part{}, err
	}
	return ops.Part{Number: number, Size: c.Length}, nil
}

// versionMark is before the version in the name of a source.
const versionMark = "?versionId="

// source is the URL of the source of a copy, with what proves that it may be read. The service reads it itself, and takes the signature
// of the request for that only where it copies after its response.
func (d *Dialect) source(c *s3.Call) string {
	path, version, versioned := strings.Cut(c.Source, versionMark)
	at := d.base + "/" + path
	var query []string
	if versioned {
		query = append(query, "versionid="+version)
	}
	switch {
	case d.sas != "":
		query = append(query, d.sas)
	case d.keys != nil && d.bearer() == nil && provesSource(c):
		query = append(query, d.proof(path, version))
	}
	if len(query) > 0 {
		at += "?" + strings.Join(query, "&")
	}
	return at
}

// provesSource reports whether the source of a copy needs a proof of its own.
func provesSource(c *s3.Call) bool {
	return comp(c) == "block" || s3.HasHeader(c.Headers, "X-Ms-Requires-Sync")
}

// bearer are the keys of the moment if they are a bearer token; else nil.
func (d *Dialect) bearer() *exchange.Keys {
	if d.keys == nil {
		return nil
	}
	if k := d.keys(); k.Scheme == exchange.Bearer {
		return k
	}
	return nil
}

// proof is a SAS for the source of a copy; empty if none can be made.
func (d *Dialect) proof(path, version string) string {
	name, err := url.PathUnescape(path)
	if err != nil {
		return ""
	}
	version, _ = url.QueryUnescape(version)
	container, blob, _ := strings.Cut(name, "/")
	a := serviceSAS{rights: "r", container: container, blob: blob, version: version}
	params, err := a.sign(d.keys(), clock.Wall().Add(proofLife))
	if err != nil {
		return "" // the store says what is missing
	}
	return string((&exchange.Request{Query: params}).AppendQuery(nil))
}
