package doctor

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"strings"

	"warp/pkg/doctor/finding"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/units"
)

// describe looks up what the server says about the bucket.
func describeBucket(t *trial) {
	b := t.bucket
	b.Name = t.host.bucket.Name()
	if t.host.session.Dialect().Name() != s3.StoreS3 { // which has no documents about buckets
		b.Versioning, b.Lock = finding.VersionsNever, finding.LockNone
		if t.host.session.Dialect().Names().Generations {
			t.versions = describeVersions(t)
		}
		return
	}
	b.Region = t.host.store.Region(0)
	if r, err := t.send(request{method: http.MethodHead, want: []string{"server", "x-amz-bucket-region"}}); err == nil {
		t.host.Server, b.Said = units.Line(r.Got[0]), units.Line(r.Got[1])
	}
	t.versions, t.locks = describeVersions(t), describeLock(t)
}

func describeVersions(t *trial) verdict {
	state, err := ops.GetVersioning(t.ctx, t.host.session, &s3.Call{})
	switch {
	case err != nil:
		return judge(err)
	case state == "Enabled" || state == "Suspended":
		t.bucket.Versioning = state
	default:
		t.bucket.Versioning = finding.VersionsNever
	}
	return yes("%s", t.bucket.Versioning)
}

func describeLock(t *trial) verdict {
	r, err := t.send(request{method: http.MethodGet, query: query("object-lock", "")})
	if e := s3.AsError(err); e.Code == "ObjectLockConfigurationNotFoundError" {
		t.bucket.Lock = finding.LockNone
		return yes("%s", finding.LockNone)
	}
	if err != nil {
		return judge(err)
	}
	var config struct {
		XMLName           xml.Name `xml:"ObjectLockConfiguration"`
		ObjectLockEnabled string
		Rule              *struct{ DefaultRetention *struct{ Mode string } }
	}
	if xml.Unmarshal(r.text, &config) != nil {
		return otherContent(r.Status, r.text)
	}
	t.bucket.Lock = finding.LockNone
	switch {
	case config.Rule != nil && config.Rule.DefaultRetention != nil && config.Rule.DefaultRetention.Mode != "":
		t.bucket.Lock = finding.LockDefault
	case config.ObjectLockEnabled == "Enabled":
		t.bucket.Lock = finding.LockEnabled
	}
	return yes("%s", t.bucket.Lock)
}

func tryHeadBucket(t *trial) verdict {
	return judge(ops.HeadBucket(t.ctx, t.host.session, &s3.Call{}))
}

// trySession creates a session, which requests to a directory bucket are signed with. Servers that do not support one may list the
// bucket instead.
func trySession(t *trial) verdict {
	r, err := t.send(request{method: http.MethodGet, query: query("session", "")})
	if err != nil {
		v := judge(err)
		if !s3.IsDirectory(t.bucket.Name) {
			v.detail += "; the bucket is no directory bucket (NAME--ZONE--x-s3)"
		}
		return v
	}
	var result struct {
		XMLName     xml.Name `xml:"CreateSessionResult"`
		Credentials struct{ SessionToken string }
	}
	switch err := xml.Unmarshal(r.text, &result); {
	case bytes.Contains(r.text, []byte("ListBucketResult")):
		return ignored(r.Status, "the bucket is listed instead")
	case err != nil || result.Credentials.SessionToken == "":
		return otherContent(r.Status, r.text)
	}
	return yes("")
}

func tryVersioning(t *trial) verdict { return t.versions }
func tryLock(t *trial) verdict       { return t.locks }

// page is a page of a listing of either version.
type page struct {
	Contents              []struct{ Key string }
	Version               []struct{ Key string }
	CommonPrefixes        []struct{ Prefix string }
	IsTruncated           bool
	NextContinuationToken string
}

// listing lists what is below a prefix of the checks.
func listing(t *trial, prefix string, params ...string) (p page, status int, err error) {
	r, err := t.send(request{method: http.MethodGet, query: append(query("prefix", t.prefix+prefix), query(params...)...)})
	if err == nil {
		err = xml.Unmarshal(r.text, &p)
	}
	return p, r.Status, err
}

// names are the names in a page, each after a blank.
func (p *page) names(prefix string) (names string) {
	for _, o := range append(p.Contents, p.Version...) {
		names += " " + strings.TrimPrefix(o.Key, prefix)
	}
	for _, c := range p.CommonPrefixes {
		names += " " + strings.TrimPrefix(c.Prefix, prefix)
	}
	return units.Truncate(units.Line(names), 80)
}

func tryList(t *trial) verdict {
	p, status, err := listing(t, "a", "list-type", "2")
	switch {
	case err != nil:
		return judge(err)
	case t.etag != "" && p.names(t.prefix) != " a":
		return ignored(status, "an object that was just put is not listed")
	}
	return yes("")
}

// wrongSecret signs a request with another secret key.
func tryWrongSecret(t *trial) verdict {
	cfg := t.host.cfg
	if cfg.Anonymous() {
		return verdict{result: finding.Untried, detail: "requests are anonymous"}
	}
	cfg.SecretKey, cfg.Provider = "not"+cfg.SecretKey, nil
	v := t.with(cfg, request{method: http.MethodGet, query: append(query("list-type", "2"), query("max-keys", "1")...)})
	switch {
	case v.result == finding.Yes:
		return ignored(http.StatusOK, "a wrong secret key is accepted")
	case v.result == finding.Failed && v.status/100 != 4: // a session with a directory bucket may be what is refused
		return v
	}
	return verdict{result: finding.Yes, status: v.status}
}
