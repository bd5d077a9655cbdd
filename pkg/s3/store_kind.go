package s3

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7/pkg/s3utils"

	"warp/internal/option"
)

// Kinds of stores, for people.
const (
	TitleGCS   = "Google Cloud Storage"
	TitleAzure = "Azure Blob Storage"
)

// storeKind is what options a kind of store cannot honour, and what it calls its buckets.
type storeKind struct {
	title  string
	bucket func(name string) error
	lacks  []lackedOption
}

// lackedOption is an option, when it is set, and what the store has in its place: words that follow "has".
type lackedOption struct {
	flag string
	set  func(c *Config) bool
	has  string
}

var (
	lookupSet     = func(c *Config) bool { return c.Lookup != "" }
	payloadSet    = func(c *Config) bool { return c.Uploads.Payload != "" }
	trailerSet    = func(c *Config) bool { return c.Uploads.Trailer }
	customerKey   = func(c *Config) bool { return c.Encrypt }
	encryptionSet = func(c *Config) bool { return c.Uploads.Encryption != "" }
	aclSet        = func(c *Config) bool { return HasHeader(c.Headers, "X-Amz-Acl") }
	tagSet        = func(c *Config) bool {
		return HasHeader(c.Headers, "X-Amz-Tagging") ||
			slices.ContainsFunc(c.Uploads.Random, func(h RandomHeader) bool { return strings.EqualFold(h.Name, "X-Amz-Tagging") })
	}
	version2 = func(c *Config) bool { return c.Signature == "S3V2" }
)

var storeKinds = map[string]storeKind{
	StoreS3: {bucket: checkS3Bucket},
	StoreAzure: {title: TitleAzure, bucket: checkContainer, lacks: []lackedOption{
		{"lookup", lookupSet, "one form of URLs"},
		{"signature", version2, "signatures of its own"},
		{"payload", payloadSet, "no signatures of contents"},
		{"checksum-trailer", trailerSet, "no checksums behind contents"},
		{"checksum", func(c *Config) bool { return c.Uploads.Checksum != "" }, "no checksums but MD5 (--md5)"},
		{"encrypt", customerKey, "encryption that warp cannot ask for yet"},
		{"sse-s3, sse-kms", encryptionSet, "encryption of its own, always"},
		{"acl", aclSet, "no ACLs"},
		{"region", func(c *Config) bool { return c.Region != "" }, "no region in its signatures"},
		{"credentials-file", func(c *Config) bool { return len(c.OtherKeys) > 0 }, "one account for a run"},
	}},
	StoreGCS: {title: TitleGCS, bucket: checkGoogleBucket, lacks: []lackedOption{
		{"lookup", lookupSet, "one form of URLs"},
		{"signature", version2, "signatures of its own"},
		{"payload", payloadSet, "no signatures of contents in this dialect"},
		{"checksum-trailer", trailerSet, "no checksums behind contents"},
		{
			"checksum",
			func(c *Config) bool { return c.Uploads.Checksum != "" && c.Uploads.Checksum != "CRC32C" },
			"no checksums but CRC32C and MD5 (--md5)",
		},
		{"encrypt", customerKey, "encryption that warp cannot ask for yet"},
		{"sse-s3, sse-kms", encryptionSet, "encryption of its own, always"},
		{"acl", aclSet, "no ACLs that warp can set"},
		{"tag", tagSet, "no tags of objects but metadata (--add-metadata)"},
	}},
}

// kind returns what there is to know of the kind of store; nil if there is no such kind.
func (c *Config) kind() *storeKind {
	name := c.Store
	if name == "" {
		name = StoreS3
	}
	kind, ok := storeKinds[name]
	if !ok {
		return nil
	}
	return &kind
}

// checkStore returns which options the kind of store cannot honour.
func (c *Config) checkStore() (errs []error) {
	kind := c.kind()
	if kind == nil {
		return []error{option.OneOf("store", c.Store, Stores[1:]...)}
	}
	for _, o := range kind.lacks {
		if o.set(c) {
			errs = append(errs, option.Errorf(o.flag, "%s has %s; leave it out", kind.title, o.has))
		}
	}
	return append(errs, c.checkAPI())
}

// chunkUnit is what chunks of resumable uploads are multiples of.
const chunkUnit = 256 << 10

// checkAPI is an error for an interface that the store does not have, or that the credentials are not for.
func (c *Config) checkAPI() error {
	if c.Store != StoreGCS {
		if c.API != "" {
			return option.Errorf("gcs-api", "only %s has several interfaces", TitleGCS)
		}
		return nil
	}
	if err := oneOf("gcs-api", c.API, APIs...); err != nil {
		return err
	}
	if c.Uploads.Chunk%chunkUnit != 0 {
		return option.Errorf("part.put", "%d bytes with --gcs-upload=resumable (want a multiple of 256 KiB)", c.Uploads.Chunk)
	}
	if c.API != APIXML && c.AccessKey != "" {
		return option.Errorf("access-key", "the JSON interface of %s takes tokens only; add --gcs-api=xml", TitleGCS)
	}
	return nil
}

// checkS3Bucket is an error if no bucket of S3 can have the name.
func checkS3Bucket(name string) error {
	if s3utils.CheckValidBucketName(name) != nil {
		return option.Invalid("bucket", name,
			"3 to 63 letters, digits, dots and hyphens, with a letter or digit at each end, and no IP address")
	}
	return nil
}

// checkContainer is an error if no container of Azure can have the name.
func checkContainer(name string) error {
	odd := strings.ContainsFunc(name, func(r rune) bool { return !isLowerOrDigit(r) && r != '-' })
	if odd || len(name) < 3 || len(name) > 63 || strings.Contains(name, "--") || name[0] == '-' || name[len(name)-1] == '-' {
		return option.Invalid("bucket", name, "3 to 63 lower-case letters, digits and single hyphens between them")
	}
	return nil
}

// checkGoogleBucket is an error if no bucket of Google can have the name. One with dots may be longer, up to 63 characters between two.
func checkGoogleBucket(name string) error {
	odd := strings.ContainsFunc(name, func(r rune) bool { return !isLowerOrDigit(r) && !strings.ContainsRune("-_.", r) })
	for part := range strings.SplitSeq(name, ".") {
		odd = odd || part == "" || len(part) > 63
	}
	_, err := netip.ParseAddr(name)
	odd = odd || len(name) < 3 || len(name) > 222 || strings.Trim(name, "-_") != name
	if odd || err == nil {
		return option.Invalid("bucket", name,
			"3 to 63 lower-case letters, digits, hyphens, underscores and dots, with a letter or digit at each end, and no IP address")
	}
	if strings.HasPrefix(name, "goog") || strings.Contains(name, "google") {
		return option.Invalid("bucket", name, "a name without google: Google keeps these to itself")
	}
	return nil
}

func isLowerOrDigit(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }
