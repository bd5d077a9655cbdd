package s3

import (
	"strings"

	"warp/internal/option"
)

// checkStore returns which options a store of another kind than S3 cannot honour.
func (c *Config) checkStore() (errs []error) {
	if c.Store == "" || c.Store == StoreS3 {
		return nil
	}
	if c.Store != StoreAzure {
		return []error{option.OneOf("store", c.Store, StoreS3, StoreAzure)}
	}
	for _, o := range []struct {
		flag string
		set  bool
		lack string
	}{
		{"lookup", c.Lookup != "", "one form of URLs"},
		{"signature", c.Signature == "S3V2", "signatures of its own"},
		{"payload", c.Uploads.Payload != "", "no signatures of contents"},
		{"checksum-trailer", c.Uploads.Trailer, "no checksums behind contents"},
		{"checksum", c.Uploads.Checksum != "", "no checksums but MD5 (--md5)"},
		{"encrypt", c.Encrypt, "encryption that warp cannot ask for yet"},
		{"sse-s3, sse-kms", c.Uploads.Encryption != "", "encryption of its own, always"},
		{"acl", HasHeader(c.Headers, "X-Amz-Acl"), "no ACLs"},
		{"region", c.Region != "", "no region in its signatures"},
		{"credentials-file", len(c.OtherKeys) > 0, "one account for a run"},
	} {
		if o.set {
			errs = append(errs, option.Errorf(o.flag, "Azure Blob Storage has %s; leave it out", o.lack))
		}
	}
	return errs
}

// checkContainer is an error if no container of Azure can have the name.
func checkContainer(name string) error {
	odd := strings.ContainsFunc(name, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-') })
	if odd || len(name) < 3 || len(name) > 63 || strings.Contains(name, "--") || name[0] == '-' || name[len(name)-1] == '-' {
		return option.Invalid("bucket", name, "3 to 63 lower-case letters, digits and single hyphens between them")
	}
	return nil
}
