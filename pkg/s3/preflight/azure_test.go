package preflight

import (
	"strings"
	"testing"
	"time"

	"warp/pkg/s3"
)

func TestAzureDiagnoses(t *testing.T) {
	key := s3.Config{Store: s3.StoreAzure, Bucket: "box", AccessKey: "account", SecretKey: "a2V5"}
	sas := s3.Config{Store: s3.StoreAzure, Bucket: "box", SessionToken: "sv=2023-11-03&ss=b&srt=o&sp=rw&se=2999-01-01T00:00:00Z&sig=SECRET"}
	old := s3.Config{Store: s3.StoreAzure, Bucket: "box", SessionToken: "sp=rw&se=2001-01-01T00:00:00Z&sig=SECRET"}
	token := s3.Config{Store: s3.StoreAzure, Bucket: "box", SessionToken: "SECRET", Bearer: true}
	none := s3.Config{Store: s3.StoreAzure, Bucket: "box", Signature: "anonymous"}
	for _, tc := range []struct {
		name string
		cfg  *s3.Config
		act  act
		err  s3.Error
		want string
	}{
		{"wrong key", &key, actPut, s3.Error{Status: 403, Code: "AuthenticationFailed"}, "the key is wrong, or of another account (403); check --access-key, which is the account, and --secret-key (or AZURE_STORAGE_KEY, AZURE_STORAGE_CONNECTION_STRING)"},
		{"wrong key, emulator", &key, actPut, s3.Error{Status: 403, Code: "AuthorizationFailure", Message: "Server failed to authenticate the request."}, "the key is wrong, or of another account"},
		{"firewall", &key, actPut, s3.Error{Status: 403, Code: "AuthorizationFailure", Message: "This request is not authorized to perform this operation."}, "the account refuses requests from here, most likely by its firewall"},
		{"clock", &key, actPut, s3.Error{Status: 403, Code: "AuthenticationFailed", Date: time.Now().Add(-time.Hour)}, "ahead of the host's, Azure allows 15m0s (403); set both clocks (NTP)"},
		{"no keys", &key, actPut, s3.Error{Status: 403, Code: "KeyBasedAuthenticationNotPermitted"}, "the account takes no keys, nor a SAS by one (403); use an identity of Entra ID"},
		{"SAS without a permission", &sas, actList, s3.Error{Status: 403, Code: "AuthorizationPermissionMismatch"}, `the SAS (sp=rw) may not list objects in the container "box" (403); grant Storage Blob Data Contributor, or sp=l`},
		{"SAS without containers", &sas, actCreate, s3.Error{Status: 403, Code: "AuthorizationResourceTypeMismatch"}, "the SAS is not for both containers and blobs (403); use one with srt=sco"},
		{"SAS of another account", &sas, actPut, s3.Error{Status: 403, Code: "AuthenticationFailed"}, "the SAS is not valid for this account (403); check --sas-token"},
		{"SAS that ended", &old, actPut, s3.Error{Status: 403, Code: "AuthenticationFailed"}, "the SAS has ended, on 2001-01-01T00:00:00Z (403); use a new --sas-token"},
		{"role without data", &token, actPut, s3.Error{Status: 403, Code: "AuthorizationPermissionMismatch"}, `the identity may not put objects into the container "box" (403); grant Storage Blob Data Contributor (Owner and Contributor give no access to data); it takes some minutes`},
		{"token ended", &token, actPut, s3.Error{Status: 401, Code: "InvalidAuthenticationInfo"}, "the token is not valid, or has ended (401)"},
		{"anonymous", &none, actGet, s3.Error{Status: 403, Code: "AuthorizationFailure"}, `anonymous requests (without credentials) may not get objects from the container "box" (403); remove --signature=anonymous and give --access-key and --secret-key, --sas-token, or the variables of Azure`},
		{"anonymous, 409", &none, actGet, s3.Error{Status: 409, Code: "PublicAccessNotPermitted"}, "the account allows no anonymous requests (409)"},
		{"taken", &key, actCreate, s3.Error{Status: 409, Code: "ContainerAlreadyExists"}, `the container "box" is there already (409)`},
		{"being deleted", &key, actCreate, s3.Error{Status: 409, Code: "ContainerBeingDeleted"}, `the container "box" is still being deleted, which takes 30 seconds and more (409); wait`},
		{"a web page", &key, actPut, s3.Error{Status: 404, Foreign: true}, "the host is not a server of Azure Blob Storage, or a proxy refuses the request (404)"},
	} {
		e := tc.err
		e.Class = map[int]string{401: "401", 403: "403", 404: "404", 409: "409"}[e.Status]
		got := diagnose(tc.cfg, "http://h", tc.act, &e).Error()
		got = strings.Replace(strings.Replace(got, ": "+e.Message+")", ")", 1), ": "+strings.TrimSuffix(e.Message, ".")+")", ")", 1)
		if !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q\nwant %q", tc.name, got, tc.want)
		}
		if strings.Contains(got, "SECRET") || strings.Contains(got, "AWS_") || strings.Contains(got, "s3:") {
			t.Errorf("%s: %q", tc.name, got)
		}
	}
}

func TestAzureRights(t *testing.T) {
	for right, want := range map[string]string{
		"s3:PutObject":                     "Storage Blob Data Contributor, or sp=cw",
		"s3:GetObject and s3:PutObject":    "Storage Blob Data Contributor, or sp=rcw",
		"s3:PutObjectTagging":              "Storage Blob Data Owner, or sp=t",
		"s3:ListBucket":                    "Storage Blob Data Contributor, or sp=l",
		"s3:SomethingNew":                  "Storage Blob Data Contributor",
		"Storage Blob Data Owner, or sp=t": "Storage Blob Data Owner, or sp=t",
		"none":                             "none",
	} {
		if got := Right(s3.StoreAzure, right); got != want {
			t.Errorf("%s: %s, want %s", right, got, want)
		}
		if got := Right(s3.StoreS3, right); got != right {
			t.Errorf("S3: %s: %s", right, got)
		}
	}
}

// TestOtherStores: hosts of other kinds of stores that are asked as S3 are named as what they are.
func TestOtherStores(t *testing.T) {
	for _, tc := range []struct {
		host string
		err  s3.Error
		want string
	}{
		{"http://h", s3.Error{Status: 400, Server: "Azurite-Blob/3.35.0"}, "the host is Azure Blob Storage, which does not speak S3 (400); use --host=az://ACCOUNT"},
		{"https://a.blob.core.windows.net", s3.Error{Status: 400, Code: "InvalidHeaderValue"}, "the host is Azure Blob Storage, which does not speak S3"},
		{"http://h", s3.Error{Status: 404, Foreign: true, Message: `{"error":{"code":404,"message":"Not Found"}}`}, "the host speaks the JSON interface of Google Cloud Storage, not S3"},
		{"http://h", s3.Error{Status: 404, Foreign: true, Message: "no"}, "the host is not an S3 server"},
	} {
		e := tc.err
		e.Class = map[int]string{400: "400", 404: "404"}[e.Status]
		cfg := s3.Config{Bucket: "b", AccessKey: "a"}
		if got := diagnose(&cfg, tc.host, actPut, &e).Error(); !strings.Contains(got, tc.want) {
			t.Errorf("%q\nwant %q", got, tc.want)
		}
	}
}
