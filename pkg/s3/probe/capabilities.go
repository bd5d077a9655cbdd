package probe

import (
	"slices"

	"warp/pkg/op"
	"warp/pkg/s3"
)

// Groups of capabilities, as warp doctor shows them.
const (
	Uploads   = "Uploads"
	Downloads = "Downloads"
	Listings  = "Listings"
	Tags      = "Tags and the bucket"
	Versioned = "Versions and locks"
)

// Capabilities that have to do with uploads.
var (
	MultiDelete   = row(Uploads, "delete --batch (multi-delete)", "s3:DeleteObject", multiDelete)
	Parts         = row(Uploads, "multipart-put", "s3:PutObject", parts)
	Copy          = row(Uploads, "copy", "s3:PutObject", copied)
	CopyPart      = row(Uploads, "copy --part.size", "s3:PutObject", copyPart)
	Compose       = row(Uploads, "copy --compose (Google)", "s3:PutObject", composed)
	Append        = row(Uploads, "append (write offset)", "s3:PutObject", appended)
	Form          = keyed(Uploads, "put --post", "s3:PutObject", form)
	SignedPut     = keyed(Uploads, "put --presign", "s3:PutObject", signedPut)
	Snowball      = row(Uploads, "snowball (MinIO)", "s3:PutObject", snowball)
	FanOut        = keyed(Uploads, "fanout (MinIO)", "s3:PutObject", fanOut)
	PutIfNone     = condition(Uploads, "conditional put (If-None-Match)", "s3:PutObject", op.Put, ifNone)
	PutIfMatch    = condition(Uploads, "conditional put (If-Match)", "s3:PutObject", op.Put, ifMatch)
	DeleteIfMatch = condition(Uploads, "conditional delete (If-Match)", "s3:DeleteObject", op.Delete, ifMatch)
)

// Stored is what any upload needs, with the options of the session: the object is what was sent.
var Stored = row("", "", "s3:PutObject", stored)

// Capabilities that have to do with downloads.
var (
	Range       = row(Downloads, "get --range", "s3:GetObject", ranges)
	PartNumber  = row(Downloads, "get by part number", "s3:GetObject", partNumber)
	GetIfNone   = condition(Downloads, "conditional get (If-None-Match)", "s3:GetObject", op.Get, ifNone)
	GetIfMatch  = condition(Downloads, "conditional get (If-Match)", "s3:GetObject", op.Get, ifMatch)
	StatIfNone  = condition(Downloads, "conditional stat (If-None-Match)", "s3:GetObject", op.Stat, ifNone)
	StatIfMatch = condition(Downloads, "conditional stat (If-Match)", "s3:GetObject", op.Stat, ifMatch)
	SignedGet   = keyed(Downloads, "presigned get", "s3:GetObject", signedGet)
	Zip         = row(Downloads, "zip (MinIO)", "s3:GetObject", zipped)
	Attributes  = row(Downloads, "attributes", "s3:GetObjectAttributes", attributes)
	ACL         = row(Downloads, "acl", "s3:GetObjectAcl", acl)
)

// Capabilities that have to do with listings.
var (
	ListFirst    = row(Listings, "version 1", "s3:ListBucket", listFirst)
	ListPages    = row(Listings, "pages (max-keys)", "s3:ListBucket", listPages)
	StartAfter   = row(Listings, "start-after", "s3:ListBucket", startAfter)
	Delimiter    = row(Listings, "delimiter", "s3:ListBucket", delimiter)
	ListMetadata = row(Listings, "metadata (MinIO)", "s3:ListBucket", listMetadata)
)

// Capabilities that have to do with tags, versions and locks.
var (
	PutTags      = row(Tags, "tag (put)", "s3:PutObjectTagging", putTags)
	GetTags      = row(Tags, "tag (get)", "s3:GetObjectTagging", getTags)
	DeleteTags   = row(Tags, "tag (delete)", "s3:DeleteObjectTagging", deleteTags)
	Versions     = row(Versioned, "versioned", "s3:GetObjectVersion, s3:DeleteObjectVersion", versions)
	ListVersions = row(Versioned, "list --versions", "s3:ListBucketVersions", listVersions)
	Retention    = row(Versioned, "retention", "s3:PutObjectRetention, s3:GetObjectRetention, s3:BypassGovernanceRetention", retention)
	LegalHold    = row(Versioned, "legal-hold", "s3:PutObjectLegalHold, s3:GetObjectLegalHold", legalHold)
)

// verbs are what capabilities are about, as dialects name it.
var verbs = map[*Capability]s3.Verb{
	Parts:        s3.InParts,
	CopyPart:     s3.CopiedParts,
	Compose:      s3.Composing,
	Append:       s3.Appending,
	Form:         s3.ByForm,
	SignedPut:    s3.Presigned,
	SignedGet:    s3.Presigned,
	Snowball:     s3.Archives,
	FanOut:       s3.ManyAtOnce,
	PartNumber:   s3.PartNumbers,
	GetIfNone:    s3.ReadIfOther,
	StatIfNone:   s3.ReadIfOther,
	Zip:          s3.InZip,
	Attributes:   s3.Attributes,
	ACL:          s3.ACLs,
	ListFirst:    s3.ListFirst,
	StartAfter:   s3.StartAfter,
	ListMetadata: s3.ListedMetadata,
	PutTags:      s3.ObjectTags,
	GetTags:      s3.ObjectTags,
	DeleteTags:   s3.ObjectTags,
	Versions:     s3.Versions,
	ListVersions: s3.Versions,
	Retention:    s3.Retentions,
	LegalHold:    s3.LegalHolds,
	Rename:       s3.Renaming,
	Select:       s3.SQL,
}

// Verb is what a dialect may lack of the capability.
func (c *Capability) Verb() s3.Verb { return verbs[c] }

// all are the rows of the table.
var all []*Capability

// In the order of doctor's table. Capabilities of other files follow.
func init() {
	register(
		MultiDelete, Parts, Copy, CopyPart, Compose, Append, Form, SignedPut, Snowball, FanOut, PutIfNone, PutIfMatch, DeleteIfMatch, Stored,
		Range, PartNumber, GetIfNone, GetIfMatch, StatIfNone, StatIfMatch, SignedGet, Zip, Attributes, ACL,
		ListFirst, ListPages, StartAfter, Delimiter, ListMetadata,
		PutTags, GetTags, DeleteTags, Versions, ListVersions, Retention, LegalHold,
	)
}

func register(rows ...*Capability) { all = append(all, rows...) }

func row(group, name, right string, do try) *Capability {
	return &Capability{Group: group, Name: name, Right: right, Try: do}
}

// keyed is a row whose requests are signed ahead.
func keyed(group, name, right string, do try) *Capability {
	c := row(group, name, right, do)
	c.Keyed = true
	return c
}

// All returns all rows of the table.
func All() []*Capability { return slices.Clone(all) }

// Condition returns the capability to honour a condition, If-Match or else If-None-Match, of a kind of requests; nil if there is none.
func Condition(kind op.Kind, match bool) *Capability {
	for _, c := range all {
		if c.kind != "" && c.kind == kind && c.match == match {
			return c
		}
	}
	return nil
}
