// Package azure is the dialect of Azure Blob Storage: block blobs are objects, containers buckets, and blocks parts.
package azure

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/ops"
)

const (
	// Version is that of the API, which each request names.
	Version = "2023-11-03"

	title = s3.TitleAzure
)

// Limits of the service.
const (
	maxPage      = 5000
	maxDeletions = 256
	maxBlocks    = 50_000
	maxBlock     = 4000 << 20
	maxPut       = 5000 << 20
)

// Dialect spells requests for one account.
type Dialect struct {
	base      string // URL before containers, without a slash at its end
	cfg       *s3.Config
	container []byte // path of the first container
	top       []byte // path of the account
	account   account
	sas       string                // token that requests end with; empty: they are signed, or anonymous
	ofAccount bool                  // the token is one of the account, not of a container
	keys      func() *exchange.Keys // of the moment; nil: requests are not signed
	committed []s3.Header           // of blobs that are made of blocks
}

var _ ops.Operations = (*Dialect)(nil)

// New returns the dialect for the account of a configuration.
func New(cfg *s3.Config) *Dialect {
	d := &Dialect{cfg: cfg, container: []byte(cfg.Root + "/" + cfg.Bucket), top: []byte(cmp.Or(cfg.Root, "/"))}
	if len(cfg.Hosts) > 0 {
		d.base = cfg.HostURL(cfg.NameOf(cfg.Hosts[0])) + cfg.Root
	}
	switch {
	case cfg.Signature == "anonymous", cfg.Bearer:
	case cfg.AccessKey == "":
		d.sas = strings.TrimPrefix(string(cfg.SessionToken), "?")
		token, _ := url.ParseQuery(d.sas) // which was checked
		d.ofAccount = token.Has("ss")
	default:
		given := &exchange.Keys{Scheme: exchange.SharedKey, Access: string(cfg.AccessKey), Secret: string(cfg.SecretKey)}
		d.keys = func() *exchange.Keys { return given }
	}
	contentType := s3.Header{Name: "X-Ms-Blob-Content-Type", Value: "application/octet-stream"}
	for _, h := range cfg.Headers {
		if strings.EqualFold(h.Name, "Content-Type") {
			contentType.Value = h.Value
			continue
		}
		d.committed = append(d.committed, s3.Header{Name: d.Upload(h.Name), Value: h.Value})
	}
	d.committed = append(d.committed, contentType)
	return d
}

// Use has requests within others, and sources of copies, prove themselves with the keys that the requests are signed with.
func (d *Dialect) Use(keys func() *exchange.Keys) { d.keys = keys }

// Name is the kind of store.
func (d *Dialect) Name() string { return s3.StoreAzure }

// Title is the kind of store, for people.
func (d *Dialect) Title() string { return title }

// Describe returns the store, and what proves who asks.
func (d *Dialect) Describe() s3.Description {
	auth := "anonymous"
	switch {
	case !d.cfg.Anonymous() && d.cfg.Bearer:
		auth = "bearer token"
	case d.sas != "":
		auth = "SAS"
	case d.keys != nil:
		auth = "SharedKey"
	}
	return s3.Description{Dialect: s3.StoreAzure, Name: title, Version: Version, Auth: auth}
}

// lacks is what there is not, for s3.LackMessage.
var lacks = map[s3.Verb]string{
	s3.ByForm:      "uploads by forms",
	s3.Archives:    "archives that it extracts",
	s3.ManyAtOnce:  "uploads that make several objects",
	s3.Composing:   "request that joins blobs",
	s3.PartNumbers: "downloads by part number; use get --part.size",
	s3.InZip:       "files in archives",
	s3.Attributes:  "attributes of objects",
	s3.ACLs:        "ACLs of objects",
	s3.ListFirst:   "other version of its listings",
	s3.StartAfter:  "listings that begin after a key",
	s3.Versions:    "versions by container: they are a setting of the account",
	s3.Retentions:  "warp cannot lock blobs of Azure yet",
	s3.LegalHolds:  "warp cannot hold blobs of Azure yet",
	s3.Renaming:    "renaming of blobs",
	s3.SQL:         "warp cannot query blobs of Azure yet",
}

