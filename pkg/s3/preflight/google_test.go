package preflight

import (
	"strings"
	"testing"

	"warp/pkg/s3"
)

func TestGoogleDiagnoses(t *testing.T) {
	token := s3.Config{Store: s3.StoreGCS, Bucket: "b", SessionToken: "SECRET", Bearer: true}
	none := s3.Config{Store: s3.StoreGCS, Bucket: "b", Signature: "anonymous"}
	for _, tc := range []struct {
		name string
		cfg  *s3.Config
		act  act
		err  s3.Error
		want string
	}{
		{"token ended", &token, actPut, s3.Error{Status: 401, Code: "authError"}, "the token is not valid, or has ended (401); check --token"},
		{"no right", &token, actList, s3.Error{Status: 403, Code: "forbidden", Judgement: s3.Judged | s3.Denied}, `the credentials may not list objects in the bucket "b" (403); grant storage.objects.list (as roles/storage.objectUser does for objects)`},
		{"anonymous", &none, actGet, s3.Error{Status: 401, Code: "required"}, `anonymous requests (without credentials) may not get objects from the bucket "b" (401); remove --signature=anonymous, and give --token`},
		{"taken", &token, actCreate, s3.Error{Status: 409, Code: "conflict"}, `the name "b" is taken: names of buckets are unique over all customers (409)`},
		{"requester pays", &token, actGet, s3.Error{Status: 400, Code: "UserProjectMissing"}, `the requester pays for requests to the bucket "b", and names no project (400)`},
		{"wrong key", &token, actGet, s3.Error{Status: 403, Code: "SignatureDoesNotMatch"}, "the HMAC key is wrong (403)"},
		{"a web page", &token, actPut, s3.Error{Status: 404, Foreign: true}, "the host is not a server of Google Cloud Storage, or a proxy refuses the request (404)"},
	} {
		e := tc.err
		e.Class = map[int]string{400: "400", 401: "401", 403: "403", 404: "404", 409: "409"}[e.Status]
		got := diagnose(tc.cfg, "http://h", tc.act, &e).Error()
		if !strings.Contains(got, tc.want) || strings.Contains(got, "SECRET") || strings.Contains(got, "AWS_") || strings.Contains(got, "s3:") {
			t.Errorf("%s: %q\nwant %q", tc.name, got, tc.want)
		}
	}
	if got := Right(s3.StoreGCS, "s3:GetObject and s3:PutObject"); got != "storage.objects.get and storage.objects.create" {
		t.Error(got)
	}
}
