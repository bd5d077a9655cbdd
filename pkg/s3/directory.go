package s3

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7/pkg/s3utils"

	"warp/internal/option"
)

// directorySuffix is the end of the names of directory buckets.
const directorySuffix = "--x-s3"

// IsDirectory reports whether a bucket is a directory bucket, by its name. Its requests are signed with keys of sessions, and it lacks
// much of what other buckets have.
func IsDirectory(bucket string) bool { return strings.HasSuffix(bucket, directorySuffix) }

// checkDirectory returns what is wrong with the options for a directory bucket.
func (c *Config) checkDirectory() (errs []error) {
	if !IsDirectory(c.Bucket) {
		return nil
	}
	if s3utils.CheckValidBucketNameS3Express(c.Bucket) != nil {
		errs = append(errs, option.Invalid("bucket", c.Bucket, "NAME--ZONE"+directorySuffix+", as in logs--use1-az4"+directorySuffix))
	}
	for _, o := range []struct {
		flag string
		set  bool
		lack string
	}{
		{"signature", c.Signature == "S3V2", "version 2 of signatures"},
		{"encrypt", c.Encrypt, "SSE-C"},
		{"sse-kms", c.Uploads.Encryption == SSEKMS, "SSE-KMS for single uploads, only as the default of the bucket"},
		{"md5", c.Uploads.MD5, "Content-MD5; use --checksum"},
		{"buckets", c.Buckets > 1, "numbers behind their names"},
		{"acl", HasHeader(c.Headers, "X-Amz-Acl"), "ACLs"},
		{"tag", HasHeader(c.Headers, "X-Amz-Tagging"), "tags of objects"},
	} {
		if o.set {
			errs = append(errs, option.Errorf(o.flag, "directory buckets have no %s", o.lack))
		}
	}
	for _, host := range c.Hosts {
		if _, err := c.ZonalHost(c.NameOf(host)); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// HasHeader reports whether a header of a name is in the list.
func HasHeader(headers []Header, name string) bool {
	return slices.ContainsFunc(headers, func(h Header) bool { return strings.EqualFold(h.Name, name) })
}

// ZonalHost returns the host of the directory bucket's zone, if a host is one of AWS; else the host itself.
func (c *Config) ZonalHost(host string) (string, error) {
	u, err := url.Parse(c.HostURL(host))
	if err != nil || !IsDirectory(c.Bucket) || !s3utils.IsAmazonEndpoint(*u) {
		return host, nil // the caller reports what cannot be parsed
	}
	name := strings.TrimSuffix(c.Bucket, directorySuffix)
	zone := name[strings.LastIndex(name, "--")+len("--"):]
	prefix := "s3express-" + zone + "."
	switch {
	case s3utils.IsAmazonExpressZonalEndpoint(*u) && strings.HasPrefix(u.Host, prefix):
		return host, nil
	case s3utils.IsAmazonExpressZonalEndpoint(*u):
		return "", option.Errorf("host", "%s is of another zone than bucket %q (want %s…)", host, c.Bucket, prefix)
	case c.Lookup == "path":
		return "", option.Errorf("lookup", "directory buckets of AWS are part of the name of the host; leave it out")
	}
	return prefix + cmp.Or(c.Region, s3utils.GetRegionFromURL(*u), DefaultRegion) + ".amazonaws.com", nil
}
