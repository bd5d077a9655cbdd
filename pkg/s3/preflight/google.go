package preflight

import (
	"regexp"
	"strconv"
	"strings"

	"warp/pkg/s3"
)

const (
	checkHMAC   = "check --access-key and --secret-key, which are an HMAC key of Google's"
	googleLogin = "check --token (or WARP_TOKEN), GOOGLE_APPLICATION_CREDENTIALS, or sign in with gcloud auth application-default login"
	googleRole  = "roles/storage.objectUser"
)

// googleRights are rights of Google Cloud Storage by what S3 calls them.
var googleRights = map[string]string{
	"s3:GetObject":                  "storage.objects.get",
	"s3:PutObject":                  "storage.objects.create",
	"s3:DeleteObject":               "storage.objects.delete",
	"s3:GetObjectVersion":           "storage.objects.get",
	"s3:DeleteObjectVersion":        "storage.objects.delete",
	"s3:GetObjectTagging":           "storage.objects.get",
	"s3:PutObjectTagging":           "storage.objects.update",
	"s3:DeleteObjectTagging":        "storage.objects.update",
	"s3:ListBucket":                 "storage.objects.list",
	"s3:ListBucketVersions":         "storage.objects.list",
	"s3:ListBucketMultipartUploads": "storage.multipartUploads.list",
	"s3:AbortMultipartUpload":       "storage.multipartUploads.abort",
	"s3:GetBucketVersioning":        "storage.buckets.get",
	"s3:PutBucketVersioning":        "storage.buckets.update",
	"s3:CreateBucket":               "storage.buckets.create",
	"s3:DeleteBucket":               "storage.buckets.delete",
}

// rightOfS3 finds what S3 calls rights in a text.
var rightOfS3 = regexp.MustCompile(`s3:[A-Za-z]+`)

// googleRight returns the rights that correspond to rights of S3.
func googleRight(right string) string {
	return rightOfS3.ReplaceAllStringFunc(right, func(name string) string {
		if known := googleRights[name]; known != "" {
			return known
		}
		return googleRole
	})
}

// googleRefusals are reasons of Google to refuse a request that its code tells.
var googleRefusals = []refusal{
	{codes: []string{"authError", "InvalidAuthenticationInfo"}, problem: "the token is not valid, or has ended", hint: googleLogin},
	{
		codes:   []string{"userProjectMissing", "UserProjectMissing"},
		problem: "the requester pays for requests to the bucket BUCKET, and names no project", hint: "use another --bucket",
	},
	{codes: []string{"SignatureDoesNotMatch", "InvalidSecurity"}, problem: "the HMAC key is wrong", hint: checkHMAC},
	{codes: []string{"InvalidAccessKeyId"}, problem: "the HMAC key is not known", hint: checkHMAC},
	{codes: []string{"NoSuchBucket"}, problem: "the bucket BUCKET does not exist", hint: "create it, or use another --bucket"},
	{
		codes: []string{"conflict", "BucketAlreadyExists", "BucketNameUnavailable"}, of: actCreate,
		problem: "the name BUCKET is taken: names of buckets are unique over all customers", hint: "use another --bucket",
	},
	{codes: []string{"quotaExceeded"}, problem: "a quota of the project is used up", hint: "raise it"},
}

// explainGoogle knows missing rights. The message names them.
func (d *Diagnosis) explainGoogle(cfg *s3.Config, a act, e *s3.Error) bool {
	about := strings.Replace(a.words, "the bucket", "the bucket "+strconv.Quote(cfg.Bucket), 1)
	switch {
	case !isRefused(e) && !e.Says(s3.Denied):
		return false
	case cfg.Anonymous():
		return d.say("anonymous requests (without credentials) may not "+about,
			"remove --signature=anonymous, and give --token, GOOGLE_APPLICATION_CREDENTIALS or an HMAC key")
	case e.Says(s3.Denied):
		return d.say("the credentials may not "+about,
			"grant "+googleRight(a.right)+" (as "+googleRole+" does for objects), or use another --bucket")
	}
	return false
}
