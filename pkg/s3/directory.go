package s3

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
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
func checkDirectory(c *Config) (errs []error) {
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
		{"acl", hasHeader(c.Headers, "X-Amz-Acl"), "ACLs"},
		{"tag", hasHeader(c.Headers, "X-Amz-Tagging"), "tags of objects"},
	} {
		if o.set {
			errs = append(errs, option.Errorf(o.flag, "directory buckets have no %s", o.lack))
		}
	}
	for _, host := range c.Hosts {
		if _, err := zonalHost(c, c.nameOf(host)); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

func hasHeader(headers []Header, name string) bool {
	return slices.ContainsFunc(headers, func(h Header) bool { return strings.EqualFold(h.Name, name) })
}

// zonalHost returns the host of the directory bucket's zone, if a host is one of AWS; else the host itself.
func zonalHost(c *Config, host string) (string, error) {
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

// ErrDirectory is the cause of errors of requests that a directory bucket does not have. They are not sent.
var ErrDirectory = errors.New("not with a directory bucket")

// lackOf names what a request needs and directory buckets lack; empty: nothing.
func lackOf(c *Call) string {
	if c.Auth != AuthHeader {
		return "have no requests that are signed ahead"
	}
	if c.Key == "" && c.Method == http.MethodPut && len(c.Query) == 0 {
		return "are made before a run, as by aws s3api create-bucket"
	}
	lists, second := false, false
	for _, p := range c.Query {
		switch p.Name {
		case "versions", "versionId", "versioning":
			return "keep no versions"
		case "tagging":
			return "have no tags of objects"
		case "acl":
			return "have no ACLs"
		case "retention", "legal-hold", "object-lock":
			return "have no object lock"
		case "start-after", "marker":
			return "list all keys, in any order, not those after a key"
		case "metadata":
			return "list no metadata"
		case "delimiter":
			if p.Value != "/" {
				return fmt.Sprintf("have no delimiter but \"/\", not %q", p.Value)
			}
		case "prefix":
			lists = true
		case "list-type", "uploads":
			second = true
		}
	}
	if lists && !second {
		return "have only version 2 of listings"
	}
	return ""
}

// setDirectory makes the request one to a directory bucket. Prefixes of listings end at a slash there: the caller leaves out what
// else is listed.
func setDirectory(c *Call) error {
	if lack := lackOf(c); lack != "" {
		return &Error{Class: ClassBadRequest, Message: "directory buckets " + lack, Err: ErrDirectory}
	}
	for i := range c.Query {
		if p := &c.Query[i]; p.Name == "prefix" && !strings.HasSuffix(p.Value, "/") {
			c.WiderPrefix = p.Value != ""
			p.Value = p.Value[:strings.LastIndex(p.Value, "/")+1]
		}
	}
	return nil
}

// ofKey reports whether a request to a directory bucket is signed with the key itself, not with those of a session: one that needs
// rights for another bucket too, or none yet.
func ofKey(c *Call) bool {
	return c.Source != "" || hasHeader(c.Headers, "X-Amz-Copy-Source") || c.Key == "" && (c.Method == http.MethodHead || len(c.Query) == 1 && c.Query[0].Name == "session")
}
