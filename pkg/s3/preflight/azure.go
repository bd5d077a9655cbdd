package preflight

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3"
	"warp/pkg/s3/target"
)

const (
	blobRole  = "Storage Blob Data Contributor"
	checkSAS  = "check --sas-token (or WARP_SAS_TOKEN, AZURE_STORAGE_SAS_TOKEN)"
	checkKeys = "check --access-key, which is the account, and --secret-key (or AZURE_STORAGE_KEY, AZURE_STORAGE_CONNECTION_STRING)"
	newToken  = "sign in again, or check the clock of this machine"
)

// azurePermissions are the letters of a SAS that rights of S3 correspond to, in the order that a SAS has them.
var azurePermissions = []struct {
	letter string
	rights []string
}{
	{"r", []string{"s3:GetObject"}},
	{"c", []string{"s3:PutObject", "s3:CreateBucket"}},
	{"w", []string{"s3:PutObject", "s3:AbortMultipartUpload"}},
	{"d", []string{"s3:DeleteObject", "s3:AbortMultipartUpload", "s3:DeleteBucket"}},
	{"x", []string{"s3:DeleteObjectVersion"}},
	{"l", []string{"s3:ListBucket", "s3:ListBucketVersions", "s3:ListBucketMultipartUploads", "s3:GetBucketVersioning"}},
	{"t", []string{"s3:GetObjectTagging", "s3:PutObjectTagging", "s3:DeleteObjectTagging"}},
}

// azureRight returns the role and the permissions of a SAS that correspond to rights of S3.
func azureRight(right string) string {
	if !strings.Contains(right, "s3:") {
		return right
	}
	letters, role := "", blobRole
	names := strings.FieldsFunc(right, func(r rune) bool { return r == ' ' || r == ',' })
	for _, p := range azurePermissions {
		for _, r := range p.rights {
			if slices.Contains(names, r) && !strings.Contains(letters, p.letter) {
				letters += p.letter
			}
		}
	}
	if strings.Contains(letters, "t") {
		role = "Storage Blob Data Owner"
	}
	if letters == "" {
		return role
	}
	return role + ", or sp=" + letters
}

// azureRefusals are reasons of Azure to refuse a request that its code tells.
var azureRefusals = []refusal{
	{codes: []string{"ContainerNotFound"}, problem: "the container BUCKET does not exist", hint: "create it, or use another --bucket"},
	{
		codes: []string{"ContainerBeingDeleted"}, problem: "the container BUCKET is still being deleted, which takes 30 seconds and more",
		hint: "wait, or use another --bucket",
	},
	{
		codes: []string{"ContainerAlreadyExists"}, of: actCreate, problem: "the container BUCKET is there already",
		hint: "grant the right to see it, or use another --bucket",
	},
	{codes: []string{"InvalidResourceName"}, problem: "the account allows no container the name BUCKET", hint: "use another --bucket"},
	{
		codes:   []string{"KeyBasedAuthenticationNotPermitted"},
		problem: "the account takes no keys, nor a SAS by one", hint: "use an identity of Entra ID, with the role " + blobRole,
	},
	{codes: []string{"AccountIsDisabled"}, problem: "the account is disabled", hint: "see the portal"},
	{
		codes:   []string{"AuthorizationServiceMismatch"},
		problem: "the SAS is not for blobs", hint: "use one with ss=b (and srt=sco, sp=rcwdl)",
	},
	{
		codes:   []string{"AuthorizationResourceTypeMismatch"},
		problem: "the SAS is not for both containers and blobs", hint: "use one with srt=sco (and sp=rcwdl)",
	},
	{codes: []string{"AuthorizationProtocolMismatch"}, problem: "the SAS is good over TLS only (spr=https)", hint: "add --tls"},
	{
		codes:   []string{"AuthorizationSourceIPMismatch"},
		problem: "the SAS is not good for the address of this machine (sip)", hint: "use another --sas-token",
	},
	{
		codes:   []string{"NoAuthenticationInformation", "PublicAccessNotPermitted"},
		problem: "the account allows no anonymous requests", hint: azureCredentials,
	},
	{codes: []string{"BlobArchived"}, problem: "blobs of the archive tier cannot be read at once", hint: "use another --storage-class"},
	{
		codes:   []string{"BlobImmutableDueToPolicy"},
		problem: "an immutability policy protects the blobs", hint: "use a --bucket without one",
	},
	{codes: []string{"LeaseIdMissing"}, problem: "the blob or container has a lease", hint: "break it, or use another --bucket"},
}

const azureCredentials = "remove --signature=anonymous and give --access-key and --secret-key, --sas-token, or the variables of Azure"

// explainAzure knows refusals whose meaning depends on the credentials.
func (d *Diagnosis) explainAzure(cfg *s3.Config, a act, e *s3.Error) bool {
	token := azureToken(cfg)
	end := target.SASEnd(token.Encode())
	ended := !end.IsZero() && end.Before(clock.Wall())
	about := strings.Replace(a.words, "the bucket", "the container "+strconv.Quote(cfg.Bucket), 1)
	switch {
	case e.Foreign || e.Status != http.StatusForbidden && e.Status != http.StatusUnauthorized:
		return false
	case cfg.Anonymous():
		return d.say("anonymous requests (without credentials) may not "+about, azureCredentials)
	case ended:
		return d.say("the SAS has ended, on "+end.Format(time.RFC3339), "use a new --sas-token")
	case e.Code == "AuthorizationPermissionMismatch" && cfg.Bearer:
		return d.say("the identity may not "+about, "grant "+blobRole+" (Owner and Contributor give no access to data); it takes some minutes")
	case e.Code == "AuthorizationPermissionMismatch":
		return d.say(fmt.Sprintf("the SAS (sp=%s) may not %s", s3.OneLine(token.Get("sp")), about), "grant "+azureRight(a.right))
	case cfg.Bearer && (e.Code != "AuthorizationFailure" || strings.Contains(e.Message, "failed to authenticate")):
		return d.say("the token is not valid, or has ended", newToken)
	case e.Code == "AuthorizationFailure" && !strings.Contains(e.Message, "failed to authenticate"):
		return d.say("the account refuses requests from here, most likely by its firewall",
			"allow the network of this machine in the account, or use a private endpoint in --host")
	case len(token) > 0:
		return d.say("the SAS is not valid for this account", checkSAS)
	case e.Code == "AuthenticationFailed" || e.Code == "AuthorizationFailure":
		return d.say("the key is wrong, or of another account", checkKeys)
	}
	return false
}

// azureToken is the SAS of a configuration; empty if it has none.
func azureToken(cfg *s3.Config) url.Values {
	if cfg.AccessKey != "" || cfg.Bearer || cfg.Signature == "anonymous" {
		return nil
	}
	token, _ := url.ParseQuery(strings.TrimPrefix(string(cfg.SessionToken), "?")) // which was checked
	return token
}
