package doctor

import (
	"context"
	"net/http"

	"warp/pkg/doctor/finding"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/preflight"
	"warp/pkg/s3/probe"
)

// probe is a check by a row of the table that runs use too.
func (t *trial) probe(c *probe.Capability) verdict { return t.probeBy(c, t.host.session) }

// probeWith is probe with options of uploads.
func (t *trial) probeWith(c *probe.Capability, u s3.Uploads) verdict {
	cfg := t.host.cfg
	cfg.Uploads = u
	store, err := connect.New(cfg)
	if err != nil {
		return verdict{result: finding.Untried, detail: err.Error()}
	}
	defer store.Close()
	return t.probeBy(c, preflight.WithDiagnosis(store.Session(0), cfg))
}

func (t *trial) probeBy(c *probe.Capability, session s3.Session) verdict {
	if cfg := t.host.cfg; c.Keyed && (cfg.Unsigned() || cfg.Signature == "S3V2") {
		return verdict{result: finding.Untried, detail: "it needs keys and signature version 4"}
	}
	if v, ok := t.object(); !ok {
		return v
	}
	o := &probe.Object{
		S3: noting{session, t.host}, Key: t.prefix + objectKey, Bucket: t.host.bucket.Name(), Version: t.version, ETag: t.etag, TwoPart: true,
	}
	err := c.Try(t.ctx, o)
	t.host.uploads = append(t.host.uploads, o.Unfinished...)
	if err != nil {
		t.etag, t.failed = "", err // the object may be another one
	} else if len(o.Notes) > 0 {
		return yes("%s", o.Notes[0])
	}
	return judge(err)
}

// ofParts returns a check that needs the object of several parts.
func ofParts(c *probe.Capability) func(t *trial) verdict {
	return func(t *trial) verdict {
		if !t.parts {
			return verdict{result: finding.Untried, detail: "there is no object of several parts"}
		}
		return t.probe(c)
	}
}

// tryParts uploads the object of several parts.
func tryParts(t *trial) verdict {
	v := t.probe(probe.Parts)
	t.parts = v.result == finding.Yes
	return v
}

// noting is a session that notes the objects which its requests may make.
type noting struct {
	s3.Session
	host *host
}

// Do performs a request.
func (n noting) Do(ctx context.Context, c *s3.Call) error {
	if c.Key != "" && (c.Method == http.MethodPut || c.Method == http.MethodPost) {
		n.host.add(c.Key)
	}
	return n.Session.Do(ctx, c)
}
