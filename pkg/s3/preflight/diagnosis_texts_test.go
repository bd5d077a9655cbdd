package preflight

import (
	"testing"

	"warp/pkg/s3"
)

func TestDiagnosisTexts(t *testing.T) {
	plain, tls := s3.Config{Bucket: "b", AccessKey: "a"}, s3.Config{Bucket: "b", AccessKey: "a", TLS: true}
	denied := &s3.Error{Class: "403 AccessDenied", Status: 403, Code: "AccessDenied", Message: "No.", RequestID: "R"}
	of := func(status int, code, message string) error {
		return &s3.Error{Class: "409 " + code, Status: status, Code: code, Message: message}
	}
	tests := []struct {
		cfg  *s3.Config
		act  act
		err  error
		want string
	}{
		{&plain, actVersions, denied, `the key may not ask whether the bucket "b" keeps versions (403 AccessDenied: No, request R); grant s3:GetBucketVersioning, or use another --bucket`},
		{&plain, actPut, &s3.Error{Class: "AccessDenied", Code: "AccessDenied"}, `the key may not put objects into the bucket "b" (AccessDenied); grant s3:PutObject, or use another --bucket`},
		{&plain, actLook, &s3.Error{Class: s3.ClassNoHost, Message: "lookup b.host: no such host"}, "the name of the host with the bucket before it cannot be resolved (lookup b.host: no such host); use --lookup=path, or check --host"},
		{&plain, actLook, &s3.Error{Class: s3.ClassNoHost, Message: "lookup host: no such host"}, "the name of the host cannot be resolved (no such host); check --host, or use an address"},
		{&tls, actLook, &s3.Error{Class: s3.ClassBadCert, Message: "it has expired"}, "the certificate of the host is not valid: it has expired; renew it, or use --insecure to skip the check"},
		{&tls, actLook, &s3.Error{Class: s3.ClassWrongName, Message: "it is for c"}, "the certificate of the host is for another name: it is for c; use that name in --host or --tls-server-name, or --insecure to skip the check"},
		{&tls, actLook, &s3.Error{Class: s3.ClassNoHTTP2, Message: "no"}, "the host does not offer HTTP/2; remove --http2"},
		{&tls, actLook, &s3.Error{Class: s3.ClassClosed, Message: "EOF"}, "the host closes the connection without a response; if it speaks plain HTTP, remove --tls"},
		{&plain, actLook, &s3.Error{Class: s3.ClassClosed, Message: "EOF"}, "the host closes the connection without a response; check --host and its port, and see the log of the server"},
		{&plain, actLook, &s3.Error{Class: s3.ClassRefused}, "nothing listens there (connection refused); without a port in --host, 80 is used, and 443 with TLS; many servers have 9000; check too that the server runs"},
		{&plain, actGet, &s3.Error{Class: s3.ClassReset, Status: 200, Message: "reset by peer"}, "cannot get objects from the bucket (connection reset: reset by peer); the host closed the connection in the middle of its response: see its log"},
		{&plain, actLook, &s3.Error{Class: s3.ClassNetwork, Message: "something new"}, "cannot look at the bucket: network error: something new"},
		{&plain, actDelete, &s3.Error{Class: "409 Conflict", Status: 409, Message: "busy"}, "cannot delete objects in the bucket (409 Conflict: busy)"},
		{&plain, actCreate, of(409, "BucketAlreadyExists", "m"), `the bucket "b" belongs to somebody else (409 BucketAlreadyExists: m); use another --bucket`},
		{&plain, actEnableVersions, of(409, "BucketAlreadyExists", "m"), "cannot have the bucket keep versions (409 BucketAlreadyExists: m)"},
		{&plain, actCreate, of(409, "TooManyBuckets", "m"), "the account has as many buckets as it may have (409 TooManyBuckets: m); use a --bucket that exists"},
		{&plain, actPut, of(409, "NoSuchBucket", "m"), `the bucket "b" does not exist (409 NoSuchBucket: m); create it, or use another --bucket`},
		{&plain, actCopy, of(409, "NoSuchBucket", "m"), "the server does not find the object to copy (409 NoSuchBucket: m); it may read the header x-amz-copy-source otherwise than S3"},
		{
			&plain, actFanOut, &s3.Error{Class: "403 AccessDenied", Status: 403, Code: "AccessDenied", Message: `Invalid according to Policy: Policy Condition failed: ["eq", "$x-minio-fanout-list", ...]`},
			`cannot upload one content as several objects, an extension of MinIO (403 AccessDenied: Invalid according to Policy: Policy Condition failed: ["eq", "$x-minio-fanout-list", ...]); the host may not know this form of authentication; else grant s3:PutObject`,
		},
		{&s3.Config{}, actDelete, &s3.Error{Class: "409 Conflict", Status: 409}, "cannot delete objects in the bucket anonymously (409 Conflict)"},
	}
	for _, tc := range tests {
		if got, want := diagnose(tc.cfg, "http://h", tc.act, tc.err).Error(), "http://h: "+tc.want; got != want {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
}
