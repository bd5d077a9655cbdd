// Package jsonapi is the dialect of Google Cloud Storage by its JSON interface, with bearer tokens.
package jsonapi

import (
	"cmp"
	"net/http"
	"strings"

	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/gcs"
	"warp/pkg/s3/ops"
)

// maxDeletions is how many requests a batch has at most.
const maxDeletions = 100

// Dialect spells requests of the JSON interface.
type Dialect struct {
	gcs.Interface
	buckets []bucket // by number
	make    string   // path of the request that creates buckets
	batch   []byte   // path of batches
	upload  upload   // what uploads say of their objects
}

var _ ops.Operations = (*Dialect)(nil)

// bucket is the paths of requests on a bucket.
type bucket struct {
	name    string
	objects string // what stands before the slash and the key
	itself  []byte
	list    []byte
	upload  []byte
}

// New returns the dialect for a configuration.
func New(cfg *s3.Config) *Dialect {
	d := &Dialect{
		Interface: gcs.Interface{Config: cfg, API: s3.APIJSON, Deletions: maxDeletions, Missing: lacks},
		make:      cfg.Root + "/storage/v1/b",
		batch:     []byte(cfg.Root + "/batch/storage/v1"),
		upload:    newUpload(cfg),
	}
	for n := range max(1, cfg.Buckets) {
		d.buckets = append(d.buckets, d.newBucket(cfg.BucketName(n)))
	}
	return d
}

func (d *Dialect) newBucket(name string) bucket {
	path := d.make + "/" + string(exchange.AppendQuery(nil, name))
	return bucket{
		name:    name,
		objects: path + "/o",
		itself:  []byte(path),
		list:    []byte(path + "/o"),
		upload:  []byte(d.Config.Root + "/upload" + path[len(d.Config.Root):] + "/o"),
	}
}

// bucketOf returns the bucket of a call, before or after its session has numbered it.
func (d *Dialect) bucketOf(s s3.Session, c *s3.Call) *bucket {
	if c.Other != "" {
		other := d.newBucket(c.Other)
		return &other
	}
	n := c.Bucket
	if s != nil {
		n = cmp.Or(s.Bucket(), n)
	}
	return &d.buckets[n]
}

// lacks is what this interface does not have, for s3.LackMessage.
var lacks = map[s3.Verb]string{
	s3.ACLs:      "warp cannot read ACLs of " + s3.TitleGCS + " yet",
	s3.InParts:   "uploads in parts in its JSON interface; use --gcs-api=xml",
	s3.ListFirst: "other version of its listings",
}

var names = s3.Names{
	Version:       gcs.Generation,
	ETag:          gcs.Generation,
	VersionParam:  "generation",
	SourceVersion: "x-goog-copy-source-generation",
	Success:       "another status",
	Generations:   true,
}

// Names are how headers and parameters are called.
func (d *Dialect) Names() *s3.Names { return &names }

// Address completes a request on an object, unless the call has a path of its own, and states its conditions, which are parameters.
func (d *Dialect) Address(q *exchange.Request, c *s3.Call) {
	if c.Path == nil {
		q.Bucket, q.Segment = d.bucketOf(nil, c).objects, true
	}
	if c.If != (s3.Conditions{}) {
		c.Query = appendConditions(c.Query, c.If)
		q.Query = c.Query
	}
}

// appendConditions appends conditions. Generation 0 is that of an object that is not there. Users may have given quotes, as to ETags.
func appendConditions(all []s3.Param, c s3.Conditions) []s3.Param {
	for _, one := range [...]struct{ value, name, any string }{
		{c.Match, "ifGenerationMatch", "ifGenerationNotMatch"},
		{c.NoneMatch, "ifGenerationNotMatch", "ifGenerationMatch"},
	} {
		switch one.value {
		case "":
		case "*":
			all = append(all, s3.Param{Name: one.any, Value: "0"})
		default:
			all = append(all, s3.Param{Name: one.name, Value: strings.Trim(one.value, `"`)})
		}
	}
	return all
}

// Headers appends nothing: conditions are parameters.
func (d *Dialect) Headers(all []s3.Header, _ *s3.Call) []s3.Header { return all }

// Succeeds reports whether a status is a success of a call. Emulators respond to a DELETE with 200.
func (d *Dialect) Succeeds(c *s3.Call) bool {
	switch {
	case c.Status == http.StatusOK:
		return true
	case c.Method == http.MethodGet:
		return c.Length > 0 && c.Status == http.StatusPartialContent
	case c.Method == http.MethodDelete:
		return c.Status == http.StatusNoContent
	}
	return c.Method == http.MethodPut && c.Status == http.StatusCreated
}

// Lists reports whether a GET that names no object is a listing.
func (d *Dialect) Lists(c *s3.Call) bool {
	return len(c.Path) > 2 && string(c.Path[len(c.Path)-2:]) == "/o"
}
