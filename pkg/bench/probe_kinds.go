package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"warp/pkg/op"
	"warp/pkg/s3"
)

// kindProbe tries the requests of a workload that are other ones than a plain upload and download.
type kindProbe struct {
	needed func(t *Traits) bool
	try    func(ctx context.Context, p *Probe, t *Traits) error
}

// kindProbes are tried in this order; conditions come last, since servers that ignore them delete the object.
var kindProbes = []kindProbe{
	{func(t *Traits) bool { return t.PartSize > 0 || t.sends(op.PutPart) }, tryParts},
	{func(t *Traits) bool { return t.Copies }, tryCopyPart},
	{func(t *Traits) bool { return t.Ranged || t.sends(op.GetPart) }, tryRange},
	{func(t *Traits) bool { return t.Presign }, tryPresigned},
	{func(t *Traits) bool { return t.sends(op.Post) && t.Probe == nil }, tryForm},
	{func(t *Traits) bool { return t.If.Any() }, tryConditions},
}

// sends reports whether the workload sends requests of a kind.
func (t *Traits) sends(kind op.Kind) bool { return slices.Contains(t.Kinds, kind) }

// probed reports whether something about the workload has to be tried.
func (t *Traits) probed() bool {
	return t.Probe != nil || t.names() > 0 || slices.ContainsFunc(kindProbes, func(k kindProbe) bool { return k.needed(t) })
}

// tryKinds tries all that the workload needs beside its own Probe.
func (p *Probe) tryKinds(ctx context.Context, t *Traits) error {
	for _, k := range kindProbes {
		if !k.needed(t) {
			continue
		}
		if err := k.try(ctx, p, t); err != nil {
			return err
		}
	}
	return nil
}

// Upload returns a Call that uploads text under a key.
func (p *Probe) Upload(key, text string) *s3.Call {
	c := p.Call()
	c.Key, c.Body, c.Size = key, bytes.NewReader([]byte(text)), int64(len(text))
	return c
}

// tryParts makes sure that the server takes an object in parts.
func tryParts(ctx context.Context, p *Probe, _ *Traits) (err error) {
	key := p.Key + ".parts"
	c := p.Call()
	c.Key, c.Size = key, 0
	id, err := s3.CreateUpload(ctx, p.S3, c)
	if err != nil {
		return err
	}
	part, err := s3.PutPart(ctx, p.S3, p.Upload(key, ProbeText), id, 1)
	if err == nil {
		c = p.Call()
		c.Key, c.Size = key, 0
		err = s3.CompleteUpload(ctx, p.S3, c, id, []s3.Part{part})
	}
	version := c.VersionID
	if err != nil {
		c = &s3.Call{Key: key}
		if aborted := s3.AbortUpload(context.WithoutCancel(ctx), p.S3, c, id); aborted != nil && !s3.NotThere(aborted) {
			err = fmt.Errorf("%w; an unfinished upload of %q may stay in the bucket", err, key)
		}
		return err
	}
	defer p.Remove(ctx, s3.ObjectID{Key: key, Version: version}, &err)
	text, err := p.Read(ctx, key)
	if err == nil && text != ProbeText {
		err = fmt.Errorf("the server confirms an object of one part of %d bytes, and returns another one of %d bytes", len(ProbeText), len(text))
	}
	return err
}

// tryCopyPart warns if the server does not copy an object as a part of another one. Some want sources of several megabytes, which a trace may have.
func tryCopyPart(ctx context.Context, p *Probe, _ *Traits) (err error) {
	key := p.Key + ".copied"
	c := p.Call()
	c.Key, c.Size = key, 0
	id, err := s3.CreateUpload(ctx, p.S3, c)
	if err != nil {
		return err
	}
	c = p.Call()
	c.Key, c.Size = key, 0
	if _, err := s3.CopyPart(ctx, p.S3, c, &s3.Document{}, s3.CopySource(p.Bucket, s3.ObjectID{Key: p.Key}), id, 1); err != nil {
		p.Warn("copies of parts are likely to fail: %v", err)
	}
	c = &s3.Call{Key: key}
	if err = s3.AbortUpload(context.WithoutCancel(ctx), p.S3, c, id); s3.NotThere(err) {
		return nil
	}
	return err
}

// tryRange makes sure that the server returns ranges.
func tryRange(ctx context.Context, p *Probe, _ *Traits) error {
	const from, to = 3, 10
	var got bytes.Buffer
	c := p.Call()
	c.Offset, c.Length, c.Into = from, to-from, &got
	err := s3.Get(ctx, p.S3, c)
	if err == nil && got.String() != ProbeText[from:to] {
		err = errors.New("the server does not return the range of an object that is asked for")
	}
	return err
}

