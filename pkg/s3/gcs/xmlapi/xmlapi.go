// Package xmlapi is the dialect of Google Cloud Storage by its XML interface, with HMAC keys or bearer tokens. It spells most requests as
// S3 does, in words of its own.
package xmlapi

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/gcs"
	"warp/pkg/s3/ops"
)

// maxDeletions is how many objects one request deletes at most.
const maxDeletions = 1000

// Dialect spells requests of the XML interface.
type Dialect struct {
	gcs.Interface
	ops.S3
	single atomic.Bool // the store refuses to delete many objects by one request
}

var _ ops.Operations = (*Dialect)(nil)

// New returns the dialect for a configuration.
func New(cfg *s3.Config) *Dialect {
	return &Dialect{Interface: gcs.Interface{Config: cfg, API: s3.APIXML, Deletions: maxDeletions, Missing: lacks}}
}

// lacks is what this interface does not have, for s3.LackMessage.
var lacks = map[s3.Verb]string{
	s3.ACLs:        "warp cannot read ACLs of " + s3.TitleGCS + " yet",
	s3.ReadIfOther: "reads on condition of another generation (If-None-Match) in its XML interface; use --gcs-api=json",
	s3.ObjectTags:  "tags of objects in its XML interface; use --gcs-api=json",
	s3.Versions:    "warp cannot use versions in the XML interface of " + s3.TitleGCS + " yet; use --gcs-api=json",
}

var names = s3.Names{
	Version:       gcs.Generation,
	ETag:          gcs.Generation,
	VersionParam:  "generation",
	SourceVersion: "x-goog-copy-source-generation",
	Success:       "status 200",
	SumPrefix:     "crc32c=",
	Generations:   true,
}

// Names are how headers and parameters are called.
func (d *Dialect) Names() *s3.Names { return &names }

// Address gives the parameter of a version its own name.
func (d *Dialect) Address(q *exchange.Request, c *s3.Call) {
	i := slices.IndexFunc(c.Query, func(p s3.Param) bool { return p.Name == "versionId" })
	if i < 0 {
		return
	}
	c.Query[i].Name = names.VersionParam
	slices.SortStableFunc(c.Query, s3.Param.Compare)
	q.Query = c.Query
}

// Headers appends the headers of conditions, and of the source of a copy.
func (d *Dialect) Headers(all []s3.Header, c *s3.Call) []s3.Header {
	if c.Source != "" {
		path, generation, versioned := strings.Cut(c.Source, "?versionId=")
		all = append(all, s3.Header{Name: "X-Goog-Copy-Source", Value: "/" + path})
		if versioned {
			all = append(all, s3.Header{Name: "X-Goog-Copy-Source-Generation", Value: generation})
		}
	}
	return appendConditions(all, c.If)
}

// appendConditions appends the headers of conditions. Generation 0 is that of an object that is not there; what generations cannot say is
// said as HTTP has it. Users may have given quotes, as to ETags.
func appendConditions(all []s3.Header, c s3.Conditions) []s3.Header {
	const generation = "X-Goog-If-Generation-Match"
	if c.Match != "" && c.Match != "*" {
		all = append(all, s3.Header{Name: generation, Value: strings.Trim(c.Match, `"`)})
		c.Match = ""
	}
	if c.NoneMatch == "*" {
		all = append(all, s3.Header{Name: generation, Value: "0"})
		c.NoneMatch = ""
	}
	return s3.AppendConditions(all, c)
}

// renamed are headers of uploads, by their name at S3; empty: the header is left out.
var renamed = map[string]string{
	"x-amz-storage-class":   "X-Goog-Storage-Class",
	"x-amz-checksum-crc32c": "X-Goog-Hash",
	"x-amz-acl":             "X-Goog-Acl",
	"x-amz-tagging":         "",
}

// Upload returns the name of a header that S3 names otherwise.
func (d *Dialect) Upload(name string) string {
	const metadata = "x-amz-meta-"
	lower := strings.ToLower(name)
	if strings.HasPrefix(lower, metadata) {
		return "X-Goog-Meta-" + name[len(metadata):]
	}
	if other, ok := renamed[lower]; ok {
		return other
	}
	return name
}

// Error makes the error of a response. What is in its details says more than its message.
func (d *Dialect) Error(r *http.Response) *s3.Error {
	body := s3.ErrorText(r)
	var said struct {
		XMLName                xml.Name `xml:"Error"`
		Code, Message, Details string
	}
	understood := xml.Unmarshal(body, &said) == nil
	message := said.Message
	switch {
	case !understood:
		message = string(body)
	case said.Details != "":
		message = strings.TrimRight(said.Message, ".") + ": " + said.Details
	}
	return gcs.Error(r, said.Code, message, understood)
}