// Lacks says what cannot be done.
func (d *Dialect) Lacks(v s3.Verb) string {
	text := lacks[v]
	switch {
	case v == s3.Presigned && d.sas != "":
		text = "URLs that are signed ahead without the key of the account"
	case d.account.directories.Load() && hierarchical[v] != "":
		text = hierarchical[v]
	}
	return s3.LackMessage(title, text)
}

// hierarchical is what accounts with a hierarchical namespace lack in addition.
var hierarchical = map[s3.Verb]string{
	s3.Versions:   "versions in accounts with a hierarchical namespace",
	s3.ObjectTags: "tags of blobs in accounts with a hierarchical namespace",
}

// lacking returns the error of a request that cannot be made; nil if it can.
func (d *Dialect) lacking(v s3.Verb) error {
	if lack := d.Lacks(v); lack != "" {
		return &s3.Error{Class: s3.ClassBadRequest, Message: lack, Judgement: s3.Judged | s3.Unknown}
	}
	return nil
}

// Limits are the largest requests.
func (d *Dialect) Limits() s3.Limits {
	return s3.Limits{
		Entries: maxPage, Deletions: maxDeletions, Parts: maxBlocks, MaxPart: maxBlock, Put: maxPut, Object: maxBlocks * maxBlock,
	}
}

var names = s3.Names{
	Version:       "x-ms-version-id",
	ETag:          "etag",
	VersionParam:  "versionid",
	SourceVersion: "x-ms-copy-source-version-id",
	Success:       "another status",
}

// Names are how headers and parameters are called.
func (d *Dialect) Names() *s3.Names { return &names }

// Address sets the path of a request about a container, which has no slash at its end, and appends a SAS.
func (d *Dialect) Address(q *exchange.Request, c *s3.Call) {
	q.Suffix = d.sas
	switch {
	case c.Key != "":
	case d.ofAccount && comp(c) == "batch", ofService(c):
		q.Path = d.top
	case q.Bucket != "":
		q.Path = []byte(q.Bucket)
	default:
		q.Path = d.container
	}
}

// Headers appends the headers of conditions, and of the source of a copy.
func (d *Dialect) Headers(all []s3.Header, c *s3.Call) []s3.Header {
	if c.Source != "" {
		all = append(all, s3.Header{Name: "X-Ms-Copy-Source", Value: d.source(c)})
		if k := d.bearer(); k != nil && provesSource(c) {
			all = append(all, s3.Header{Name: "X-Ms-Copy-Source-Authorization", Value: "Bearer " + k.Token})
		}
	}
	return s3.AppendConditions(all, c.If)
}

var common = []s3.Header{{Name: "X-Ms-Version", Value: Version}}

// Common are the headers of all requests.
func (d *Dialect) Common() []s3.Header { return common }

// Upload returns the name of a header that S3 names otherwise.
func (d *Dialect) Upload(name string) string {
	const metadata = "x-amz-meta-"
	lower := strings.ToLower(name)
	switch {
	case strings.HasPrefix(lower, metadata):
		return "x-ms-meta-" + name[len(metadata):]
	case lower == "x-amz-storage-class":
		return "X-Ms-Access-Tier"
	case lower == "x-amz-tagging":
		return "X-Ms-Tags"
	}
	return name
}

// Succeeds reports whether a status is a success of a call.
func (d *Dialect) Succeeds(c *s3.Call) bool {
	switch c.Method {
	case http.MethodGet, http.MethodHead:
		return c.Status == http.StatusOK || c.Length > 0 && c.Status == http.StatusPartialContent
	case http.MethodDelete:
		return c.Status == http.StatusAccepted
	case http.MethodPost:
		return c.Status == http.StatusAccepted || c.Status == http.StatusOK
	}
	switch {
	case c.Source != "" && c.Access == s3.MakesObjects:
		return c.Status == http.StatusAccepted
	case comp(c) == "tags":
		return c.Status == http.StatusNoContent
	case comp(c) == "tier", comp(c) == "metadata":
		return c.Status == http.StatusOK || c.Status == http.StatusAccepted
	}
	return c.Status == http.StatusCreated
}

// comp is the component of a blob or container that a request is about.
func comp(c *s3.Call) string {
	for i := range c.Query {
		if c.Query[i].Name == "comp" {
			return c.Query[i].Value
		}
	}
	return ""
}

// Lists reports whether a GET is a listing.
func (d *Dialect) Lists(c *s3.Call) bool { return comp(c) == "list" }