// tryPresigned makes sure that the server takes URLs that are signed ahead.
func tryPresigned(ctx context.Context, p *Probe, t *Traits) (err error) {
	key := p.Key
	if t.sends(op.Put) {
		key += ".signed"
		c := p.Upload(key, ProbeText)
		c.Auth = s3.AuthQuery
		if err = s3.Put(ctx, p.S3, c); err != nil {
			return err
		}
		defer p.Remove(ctx, s3.ObjectID{Key: key, Version: c.VersionID}, &err)
	}
	var got bytes.Buffer
	c := p.Call()
	c.Key, c.Auth, c.Size, c.Into = key, s3.AuthQuery, -1, &got
	if err = s3.Get(ctx, p.S3, c); err == nil && got.String() != ProbeText {
		err = errors.New("the server confirms an upload by a signed URL, and stores something else")
	}
	return err
}

// tryForm makes sure that the server takes uploads by forms.
func tryForm(ctx context.Context, p *Probe, _ *Traits) (err error) {
	key := p.Key + ".form"
	c := p.Upload(key, ProbeText)
	err = s3.Post(ctx, p.S3, c)
	if err != nil && !c.Begun {
		return err
	}
	defer p.RemoveNew(ctx, key, &err)
	if err != nil {
		return err
	}
	if text, err := p.Read(ctx, key); err != nil || text != ProbeText {
		return errors.Join(err, errors.New("the server confirms an upload by a form, and stores something else"))
	}
	return nil
}

// noETag is one that no object has.
const noETag = `"00000000000000000000000000000000"`

// conditional are the requests that can be conditional, deletions last.
var conditional = []struct {
	kind op.Kind
	send func(ctx context.Context, p *Probe, c s3.Conditions) (*s3.Call, error)
}{
	{op.Get, func(ctx context.Context, p *Probe, on s3.Conditions) (*s3.Call, error) {
		c := p.Call()
		c.If, c.Size, c.Into = on, -1, &bytes.Buffer{}
		return c, s3.Get(ctx, p.S3, c)
	}},
	{op.Stat, func(ctx context.Context, p *Probe, on s3.Conditions) (*s3.Call, error) {
		c := p.Call()
		c.If, c.Size = on, -1
		return c, s3.Stat(ctx, p.S3, c)
	}},
	{op.Put, func(ctx context.Context, p *Probe, on s3.Conditions) (*s3.Call, error) {
		c := p.Upload(p.Key, ProbeText)
		c.If = on
		return c, s3.Put(ctx, p.S3, c)
	}},
	{op.Delete, func(ctx context.Context, p *Probe, on s3.Conditions) (*s3.Call, error) {
		c := p.Call()
		c.If = on
		return c, s3.Delete(ctx, p.S3, c)
	}},
}

// tryConditions makes sure that the server knows conditional requests, and warns if it ignores conditions. They protect objects that the run did
// not make: where they are ignored, such a run is refused.
func tryConditions(ctx context.Context, p *Probe, t *Traits) error {
	for _, r := range conditional {
		if !t.sends(r.kind) || t.If.Only != nil && !slices.Contains(t.If.Only, r.kind) {
			continue
		}
		if t.If.IfMatch != "" {
			if err := p.tryCondition(ctx, t, r.kind, "If-Match", func(ctx context.Context) (*s3.Call, error) {
				return r.send(ctx, p, s3.Conditions{Match: noETag})
			}); err != nil {
				return err
			}
		}
		if t.If.IfNoneMatch != "" {
			if err := p.tryCondition(ctx, t, r.kind, "If-None-Match", func(ctx context.Context) (*s3.Call, error) {
				return r.send(ctx, p, s3.Conditions{NoneMatch: "*"})
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// TryIfMatch makes sure that the server knows If-Match of a kind of requests, and warns if it ignores it.
func (p *Probe) TryIfMatch(ctx context.Context, kind op.Kind) error {
	return tryConditions(ctx, p, &Traits{Kinds: []op.Kind{kind}, If: Conditions{IfMatch: Current}})
}

// tryCondition sends a request whose condition does not hold.
func (p *Probe) tryCondition(ctx context.Context, t *Traits, kind op.Kind, header string, send func(context.Context) (*s3.Call, error)) error {
	c, err := send(ctx)
	switch {
	case err == nil && t.destroys() && kind == op.Delete:
		return fmt.Errorf("the server ignores %s of %s, which is to protect objects that the run did not make; without the flag they are deleted nevertheless", header, kind)
	case err == nil:
		p.Warn("the server ignores %s of %s: these requests are measured as if they had no condition", header, kind)
	case !slices.Contains(ConditionStatuses, c.Status):
		return fmt.Errorf("with %s: %w", header, err)
	case c.Status == http.StatusConflict:
		p.Warn("the server answers %s of %s with 409 where the condition does not hold", header, kind)
	}
	return nil
}
