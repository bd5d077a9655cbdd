package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
)

// Probe is what a workload tries its requests with (Traits.Probe): an object, and a session whose requests are not measured.
type Probe struct {
	S3     s3.Session
	Key    string
	Bucket string

	late     bool // objects become readable some time after their upload
	call     s3.Call
	warnings []string
}

// Warn notes that the server can do what the workload needs, but not as it should.
func (p *Probe) Warn(format string, args ...any) {
	p.warnings = append(p.warnings, fmt.Sprintf(format, args...))
}

// ProbeText is the content of the object.
const ProbeText = "An object by which warp finds out what a server can do."

// Call returns a Call about the object.
func (p *Probe) Call() *s3.Call {
	p.call.Reset()
	p.call.Key, p.call.Size = p.Key, int64(len(ProbeText))
	return &p.call
}

// Unchanged returns an error unless the object holds what was uploaded.
func (p *Probe) Unchanged(ctx context.Context) error {
	text, err := p.Read(ctx, p.Key)
	if err == nil && text != ProbeText {
		err = errors.New("the server overwrites the object")
	}
	return err
}

// Read returns the content of an object.
func (p *Probe) Read(ctx context.Context, key string) (string, error) {
	return p.read(ctx, s3.ObjectID{Key: key})
}

func (p *Probe) read(ctx context.Context, id s3.ObjectID) (string, error) {
	var got bytes.Buffer
	get := func() error {
		got.Reset()
		c := p.Call()
		c.Key, c.Version, c.Size, c.Into = id.Key, id.Version, -1, &got
		return s3.Get(ctx, p.S3, c)
	}
	var err error
	if p.late {
		_, err = preflight.Late(ctx, get)
	} else {
		err = get()
	}
	return got.String(), err
}

// Remove deletes an object that was made, also when ctx is cancelled. Its error is added to *err if that is nil.
func (p *Probe) Remove(ctx context.Context, id s3.ObjectID, err *error) {
	deleted := preflight.Remove(context.WithoutCancel(ctx), p.S3, &p.call, id)
	if deleted != nil && *err == nil && !s3.NotThere(deleted) {
		*err = deleted
	}
}

// RemoveNew deletes an object that the probe may have made, whose version no response stated.
func (p *Probe) RemoveNew(ctx context.Context, key string, err *error) {
	c := p.Call()
	c.Key, c.Size = key, -1
	if there := s3.Stat(context.WithoutCancel(ctx), p.S3, c); s3.NotThere(there) {
		return
	}
	p.Remove(ctx, s3.ObjectID{Key: key, Version: c.VersionID}, err)
}

// probe has each workload that needs it try its requests, those with versions first. A run that only reads makes no object for that.
func probe(ctx context.Context, r *Run) error {
	for i, s := range r.plan.tasks {
		if !s.traits.probed() || r.plan.Target.NoPreflight {
			continue
		}
		p := &Probe{S3: persistent{r.unmeasured(0)}, Key: fmt.Sprintf("%s.%d", r.claims.probe, i), Bucket: r.plan.Target.Bucket, late: r.claims.bucket.Lag() > 0}
		if s.traits.Locks {
			p.S3 = s3.BypassGovernance(p.S3)
		}
		if err := p.perform(ctx, &s.traits); err != nil {
			return fmt.Errorf("%s cannot be measured on this server: %w", s.Workload, err)
		}
		for _, text := range p.warnings {
			if !slices.Contains(r.result.Warnings, text) {
				r.warn("%s", text)
				r.env.Observer.Notice("Warning: " + text)
			}
		}
	}
	return nil
}

// perform makes the object, has it tried, and deletes it.
func (p *Probe) perform(ctx context.Context, t *Traits) (err error) {
	c := p.Call()
	c.Body = bytes.NewReader([]byte(ProbeText))
	if err := preflight.PutWithGrace(ctx, p.S3, c); err != nil {
		return err
	}
	version := c.VersionID
	defer p.Remove(ctx, s3.ObjectID{Key: p.Key, Version: version}, &err)
	if t.names() > 0 {
		if err := probeVersions(ctx, p, version); err != nil {
			return err
		}
	}
	if t.Probe != nil {
		if err := t.Probe(ctx, p); err != nil {
			return err
		}
	}
	return p.tryKinds(ctx, t)
}

// persistent is a session whose requests are repeated while their errors are temporary.
type persistent struct{ s3.Session }

// Do performs a request.
func (p persistent) Do(ctx context.Context, c *s3.Call) error {
	return RetryTemporary(ctx, func() error { return p.Session.Do(ctx, c) })
}
