package probe

import (
	"slices"

	"warp/pkg/op"
)

// Capabilities that have to do with uploads.
var (
	MultiDelete   = row("delete --batch (multi-delete)", "s3:DeleteObject", multiDelete)
	Parts         = row("multipart-put", "s3:PutObject", parts)
	Copy          = row("copy", "s3:PutObject", copied)
	CopyPart      = row("copy --part.size", "s3:PutObject", copyPart)
	Append        = row("append (write offset)", "s3:PutObject", appended)
	Form          = keyed("put --post", "s3:PutObject", form)
	SignedPut     = keyed("put --presign", "s3:PutObject", signedPut)
	Snowball      = row("snowball (MinIO)", "s3:PutObject", snowball)
	FanOut        = keyed("fanout (MinIO)", "s3:PutObject", fanOut)
	PutIfNone     = condition("conditional put (If-None-Match)", "s3:PutObject", op.Put, ifNone)
	PutIfMatch    = condition("conditional put (If-Match)", "s3:PutObject", op.Put, ifMatch)
	DeleteIfMatch = condition("conditional delete (If-Match)", "s3:DeleteObject", op.Delete, ifMatch)
)

// Stored is what any upload needs, with the options of the session: the object is what was sent.
var Stored = row("", "s3:PutObject", stored)

// Capabilities that have to do with downloads.
var (
	Range       = row("get --range", "s3:GetObject", ranges)
	PartNumber  = row("get by part number", "s3:GetObject", partNumber)
	GetIfNone   = condition("conditional get (If-None-Match)", "s3:GetObject", op.Get, ifNone)
	GetIfMatch  = condition("conditional get (If-Match)", "s3:GetObject", op.Get, ifMatch)
	StatIfNone  = condition("conditional stat (If-None-Match)", "s3:GetObject", op.Stat, ifNone)
	StatIfMatch = condition("conditional stat (If-Match)", "s3:GetObject", op.Stat, ifMatch)
	SignedGet   = keyed("presigned get", "s3:GetObject", signedGet)
	Zip         = row("zip (MinIO)", "s3:GetObject", zipped)
	Attributes  = row("attributes", "s3:GetObjectAttributes", attributes)
	ACL         = row("acl", "s3:GetObjectAcl", acl)
)

// Capabilities that have to do with listings.
var (
	ListFirst    = row("version 1", "s3:ListBucket", listFirst)
	ListPages    = row("pages (max-keys)", "s3:ListBucket", listPages)
	StartAfter   = row("start-after", "s3:ListBucket", startAfter)
	Delimiter    = row("delimiter", "s3:ListBucket", delimiter)
	ListVersions = row("list --versions", "s3:ListBucketVersions", listVersions)
	ListMetadata = row("metadata (MinIO)", "s3:ListBucket", listMetadata)
)

// Capabilities that have to do with tags, versions and locks.
var (
	PutTags    = row("tag (put)", "s3:PutObjectTagging", putTags)
	GetTags    = row("tag (get)", "s3:GetObjectTagging", getTags)
	DeleteTags = row("tag (delete)", "s3:DeleteObjectTagging", deleteTags)
	Versions   = row("versioned", "s3:GetObjectVersion, s3:DeleteObjectVersion", versions)
	Retention  = row("retention", "s3:PutObjectRetention, s3:GetObjectRetention, s3:BypassGovernanceRetention", retention)
	LegalHold  = row("legal-hold", "s3:PutObjectLegalHold, s3:GetObjectLegalHold", legalHold)
)

// all are the rows of the table; each adds itself.
var all []*Capability

// add adds a row.
func add(c Capability) *Capability {
	all = append(all, &c)
	return &c
}

func row(name, right string, do try) *Capability {
	return add(Capability{Name: name, Right: right, Try: do})
}

// keyed is a row whose requests are signed ahead.
func keyed(name, right string, do try) *Capability {
	return add(Capability{Name: name, Right: right, Keyed: true, Try: do})
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
